package acctest

import (
	"fmt"
	"math"
	"strconv"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
)

// CheckNear checks that a numeric attribute differs from want by at most part * want.
func CheckNear(address, attribute string, want, part float64) resource.TestCheckFunc {
	return resource.TestCheckResourceAttrWith(address, attribute, func(text string) error {
		got, err := strconv.ParseFloat(text, 64)
		if err == nil && math.Abs(got-want) > part*math.Abs(want) {
			err = fmt.Errorf("%s is %v, want %v", attribute, got, want)
		}
		return err
	})
}

// FailingStep returns a step that must fail with an error matching a pattern (see ErrorPattern).
func FailingStep(config, pattern string) resource.TestStep {
	return resource.TestStep{Config: config, ExpectError: ErrorPattern(pattern)}
}

// After returns a step before which do runs, for example to change a server.
func After(do func(), step resource.TestStep) resource.TestStep {
	step.PreConfig = do
	return step
}
