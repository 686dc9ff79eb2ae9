package cli

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"

	"terraform-provider-vsla/internal/wording"
)

// warnOfFractions warns about the inputs that look like a fraction.
func (in *input) warnOfFractions(w io.Writer) {
	in.warnOfFractionsIn(w, "", in.values)
}

// warnOfFractionsIn warns about the values below a path. It skips single VMs, whose measured rates can be this low.
func (in *input) warnOfFractionsIn(w io.Writer, path string, values map[string]any) {
	for _, name := range slices.Sorted(maps.Keys(values)) {
		at := in.flagOrName(name)
		if path != "" {
			at = path + "." + name
		}
		if inner, ok := values[name].(map[string]any); ok && name != "virtual_machines" {
			in.warnOfFractionsIn(w, at, inner)
			continue
		}
		number, err := strconv.ParseFloat(fmt.Sprint(values[name]), 64) // a flag is a text
		if err != nil {
			continue
		}
		if says := wording.Fraction(name, number); says != "" {
			fmt.Fprintf(w, "%s looks like a fraction. %s\n", at, says)
		}
	}
}
