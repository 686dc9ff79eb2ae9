package stringset_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stretchr/testify/assert"

	"terraform-provider-vsla/internal/provider/kit/types/stringset"
)

func TestPlanModifier(t *testing.T) {
	t.Parallel()
	state := stringset.ListValue([]string{"a", "b", "c"})
	partlyKnown := types.ListValueMust(types.StringType, []attr.Value{types.StringValue("a"), types.StringUnknown()})
	for name, test := range map[string]struct {
		state, planned types.List
		kept           bool
	}{
		"the same":          {state, stringset.ListValue([]string{"a", "b", "c"}), true},
		"another order":     {state, stringset.ListValue([]string{"c", "a", "b"}), true},
		"with a repeat":     {state, stringset.ListValue([]string{"c", "a", "b", "a"}), true},
		"one less":          {state, stringset.ListValue([]string{"a", "b"}), false},
		"one more":          {state, stringset.ListValue([]string{"a", "b", "c", "d"}), false},
		"another":           {state, stringset.ListValue([]string{"a", "b", "d"}), false},
		"not known":         {state, types.ListUnknown(types.StringType), false},
		"not wholly known":  {state, partlyKnown, false},
		"no state":          {types.ListNull(types.StringType), state, false},
		"no plan":           {state, types.ListNull(types.StringType), false},
		"state with repeat": {stringset.ListValue([]string{"a", "a"}), stringset.ListValue([]string{"a"}), true},
	} {
		resp := planmodifier.ListResponse{PlanValue: test.planned}
		stringset.PlanModifier().
			PlanModifyList(t.Context(), planmodifier.ListRequest{StateValue: test.state, PlanValue: test.planned},
				&resp)
		want := test.planned
		if test.kept {
			want = test.state
		}
		assert.True(t, resp.PlanValue.Equal(want), "%s: planned %v, want %v", name, resp.PlanValue, want)
	}
}

func TestMerge(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ before, now, want []string }{
		{nil, []string{"b", "a"}, []string{"a", "b"}},
		{[]string{"c", "a"}, []string{"a", "b", "c"}, []string{"c", "a", "b"}},
		{[]string{"c", "x", "c", "a"}, []string{"a", "c", "b", "b"}, []string{"c", "c", "a", "b"}},
		{[]string{"a"}, nil, []string{}},
	} {
		assert.Equal(t, stringset.ListValue(test.want), stringset.Merge(stringset.ListValue(test.before), test.now))
	}
}

func TestStrings(t *testing.T) {
	t.Parallel()
	assert.Equal(t, []string{"b", "a"}, stringset.Strings(stringset.ListValue([]string{"b", "a", "b"})))
	assert.Empty(t, stringset.Strings(types.ListNull(types.StringType)))
}
