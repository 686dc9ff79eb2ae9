// Package assignment plans which tags are on which objects: vsla_tag_association and vsla_object_tags are two views of
// it, of one tag on many objects and of many tags on one.
package assignment

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-vsla/internal/provider/kit/connection"
	"terraform-provider-vsla/internal/provider/tagging/tagledger"
	"terraform-provider-vsla/internal/vsphere"
	"terraform-provider-vsla/internal/vsphere/ignored"
)

// Ledger returns what this run knows of the associations that it changes.
func Ledger(clients *connection.Set) *tagledger.Ledger {
	return connection.State[tagledger.Ledger](clients)
}

// Preview computes the planned values of one resource. It depends on configuration, state and the associations before
// the run's own writes, because Terraform plans again during the apply and insists on the same values.
type Preview struct {
	Clients *connection.Set
	Diags   *diag.Diagnostics
	// List is the attribute with the tags or the objects.
	List string
	// Client is nil before Connect.
	Client *vsphere.Client
}

// Expecting returns a context whose reads wait for tags of a linked vCenter: Terraform plans again during the apply,
// when the tag has been created and may not have arrived.
func (p *Preview) Expecting(ctx context.Context) context.Context {
	if p.Clients == nil {
		return ctx
	}
	return vsphere.Expecting(ctx, connection.State[vsphere.Arrivals](p.Clients))
}

// Connect reports whether vCenter can be asked; Client is set then.
func (p *Preview) Connect() bool {
	if p.Client == nil {
		p.Client = p.Clients.VSphere(p.Diags)
	}
	return p.Client != nil
}

// KnowsOwnership reports whether ownership is known, and is an error of the plan otherwise.
func (p *Preview) KnowsOwnership(ownership types.String) bool {
	if ownership.IsUnknown() {
		p.Diags.AddAttributeError(path.Root("ownership"), "Ownership Is Not Known Yet",
			"ownership decides which tags the plan detaches, so it must be known in the plan.")
	}
	return !ownership.IsUnknown()
}

// Claim notes that the resource plans a tag on objects; another one that plans to take it off is an error.
func (p *Preview) Claim(ctx context.Context, tagID string, objects ...vsphere.Object) {
	if p.Clients != nil && tagID != "" {
		p.conflict(ctx, Ledger(p.Clients).Claim(tagID, objects))
	}
}

// Take notes that the resource plans a tag on objects in the place of former ones; another one that plans those is an
// error.
func (p *Preview) Take(
	ctx context.Context, tag tagledger.Tag, objects []vsphere.Object, former map[vsphere.Object]string,
) {
	p.conflict(ctx, Ledger(p.Clients).Take(tag, objects, former))
}

func (p *Preview) conflict(ctx context.Context, found *tagledger.Conflict) {
	if found == nil || p.Diags.HasError() || !p.Connect() {
		return
	}
	ledger := Ledger(p.Clients)
	p.Diags.AddAttributeError(path.Root(p.List), "Object Is Listed for Two Tags", fmt.Sprintf(
		"%s is assigned both %s and %s, but their category allows one tag per object. Remove it from one.",
		tagledger.Names(ctx, p.Client, []vsphere.Object{found.Object}),
		ledger.Path(ctx, p.Client, found.Tag), ledger.Path(ctx, p.Client, found.Other),
	))
}

// Refused reports whether a tag belongs to a category that the provider leaves alone, as an error at an attribute.
func Refused(clients *connection.Set, tag tagledger.Tag, at string, diags *diag.Diagnostics) bool {
	if !clients.Ignored().Match(tag.Category) {
		return false
	}
	diags.AddAttributeError(path.Root(at), "Tag Category Is Ignored", fmt.Sprintf(
		"Tag %q belongs to category %q, which ignore_tag_categories of the provider excludes (%q always is). Use a tag of "+
			"another category, or remove the category from the list.", tag.Name, tag.Category, ignored.Always))
	return true
}
