// Package stringset provides a plan modifier that treats a list of strings as a set: order and duplicates are ignored.
//
// The framework's set type compares all pairs of elements, which takes a minute for 2,000 elements.
package stringset

import (
	"context"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// PlanModifier returns a plan modifier that keeps the list in state if the configuration contains the same elements.
func PlanModifier() planmodifier.List { return keepState{} }

type keepState struct{}

// Description describes the plan modifier.
func (keepState) Description(context.Context) string {
	return "Order and duplicates are ignored."
}

// MarkdownDescription returns the result of Description.
func (k keepState) MarkdownDescription(ctx context.Context) string { return k.Description(ctx) }

// PlanModifyList keeps the list in state if the planned list contains the same elements, ignoring order and duplicates.
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

// distinct returns the sorted distinct elements. It returns false if an element is unknown or null.
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

// Merge returns the elements of the list before that now contains, in their former order and with their duplicates. The
// new elements of now follow in sorted order.
func Merge(before types.List, now []string) types.List {
	added := Without(now, Strings(before))
	slices.Sort(added)
	in := set(now)
	kept := slices.DeleteFunc(before.Elements(), func(e attr.Value) bool {
		s, ok := e.(types.String)
		return !ok || !in[s.ValueString()]
	})
	return types.ListValueMust(types.StringType, append(kept, ListValue(slices.Compact(added)).Elements()...))
}

// Strings returns the distinct elements of a fully known list in their original order.
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

// Known returns the distinct known elements of a list in their original order. all reports whether every element is
// known.
func Known(list types.List) (elements []string, all bool) {
	known := make([]attr.Value, 0, len(list.Elements()))
	for _, e := range list.Elements() {
		if !e.IsUnknown() {
			known = append(known, e)
		}
	}
	return Strings(types.ListValueMust(types.StringType, known)), !list.IsUnknown() &&
		len(known) == len(list.Elements())
}

// Without returns the elements of a that are not in b.
func Without[T comparable](a, b []T) []T {
	in := set(b)
	return slices.DeleteFunc(slices.Clone(a), func(e T) bool { return in[e] })
}

// Intersect returns the elements of a that are in b.
func Intersect[T comparable](a, b []T) []T {
	in := set(b)
	return slices.DeleteFunc(slices.Clone(a), func(e T) bool { return !in[e] })
}

// Union returns the elements of a, followed by the elements of b that are not in a.
func Union[T comparable](a, b []T) []T { return append(slices.Clone(a), Without(b, a)...) }

func set[T comparable](elements []T) map[T]bool {
	in := make(map[T]bool, len(elements))
	for _, e := range elements {
		in[e] = true
	}
	return in
}

// ListValue converts a slice to a list.
func ListValue(elements []string) types.List {
	values := make([]attr.Value, len(elements))
	for i, e := range elements {
		values[i] = types.StringValue(e)
	}
	return types.ListValueMust(types.StringType, values)
}
