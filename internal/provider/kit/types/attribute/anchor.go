package attribute

import (
	"slices"
	"strconv"

	"github.com/hashicorp/terraform-plugin-framework/path"

	"terraform-provider-vsla/internal/plan"
)

// Anchor returns the path to attach a diagnostic to. It stops before a map key that the configuration may contain as a
// number, true or false, because Terraform panics when it locates such a key, for example in `{ 15 = 1.6 }`.
func Anchor(p path.Path) path.Path {
	at := path.Empty()
	for _, step := range p.Steps() {
		switch step := step.(type) {
		case path.PathStepAttributeName:
			at = at.AtName(string(step))
		case path.PathStepElementKeyInt:
			at = at.AtListIndex(int(step))
		case path.PathStepElementKeyString:
			if literal(string(step)) {
				return at
			}
			at = at.AtMapKey(string(step))
		default:
			return at
		}
	}
	return at
}

// literal reports whether a map key may be written without quotes as a number, bool or null.
func literal(key string) bool {
	_, err := strconv.ParseFloat(key, 64)
	return err == nil || slices.Contains([]string{"true", "false", "null"}, key)
}

// Path converts a path of the planning core to a Terraform path.
func Path(p plan.Path) path.Path {
	at := path.Empty()
	for i, step := range p {
		switch {
		case i == 0:
			at = path.Root(step.Name)
		case step.Kind == plan.StepAttribute:
			at = at.AtName(step.Name)
		case step.Kind == plan.StepKey:
			at = at.AtMapKey(step.Name)
		default:
			at = at.AtListIndex(step.Index)
		}
	}
	return at
}
