package objecttags

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"terraform-provider-vsla/internal/provider/kit/explain"
	"terraform-provider-vsla/internal/provider/kit/types/stringset"
	"terraform-provider-vsla/internal/provider/tagging/assignment"
	"terraform-provider-vsla/internal/transport"
	"terraform-provider-vsla/internal/vsphere"
	"terraform-provider-vsla/internal/vsphere/privilege"
)

// apply detaches the planned tags and attaches the new ones. before contains the tags in state, and unfinished the tags
// that a failed create attached. owned contains the tags that the resource owns afterwards. changed is false if nothing
// was changed.
func (r *tagsResource) apply(
	ctx context.Context, c *vsphere.Client, plan tagSpec, before, unfinished []string, diags *diag.Diagnostics,
) (owned []string, changed bool) {
	if !r.checkIgnored(ctx, c, plan, diags) {
		return nil, false
	}
	removes := stringset.Union(plan.removes, stringset.Without(unfinished, plan.tags))
	ledger := assignment.LedgerOf(r.Clients)
	change, unlock, err := ledger.BeginTagChange(ctx, c, plan.object, removes, plan.tags, r.Clients.Ignored())
	if err != nil {
		addError(diags, plan.object, err)
		return nil, false
	}
	defer unlock()
	current, err := c.TagsOfNewObject(ctx, plan.object)
	if err != nil {
		addError(diags, plan.object, err)
		return nil, false
	}
	for _, id := range plan.tags {
		ledger.MarkManaged(id, plan.object)
	}
	detach, kept := change.Detachable(stringset.Intersect(removes, current))
	certain, errs := change.Apply(ctx, detach, stringset.Without(plan.tags, current))
	for _, err := range append(kept, errs...) {
		addError(diags, plan.object, err)
	}
	if !certain {
		return stringset.Union(stringset.Intersect(plan.tags, current), detach), true
	}
	if !diags.HasError() {
		return plan.tags, true
	}
	// After an error, save the tags that vCenter returns. If vCenter cannot be read, save all tags that the object
	// might have.
	graceful, cancel := transport.WithGracePeriod(ctx)
	defer cancel()
	now, err := c.TagsOfObject(graceful, plan.object)
	if err != nil {
		return stringset.Union(plan.tags, detach), true
	}
	if gone := stringset.Without(detach, now); len(gone) > 0 {
		diags.AddAttributeError(
			path.Root("tag_ids"),
			"Other Tags Were Detached from "+plan.object.String(),
			fmt.Sprintf(
				"The apply detached %s before the request above failed. Correct the cause and apply again.",
				paths(graceful, r.Clients, c, gone)),
		)
	}
	ownedBefore := stringset.Intersect(detach, before)
	owned = stringset.Intersect(stringset.Union(plan.tags, ownedBefore), now)
	return owned, len(owned) > 0 || len(before) > 0
}

func addError(diags *diag.Diagnostics, object vsphere.Object, err error) {
	explain.AddAttributeError(diags, path.Root("tag_ids"), "Unable to Tag "+object.String(), privilege.Assign, err)
}
