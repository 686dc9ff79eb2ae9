// Package stringset makes a list of strings mean a set: another order, or a repeat, is no change.
//
// The framework's own set type compares all pairs of elements and takes a minute at 2,000 of them; its lists are
// linear.
package stringset

import (
	"context"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// PlanModifier keeps the list of the state while the configuration names the same elements.
func PlanModifier() planmodifier.List { return keepState{} }

type keepState struct{}

// Description describes the modifier for the framework.
func (keepState) Description(context.Context) string {
	return "Order and repeats carry no meaning: the same elements are no change."
}

// MarkdownDescription is the same text.
func (k keepState) MarkdownDescription(ctx context.Context) string { return k.Description(ctx) }

// PlanModifyList plans the state's value when both hold the same elements.
func (keepState) PlanModifyList(_ context.Context, req planmodifier.ListRequest, resp *planmodifier.ListResponse) {
	if req.StateValue.IsNull() || req.PlanValue.IsNull() || req.PlanValue.IsUnknown() {
		return
	}
	planned, ok := distinct(req.PlanValue)
	if !ok {
		return
	}
	if kept, ok := distinct(req.StateValue); ok && slices.Equal(planned, kept) {
		resp.PlanValue = req.StateValue
	}
}

// distinct returns the sorted distinct elements; false when one is not known.
func distinct(list types.List) ([]string, bool) {
	elements := make([]string, 0, len(list.Elements()))
	for _, e := range list.Elements() {
		s, ok := e.(types.String)
		if !ok || s.IsUnknown() || s.IsNull() {
			return nil, false
		}
		elements = append(elements, s.ValueString())
	}
	slices.Sort(elements)
	return slices.Compact(elements), true
}

// Merge returns the elements of now in the order in which before has them, then the new ones, sorted.
func Merge(before, now []string) []string {
	left := make(map[string]bool, len(now))
	for _, s := range now {
		left[s] = true
	}
	merged := make([]string, 0, len(now))
	for _, s := range before {
		if left[s] {
			merged = append(merged, s)
			delete(left, s)
		}
	}
	fresh := len(merged)
	for s := range left {
		merged = append(merged, s)
	}
	slices.Sort(merged[fresh:])
	return merged
}

// Strings returns the elements of a list that is wholly known, without repeats and in its order.
func Strings(list types.List) []string {
	seen := make(map[string]bool, len(list.Elements()))
	elements := make([]string, 0, len(list.Elements()))
	for _, e := range list.Elements() {
		s, ok := e.(types.String)
		if ok && !seen[s.ValueString()] {
			seen[s.ValueString()] = true
			elements = append(elements, s.ValueString())
		}
	}
	return elements
}

// Known returns the known elements of a list, without repeats and in its order; all reports whether there are no
// others.
func Known(list types.List) (elements []string, all bool) {
	known := make([]attr.Value, 0, len(list.Elements()))
	for _, e := range list.Elements() {
		if !e.IsUnknown() {
			known = append(known, e)
		}
	}
	return Strings(types.ListValueMust(types.StringType, known)), !list.IsUnknown() && len(known) == len(list.Elements())
}

// Without returns the elements of a that are not in b.
func Without[T comparable](a, b []T) []T {
	in := set(b)
	return slices.DeleteFunc(slices.Clone(a), func(e T) bool { return in[e] })
}

// Both returns the elements of a that are in b.
func Both[T comparable](a, b []T) []T {
	in := set(b)
	return slices.DeleteFunc(slices.Clone(a), func(e T) bool { return !in[e] })
}

// Union returns the elements of a, then those of b that are not in a.
func Union[T comparable](a, b []T) []T { return append(slices.Clone(a), Without(b, a)...) }

func set[T comparable](elements []T) map[T]bool {
	in := make(map[T]bool, len(elements))
	for _, e := range elements {
		in[e] = true
	}
	return in
}

// List makes a list of strings.
func List(elements []string) types.List {
	values := make([]attr.Value, len(elements))
	for i, e := range elements {
		values[i] = types.StringValue(e)
	}
	return types.ListValueMust(types.StringType, values)
}
