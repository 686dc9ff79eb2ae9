package provider

import (
	"reflect"
	"slices"
	"strconv"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// anchored shortens the paths of a response's diagnostics to those that a CLI finds in nested attributes. For a longer
// path, it would quote the first line of the block. The text of the diagnostic names the whole path.
func anchored[A any](response A, err error) (A, error) {
	if err != nil {
		return response, err
	}
	field := reflect.Indirect(reflect.ValueOf(response)).FieldByName("Diagnostics")
	if field.IsValid() {
		diagnostics, _ := reflect.TypeAssert[[]*tfprotov6.Diagnostic](field)
		for _, d := range diagnostics {
			d.Attribute = anchor(d.Attribute)
		}
	}
	return response, nil
}

// anchor returns the attribute and the first key or index of a path. It omits a key that the configuration might write
// as a number or bool, as in `{ 15 = 1.6 }`, because Terraform panics when it looks up such a key.
func anchor(p *tftypes.AttributePath) *tftypes.AttributePath {
	const attributeAndKey = 2
	steps := p.Steps()
	if len(steps) < attributeAndKey {
		return p
	}
	switch key := steps[1].(type) {
	case tftypes.ElementKeyInt:
		return tftypes.NewAttributePathWithSteps(steps[:attributeAndKey])
	case tftypes.ElementKeyString:
		if !isLiteral(string(key)) {
			return tftypes.NewAttributePathWithSteps(steps[:attributeAndKey])
		}
	}
	return tftypes.NewAttributePathWithSteps(steps[:1])
}

// isLiteral reports whether the configuration can write a map key as an unquoted number, bool or null.
func isLiteral(key string) bool {
	_, err := strconv.ParseFloat(key, 64)
	return err == nil || slices.Contains([]string{"true", "false", "null"}, key)
}
