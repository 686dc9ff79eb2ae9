package tagassociation

import (
	"context"
	"errors"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"terraform-provider-vsla/internal/provider/kit/explain"
	"terraform-provider-vsla/internal/provider/kit/types/stringset"
	"terraform-provider-vsla/internal/provider/tagging/assignment"
	"terraform-provider-vsla/internal/provider/tagging/tagledger"
	"terraform-provider-vsla/internal/vsphere"
	"terraform-provider-vsla/internal/vsphere/privilege"
)

// apply attaches and detaches the tag as planned. before are the objects in state, unfinished those of a failed
// create. It returns the owned objects. touched is false if nothing was changed.
func (r *associationResource) apply(
	ctx context.Context, c *vsphere.Client, plan content, before, unfinished []vsphere.Object, diags *diag.Diagnostics,
) (owns []vsphere.Object, touched bool) {
	tag, ok := r.allowed(ctx, c, plan.tagID, diags)
	if !ok {
		return nil, false
	}
	unlock, err := assignment.Ledger(r.Clients).Lock(ctx, false, []tagledger.Tag{tag})
	if err != nil {
		failed(diags, err)
		return nil, false
	}
	defer unlock()
	ledger := assignment.Ledger(r.Clients)
	attach := stringset.Without(plan.objects, before)
	detach := stringset.Union(plan.removes, stringset.Without(unfinished, plan.objects))
	owns = plan.objects
	asked, kept, err := ledger.Detach(ctx, c, tag, detach)
	if kept != nil {
		failed(diags, kept)
		owns = stringset.Union(owns, kept.Objects)
	}
	if err != nil {
		failed(diags, err)
		owns = stringset.Union(owns, tagledger.NotDone(err, asked))
		if _, partial := errors.AsType[*vsphere.PartialError](err); !partial {
			return stringset.Without(owns, attach), true
		}
	}
	left, errs := ledger.Attach(ctx, c, tag, attach, plan.replaces)
	for _, err := range errs {
		failed(diags, err)
	}
	ledger.Give(tag.ID, stringset.Without(plan.objects, left)...)
	owns = stringset.Without(owns, left)
	return owns, len(owns) > 0 || len(detach) > 0 || len(before) > 0 || len(errs) == 0
}

// allowed reads the tag and rejects it if its category is ignored.
func (r *associationResource) allowed(
	ctx context.Context, c *vsphere.Client, id string, diags *diag.Diagnostics,
) (tagledger.Tag, bool) {
	tag, err := assignment.Ledger(r.Clients).Tag(ctx, c, id)
	if err != nil {
		explain.AddAttributeError(diags, path.Root("tag_id"), "Unable to Associate Tag", privilege.Read, err)
		return tag, false
	}
	return tag, !assignment.Refused(r.Clients, tag, "tag_id", diags)
}

func failed(diags *diag.Diagnostics, err error) {
	explain.AddAttributeError(diags, path.Root("object_ids"), "Unable to Associate Tag", privilege.Assign, err)
}

// Find parses "<tag>", "<tag>/<object type>", or with a tag id "<tag>/<object type>/<ids>" for some of its objects. It
// tries the whole text as a tag first, because tag names may contain slashes.
func (r *associationResource) Find(ctx context.Context, c *vsphere.Client, id string) (model, error) {
	if !strings.HasPrefix(id, "urn:vmomi:") || !strings.Contains(id, "/") {
		tag, err := c.FindTag(ctx, id)
		if err == nil {
			return newModel(tag.ID, vmType), nil
		}
		if !errors.Is(err, vsphere.ErrNotFound) {
			return model{}, err
		}
	} else if parts := strings.Split(id, "/"); len(parts) == 3 {
		tag, err := c.FindTag(ctx, parts[0])
		m := newModel(tag.ID, parts[1])
		m.ObjectIDs = stringset.List(strings.Split(parts[2], ","))
		return m, err
	}
	cut := strings.LastIndexByte(id, '/')
	if cut < 0 {
		cut = len(id)
	}
	tag, err := c.FindTag(ctx, id[:cut])
	if err != nil {
		return model{}, err
	}
	return newModel(tag.ID, strings.TrimPrefix(id[cut:], "/")), nil
}
