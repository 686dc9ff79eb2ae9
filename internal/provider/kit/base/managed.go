// Package base provides types that resources, data sources and actions embed to share common code.
package base

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"

	"terraform-provider-vsla/internal/provider/kit/connection"
	"terraform-provider-vsla/internal/provider/kit/destroying"
	"terraform-provider-vsla/internal/provider/kit/explain"
	"terraform-provider-vsla/internal/provider/kit/identity"
	"terraform-provider-vsla/internal/provider/kit/resume"
	"terraform-provider-vsla/internal/transport"
	"terraform-provider-vsla/internal/vsphere"
	"terraform-provider-vsla/internal/vsphere/privilege"
)

// Model is the model of a managed resource.
type Model interface {
	// Title returns the name of the object for diagnostics, for example `Tag "gold"`.
	Title() string
	// Unfinished returns the IDs of the created objects by name, and the key under which Delete stores these IDs. The
	// next create uses the IDs to resume the failed create.
	Unfinished() (key string, ids map[string]string)
}

// Operations are the CRUD operations of a resource in vCenter. If save is true, Managed saves the results of
// CreateObject and UpdateObject to state, even after an error.
type Operations[M Model] interface {
	CreateObject(ctx context.Context, c *vsphere.Client, plan M, diags *diag.Diagnostics) (created M, save bool)
	// RefreshObject reads the object from vCenter. It returns Managed.NotFound if the object no longer exists.
	RefreshObject(ctx context.Context, c *vsphere.Client, state M, diags *diag.Diagnostics) (M, error)
	UpdateObject(ctx context.Context, c *vsphere.Client, plan, state M, diags *diag.Diagnostics) (updated M, save bool)
	// DeleteObject deletes the object. If only part of the object can be deleted, it returns a model of the remaining
	// part.
	DeleteObject(ctx context.Context, c *vsphere.Client, state M, diags *diag.Diagnostics) (remaining *M)
	// FindObject returns the object to be imported.
	FindObject(ctx context.Context, c *vsphere.Client, id string) (M, error)
}

type identifier interface{ Identity() any }

// Managed implements CRUD for resources with model M. It can resume a failed create.
type Managed[M Model] struct {
	Resource

	Operations Operations[M]
	// Noun is the object type in import diagnostics, for example `Tag`.
	Noun     string
	NotFound error
	// ImportID converts an identity to an import ID. It defaults to the identity's id attribute.
	ImportID func(context.Context, *tfsdk.ResourceIdentity, *diag.Diagnostics) string
}

// TakeUnfinished returns the IDs that an unfinished create of the same object left behind. If there are several sets of
// IDs, it returns the set in which wanted accepts the most names.
func (r *Managed[M]) TakeUnfinished(plan M, wanted func(name string) bool) map[string]string {
	key, _ := plan.Unfinished()
	return connection.State[resume.Store](r.Clients).Take(key, wanted)
}

// ClaimAdopted records that a create adopts an object, so that no delete of the same run removes it. It returns false
// if a delete is already removing it.
func (r *Managed[M]) ClaimAdopted(id string) bool {
	return connection.State[resume.Store](r.Clients).Claim(id, true)
}

// ClaimDeleted reports whether a delete may remove an object. If a create of the same run has adopted it, such as the
// create of a replacement with create_before_destroy, it adds a warning and returns false.
func (r *Managed[M]) ClaimDeleted(id, title string, diags *diag.Diagnostics) bool {
	if connection.State[resume.Store](r.Clients).Claim(id, false) {
		return true
	}
	diags.AddWarning(title+" Not Deleted", fmt.Sprintf("A create of this apply has adopted %s (adopt_existing = "+
		"true), so it is kept with its ID and associations.", id))
	return false
}

// ownImportID converts an import ID of the vsphere provider, such as {"category_name": "sla", "tag_name": "gold"}, to
// the form of this provider. It returns "" for other IDs.
func ownImportID(id string) string {
	var peer struct {
		Category string `json:"category_name"`
		Tag      string `json:"tag_name"`
	}
	if json.Unmarshal([]byte(id), &peer) != nil {
		return ""
	}
	return strings.Trim(peer.Category+"/"+peer.Tag, "/")
}

// AnyName accepts any name.
func AnyName(string) bool { return true }

// run contains the IDs of the objects that this run has found in state, and whether it has begun to change objects.
type run struct {
	inState  sync.Map
	applying atomic.Bool
}

// PlansNewName returns a client with which a plan can look for an object with a new name. It returns nil if there is no
// connection yet, in a destroy, and in an apply, in which another change can free the name.
func (r *Managed[M]) PlansNewName(diags *diag.Diagnostics) *vsphere.Client {
	if !r.Clients.HasVSphere() || destroying.Now() || connection.State[run](r.Clients).applying.Load() {
		return nil
	}
	return r.Clients.VSphere(diags)
}

