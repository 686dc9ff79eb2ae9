// Package assignment plans and changes which tags are on which objects: one tag on many objects
// (vsla_tag_association), or many tags on one object (vsla_object_tags).
//
// Terraform plans a change again just before applying it, in a new process, and requires the same values. By then,
// other resources of the same apply may already have changed associations. The ledger records each write, so that
// plans can be computed from the associations before the first write. It also serializes writes to SINGLE categories
// and detects conflicting tags. See docs/adr/0007-tier-moves.md.
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

// Of returns the record of associations that this run changes.
func Of(clients *connection.Set) *Ledger {
	return connection.State[Ledger](clients)
}

// Preview computes planned values. They depend only on configuration, state and the associations before the run's
// first write, because Terraform plans again during apply and requires the same values.
type Preview struct {
	Clients *connection.Set
	Diags   *diag.Diagnostics
	// List is the name of the list attribute.
	List string
	// Client is nil before Connect.
	Client *vsphere.Client
}

// Expecting returns a context whose reads wait for tags of a linked vCenter. Terraform plans again during apply, and a
// new tag may not have been replicated yet.
func (p *Preview) Expecting(ctx context.Context) context.Context {
	if p.Clients == nil {
		return ctx
	}
	return vsphere.Expecting(ctx, connection.State[vsphere.Arrivals](p.Clients))
}

// Connect sets Client and reports whether it succeeded.
func (p *Preview) Connect() bool {
	if p.Client == nil {
		p.Client = p.Clients.VSphere(p.Diags)
	}
	return p.Client != nil
}

// KnowsOwnership reports whether ownership is known, and adds an error otherwise.
func (p *Preview) KnowsOwnership(ownership types.String) bool {
	if ownership.IsUnknown() {
		p.Diags.AddAttributeError(path.Root("ownership"), "Ownership Is Not Known Yet",
			"ownership decides which tags the plan detaches, so it must be known in the plan.")
	}
	return !ownership.IsUnknown()
}

// Claim records that the resource plans a tag for objects. It adds an error if another resource plans to detach it.
func (p *Preview) Claim(ctx context.Context, tagID string, objects ...vsphere.Object) {
	if p.Clients != nil && tagID != "" {
		p.conflict(ctx, Of(p.Clients).Claim(tagID, objects))
	}
}

// Take records that the resource plans to replace the former tags of objects. It adds an error if another resource
// claims a former tag or plans another tag of the category.
func (p *Preview) Take(
	ctx context.Context, tag Tag, objects []vsphere.Object, former map[vsphere.Object]string,
) {
	p.conflict(ctx, Of(p.Clients).Take(tag, objects, former))
}

func (p *Preview) conflict(ctx context.Context, found *Conflict) {
	if found == nil || p.Diags.HasError() || !p.Connect() {
		return
	}
	ledger := Of(p.Clients)
	p.Diags.AddAttributeError(path.Root(p.List), "Object Is Listed for Two Tags", fmt.Sprintf(
		"%s is assigned both %s and %s, but their category allows one tag per object. Remove it from one.",
		Names(ctx, p.Client, []vsphere.Object{found.Object}),
		ledger.Path(ctx, p.Client, found.Tag), ledger.Path(ctx, p.Client, found.Other),
	))
}

// Refused adds an error to an attribute if the tag belongs to an ignored category, and reports whether it did.
func Refused(clients *connection.Set, tag Tag, at string, diags *diag.Diagnostics) bool {
	if !clients.Ignored().Match(tag.Category) {
		return false
	}
	diags.AddAttributeError(path.Root(at), "Tag Category Is Ignored", fmt.Sprintf(
		"Tag %q belongs to category %q, which ignore_tag_categories of the provider excludes (%q always is). Use a tag of "+
			"another category, or remove the category from the list.", tag.Name, tag.Category, ignored.Always))
	return true
}
