package objecttags

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"terraform-provider-vsla/internal/provider/kit/explain"
	"terraform-provider-vsla/internal/provider/kit/types/stringset"
	"terraform-provider-vsla/internal/provider/tagging/assignment"
	"terraform-provider-vsla/internal/transport"
	"terraform-provider-vsla/internal/vsphere"
	"terraform-provider-vsla/internal/vsphere/privilege"
)

// apply detaches the planned tags first, because a SINGLE category allows only one tag, and then attaches the new
// ones. before are the tags in state, unfinished the tags of a failed create. It returns the owned tags, or false if
// nothing was changed.
func (r *tagsResource) apply(
	ctx context.Context, c *vsphere.Client, plan content, before, unfinished []string, diags *diag.Diagnostics,
) (owns []string, touched bool) {
	if !r.allowed(ctx, c, plan, diags) {
		return nil, false
	}
	removes := stringset.Union(plan.removes, stringset.Without(unfinished, plan.tags))
	ledger := assignment.Of(r.Clients)
	exchange, unlock, err := ledger.Exchange(ctx, c, plan.object, removes, plan.tags, r.Clients.Ignored())
	if err != nil {
		failed(diags, plan.object, err)
		return nil, false
	}
	defer unlock()
	has, err := c.TagsOfNewObject(ctx, plan.object)
	if err != nil {
		failed(diags, plan.object, err)
		return nil, false
	}
	for _, id := range plan.tags {
		ledger.Give(id, plan.object)
	}
	detach, kept := exchange.Detachable(stringset.Both(removes, has))
	certain, errs := exchange.Change(ctx, detach, stringset.Without(plan.tags, has))
	for _, err := range append(kept, errs...) {
		failed(diags, plan.object, err)
	}
	if !certain {
		return stringset.Union(stringset.Both(plan.tags, has), detach), true
	}
	if !diags.HasError() {
		return plan.tags, true
	}
	// After an error, save the tags that vCenter reports, or all possible tags if it cannot be read.
	graceful, cancel := transport.Grace(ctx)
	defer cancel()
	now, err := c.TagsOfObject(graceful, plan.object)
	if err != nil {
		return stringset.Union(plan.tags, detach), true
	}
	owned := stringset.Both(detach, before)
	owns = stringset.Both(stringset.Union(plan.tags, owned), now)
	return owns, len(owns) > 0 || len(before) > 0
}

func failed(diags *diag.Diagnostics, object vsphere.Object, err error) {
	explain.AddAttributeError(diags, path.Root("tag_ids"),
		"Unable to Tag "+object.String(), privilege.Assign, err)
}
