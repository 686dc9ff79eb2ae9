// Bringing vCenter to the plan, and telling the truth about how far that went.

package tagassociation

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"terraform-provider-vsla/internal/provider/kit/explain"
	"terraform-provider-vsla/internal/provider/kit/stringset"
	"terraform-provider-vsla/internal/vsphere"
)

// apply attaches and detaches, and returns the model to save; nil when nothing was touched. owned is what state held.
func (r *associationResource) apply(
	ctx context.Context,
	c *vsphere.Client,
	plan model,
	owned []string,
	diags *diag.Diagnostics,
) *model {
	tagID, wanted := plan.TagID.ValueString(), plan.ids()
	attach, detach := without(wanted, owned), without(owned, wanted)
	if plan.Ownership.ValueString() == exclusive {
		attached, err := c.ObjectsWithTag(ctx, tagID)
		if err != nil {
			failed(diags, err)
			return nil
		}
		has := plan.ofType(attached)
		attach, detach = without(wanted, has), without(has, wanted)
	}
	owns, err := plan, c.DetachTag(ctx, tagID, plan.objects(detach))
	if err != nil {
		failed(diags, err)
		left := mayCarry(err, detach)
		owns = plan.holding(append(without(wanted, attach), left...))
		if _, ok := errors.AsType[*vsphere.PartialError](err); !ok {
			return &owns
		}
		owns = plan.holding(append(slices.Clone(wanted), left...))
	}
	if err := c.AttachTag(ctx, tagID, plan.objects(attach)); err != nil {
		failed(diags, err)
		owns = owns.holding(without(owns.ids(), untouched(err, attach)))
		if len(owns.ids()) == 0 && len(detach) == 0 && len(owned) == 0 {
			return nil
		}
	}
	return &owns
}

// holding returns the model with other ids, as far as they go in the model's order.
func (m model) holding(ids []string) model {
	m.ObjectIDs = stringset.List(stringset.Merge(m.ids(), ids))
	return m
}

// untouched names the objects that certainly do not carry the tag after a failed attach. Where that is not known, state
// claims them: the next refresh drops what does not carry the tag, whereas an object that state does not know of would
// keep its tag for ever.
func untouched(err error, attach []string) []string {
	var (
		partial     *vsphere.PartialError
		interrupted *vsphere.InterruptedError
	)
	switch {
	case errors.As(err, &partial):
		return refused(partial)
	case errors.As(err, &interrupted):
		return attach[interrupted.Reached:]
	}
	return nil
}

// mayCarry names the objects that may still carry the tag after a failed detach, and so are still owned.
func mayCarry(err error, detach []string) []string {
	var (
		partial     *vsphere.PartialError
		interrupted *vsphere.InterruptedError
	)
	switch {
	case errors.As(err, &partial):
		return refused(partial)
	case errors.As(err, &interrupted):
		return detach[interrupted.Confirmed:]
	}
	return detach
}

func refused(partial *vsphere.PartialError) []string {
	ids := make([]string, 0, len(partial.Refused))
	for _, r := range partial.Refused {
		ids = append(ids, r.ID)
	}
	return ids
}

func failed(diags *diag.Diagnostics, err error) {
	objects := path.Root("object_ids")
	explain.Failure{
		Summary:   "Unable to Associate Tag",
		Attribute: &objects,
		Privilege: privilegeAssign,
		Err:       err,
	}.AddTo(
		diags,
	)
}

// findForImport resolves "<tag>" or "<tag>/<object type>". A tag's name may hold slashes, so the whole text is tried as
// a tag first.
func findForImport(ctx context.Context, c *vsphere.Client, id string) (tagID, objectType string, err error) {
	if !strings.HasPrefix(id, "urn:vmomi:") || !strings.Contains(id, "/") {
		tag, err := c.FindTag(ctx, id)
		if err == nil {
			return tag.ID, "VirtualMachine", nil
		}
		if !errors.Is(err, vsphere.ErrNotFound) {
			return "", "", err
		}
	}
	cut := strings.LastIndexByte(id, '/')
	if cut < 0 {
		cut = len(id)
	}
	tag, err := c.FindTag(ctx, id[:cut])
	if err != nil {
		return "", "", err
	}
	return tag.ID, strings.TrimPrefix(id[cut:], "/"), nil
}