// IsInState reports whether this run has found the object in state. A replacement or a rename may free its name.
func (r *Managed[M]) IsInState(id string) bool {
	_, ok := connection.State[run](r.Clients).inState.Load(id)
	return ok
}

// RecordState records that an object is in state. A plan calls it too, because it may follow no refresh.
func (r *Managed[M]) RecordState(state M) {
	if r.Clients == nil {
		return
	}
	_, ids := state.Unfinished()
	for _, id := range ids {
		connection.State[run](r.Clients).inState.Store(id, true)
	}
}

func (r *Managed[M]) beginChange() { connection.State[run](r.Clients).applying.Store(true) }

func (r *Managed[M]) setIdentity(ctx context.Context, to *tfsdk.ResourceIdentity, m M, diags *diag.Diagnostics) {
	if m, ok := any(m).(identifier); ok {
		identity.Set(ctx, to, m.Identity(), diags)
	}
}

func (r *Managed[M]) withWaits(ctx context.Context) context.Context {
	return vsphere.WithArrivals(transport.WithStartupWait(ctx), connection.State[vsphere.Arrivals](r.Clients))
}

// Create creates the object.
func (r *Managed[M]) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan M
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	c := r.Clients.VSphere(&resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	r.beginChange()
	if created, save := r.Operations.CreateObject(r.withWaits(ctx), c, plan, &resp.Diagnostics); save {
		resp.Diagnostics.Append(resp.State.Set(ctx, created)...)
		r.setIdentity(ctx, resp.Identity, created, &resp.Diagnostics)
	}
}

// Read refreshes the object. If the object was deleted, it is removed from state.
func (r *Managed[M]) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state M
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	r.setIdentity(ctx, resp.Identity, state, &resp.Diagnostics)
	c := r.Clients.VSphere(&resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	r.RecordState(state)
	refreshed, err := r.Operations.RefreshObject(ctx, c, state, &resp.Diagnostics)
	switch {
	case errors.Is(err, r.NotFound):
		resp.State.RemoveResource(ctx)
	case err != nil:
		explain.AddError(&resp.Diagnostics, "Unable to Read "+state.Title(), privilege.Read, err)
	default:
		resp.Diagnostics.Append(resp.State.Set(ctx, refreshed)...)
		if before, ok := any(state).(Group); ok {
			now, _ := any(refreshed).(Group) // has the same type
			recordLost(ctx, resp.Private, before, now, &resp.Diagnostics)
		}
	}
}

// Update updates the object in place.
func (r *Managed[M]) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan, state M
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	r.setIdentity(ctx, resp.Identity, plan, &resp.Diagnostics)
	c := r.Clients.VSphere(&resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	r.beginChange()
	if updated, save := r.Operations.UpdateObject(r.withWaits(ctx), c, plan, state, &resp.Diagnostics); save {
		resp.Diagnostics.Append(resp.State.Set(ctx, updated)...)
	}
}

// Delete deletes the object. If the delete is part of resuming a failed create, Delete keeps the object and stores its
// IDs for the create that follows.
func (r *Managed[M]) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var state M
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	willResume := resume.WillResume(ctx, req.Private, &resp.Diagnostics)
	c := r.Clients.VSphere(&resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	r.beginChange()
	if willResume {
		connection.State[resume.Store](r.Clients).Put(state.Unfinished())
		return
	}
	remaining := r.Operations.DeleteObject(transport.WithStartupWait(ctx), c, state, &resp.Diagnostics)
	if remaining != nil {
		resp.Diagnostics.Append(resp.State.Set(ctx, *remaining)...)
	}
}

func (r *Managed[M]) importID() func(context.Context, *tfsdk.ResourceIdentity, *diag.Diagnostics) string {
	if r.ImportID != nil {
		return r.ImportID
	}
	return identity.ImportID
}

// ImportState imports an object by ID or identity.
func (r *Managed[M]) ImportState(
	ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse,
) {
	c := r.Clients.VSphere(&resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	id := req.ID
	if id == "" && req.Identity != nil {
		id = r.importID()(ctx, req.Identity, &resp.Diagnostics)
	}
	found, err := r.Operations.FindObject(ctx, c, id)
	if own := ownImportID(id); err != nil && own != "" {
		resp.Diagnostics.AddError(fmt.Sprintf("Unable to Import %s", r.Noun), fmt.Sprintf(
			"The ID has the JSON form of the vsphere provider. Use %q, or the ID of the object.", own))
		return
	}
	if err != nil {
		explain.AddError(&resp.Diagnostics, fmt.Sprintf("Unable to Import %s %q", r.Noun, id), privilege.Read, err)
		return
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, found)...)
	r.setIdentity(ctx, resp.Identity, found, &resp.Diagnostics)
}
