package acctest

import (
	"fmt"
	"math"
	"strconv"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
)

// Near checks that a numeric attribute is within a relative tolerance.
func Near(address, attribute string, want, part float64) resource.TestCheckFunc {
	return resource.TestCheckResourceAttrWith(address, attribute, func(text string) error {
		got, err := strconv.ParseFloat(text, 64)
		if err == nil && math.Abs(got-want) > part*math.Abs(want) {
			err = fmt.Errorf("%s is %v, want %v", attribute, got, want)
		}
		return err
	})
}
