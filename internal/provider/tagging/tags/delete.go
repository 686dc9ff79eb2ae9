package tags

import (
	"context"
	"fmt"
	"maps"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"terraform-provider-vsla/internal/provider/kit/explain"
	"terraform-provider-vsla/internal/provider/tagging/guard"
	"terraform-provider-vsla/internal/vsphere"
	"terraform-provider-vsla/internal/vsphere/privilege"
)

// mayDelete reports whether tags may be deleted. It adds an error if a tag is in use and force_destroy is not set, and
// takes out the tags that a create of the same run has adopted.
func (r *tagsResource) mayDelete(
	ctx context.Context, c *vsphere.Client, m resourceModel, tags map[string]string, diags *diag.Diagnostics,
) bool {
	maps.DeleteFunc(tags, func(name, id string) bool {
		return !r.ClaimDeleted(id, fmt.Sprintf("Tag %q", name), diags)
	})
	ids := sortedValues(tags)
	switch {
	case len(ids) == 0:
		return true
	case m.ForceDestroy.ValueBool():
		return guard.ForceDeleteTags(ctx, r.Clients, c, diags, m.CategoryID.ValueString(), ids)
	}
	return guard.MayDeleteTags(ctx, r.Clients, c, diags, guard.Deletion{
		Title:      "Tags",
		CategoryID: m.CategoryID.ValueString(),
		IDs:        ids,
	})
}

func deleteTags(
	ctx context.Context, c *vsphere.Client, ids map[string]string, diags *diag.Diagnostics,
) map[string]string {
	failed := failures{summary: "Unable to Delete Tags", privilege: privilege.DeleteTag}
	deleted := make(map[string]bool, len(ids))
	for _, result := range c.DeleteTags(ctx, sortedValues(ids)) {
		if result.Done {
			deleted[result.Tag.ID] = true
		}
		failed.add(result)
	}
	failed.addTo(diags, len(sortedValues(ids)))
	undeleted := maps.Clone(ids)
	maps.DeleteFunc(undeleted, func(_, id string) bool { return deleted[id] })
	return undeleted
}

// failures collects the errors of many tags but reports only the first.
type failures struct {
	summary, privilege string
	first              error
	done               int
}

func (f *failures) add(result vsphere.TagResult) {
	if result.Err != nil && f.first == nil {
		f.first = result.Err
	}
	if result.Done && result.Err == nil {
		f.done++
	}
}

func (f *failures) addTo(diags *diag.Diagnostics, all int) {
	if f.first == nil {
		return
	}
	tags := path.Root("tags")
	err := fmt.Errorf("%d of %d succeeded and are recorded in state; apply again to continue: %w", f.done, all, f.first)
	explain.AddAttributeError(diags, tags, f.summary, f.privilege, err)
}
