package cli

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"

	"terraform-provider-vsla/internal/wording"
)

// warnOfFractions warns about the inputs that look like a fraction. It skips single VMs, whose measured rates can be
// this low.
func (in *input) warnOfFractions(w io.Writer) {
	in.warnOf(w, "", in.values)
}

func (in *input) warnOf(w io.Writer, path string, values map[string]any) {
	for _, name := range slices.Sorted(maps.Keys(values)) {
		at := in.flagOrName(name)
		if path != "" {
			at = path + "." + name
		}
		if inner, ok := values[name].(map[string]any); ok && name != "virtual_machines" {
			in.warnOf(w, at, inner)
			continue
		}
		number, err := strconv.ParseFloat(fmt.Sprint(values[name]), 64) // a flag is a text
		if says := wording.Fraction(name, number); err == nil && says != "" {
			fmt.Fprintf(w, "%s looks like a fraction. %s\n", at, says)
		}
	}
}
