package assignment

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-vsla/internal/provider/kit/connection"
	"terraform-provider-vsla/internal/vsphere"
	"terraform-provider-vsla/internal/vsphere/ignored"
)

// Preview computes planned values. They depend only on the configuration, the state and the associations before the
// first write of the run, because Terraform plans again during apply and requires the same values.
type Preview struct {
	Clients *connection.Set
	Diags   *diag.Diagnostics
	// List is the name of the list attribute, for example "object_ids".
	List string
	// Client is nil until Connect is called.
	Client *vsphere.Client
}

// WithArrivals returns a context in which reads wait until a tag created on a linked vCenter has been replicated. Plans
// need this because Terraform plans again during apply, after the tag was created.
func (p *Preview) WithArrivals(ctx context.Context) context.Context {
	if p.Clients == nil {
		return ctx
	}
	return vsphere.WithArrivals(ctx, connection.State[vsphere.Arrivals](p.Clients))
}

// Connect sets Client and reports whether it succeeded.
func (p *Preview) Connect() bool {
	if p.Client == nil {
		p.Client = p.Clients.VSphere(p.Diags)
	}
	return p.Client != nil
}

// CheckOwnershipKnown reports whether ownership is known, and adds an error if it is not.
func (p *Preview) CheckOwnershipKnown(ownership types.String) bool {
	if ownership.IsUnknown() {
		p.Diags.AddAttributeError(path.Root("ownership"), "Ownership Unknown Until Apply",
			"ownership determines which tags the plan detaches, so it must be known during plan.")
	}
	return !ownership.IsUnknown()
}

// PlanAttach records that the resource plans to attach a tag to objects. It adds an error if another resource plans to
// replace the tag.
func (p *Preview) PlanAttach(ctx context.Context, tagID string, objects ...vsphere.Object) {
	if p.Clients != nil && tagID != "" {
		p.addConflict(ctx, LedgerOf(p.Clients).PlanAttach(tagID, objects))
	}
}

// PlanReplace records that the resource plans to replace the former tags of objects. It adds an error if another
// resource plans to attach a former tag or another tag of the category.
func (p *Preview) PlanReplace(
	ctx context.Context, tag Tag, objects []vsphere.Object, former map[vsphere.Object]string,
) {
	p.addConflict(ctx, LedgerOf(p.Clients).PlanReplace(tag, objects, former))
}

func (p *Preview) addConflict(ctx context.Context, found *Conflict) {
	if found == nil || p.Diags.HasError() || !p.Connect() {
		return
	}
	ledger := LedgerOf(p.Clients)
	p.Diags.AddAttributeError(path.Root(p.List), "Object Is Listed for Two Tags", fmt.Sprintf(
		"%s is assigned both %s and %s, but their category allows one tag per object. Remove it from one.",
		Names(ctx, p.Client, []vsphere.Object{found.Object}),
		ledger.Path(ctx, p.Client, found.Tag), ledger.Path(ctx, p.Client, found.Other),
	))
}

// RejectIgnored reports whether a tag belongs to an ignored category. If so, it adds an error to the attribute.
func RejectIgnored(clients *connection.Set, tag Tag, at string, diags *diag.Diagnostics) bool {
	if !clients.Ignored().Match(tag.Category) {
		return false
	}
	diags.AddAttributeError(path.Root(at), "Tag Category Is Ignored", fmt.Sprintf(
		"Tag %q belongs to category %q, which is excluded by ignore_tag_categories of the provider (%q is always "+
			"excluded). Use a tag of another category, or remove the category from the list.",
		tag.Name, tag.Category, ignored.Always))
	return true
}
