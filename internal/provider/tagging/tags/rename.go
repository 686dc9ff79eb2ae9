package tags

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"terraform-provider-vsla/internal/provider/kit/explain"
)

// warnRenamed warns if the plan deletes tags in use and creates others, with a suggestion for renamed_from.
func (r *tagsResource) warnRenamed(ctx context.Context, plan, state resourceModel, diags *diag.Diagnostics) {
	kept := plan.keptIDs(state)
	deleted, created := state.ids(), plan.descriptions()
	for name, id := range kept {
		delete(created, name)
		maps.DeleteFunc(deleted, func(_, other string) bool { return other == id })
	}
	if len(deleted) == 0 || len(created) == 0 || r.Clients == nil || r.Clients.VSphereNotKnownYet() {
		return
	}
	c := r.Clients.VSphere(diags)
	if c == nil {
		return
	}
	objects, err := c.ObjectsByTag(ctx, sortedValues(deleted))
	if err != nil {
		diags.AddAttributeWarning(path.Root("tags"), "Tags Are Deleted and Others Created",
			"Whether the deleted tags are in use cannot be read: "+explain.Detail(err))
		return
	}
	descriptions := state.descriptions()
	for _, name := range slices.Sorted(maps.Keys(deleted)) {
		n := len(objects[deleted[name]])
		if n == 0 {
			continue
		}
		to := successor(created, descriptions[name])
		diags.AddAttributeWarning(path.Root("tags"), fmt.Sprintf("Tag %q Is Deleted and %q Is Created", name, to),
			fmt.Sprintf("The deleted tag has %d associations, the new one has none. To rename the tag instead, with its id and "+
				"its associations, add:\n\n  renamed_from = { %q = %q }", n, to, name))
	}
}

// successor returns the created tag with the same description, or the first one by name.
func successor(created map[string]string, description string) string {
	names := slices.Sorted(maps.Keys(created))
	if i := slices.IndexFunc(names, func(name string) bool { return created[name] == description }); i >= 0 {
		return names[i]
	}
	return names[0]
}
