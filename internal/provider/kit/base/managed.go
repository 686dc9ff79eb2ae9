package base

import (
	"context"
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"

	"terraform-provider-vsla/internal/provider/kit/connection"
	"terraform-provider-vsla/internal/provider/kit/explain"
	"terraform-provider-vsla/internal/provider/kit/identity"
	"terraform-provider-vsla/internal/provider/kit/resume"
	"terraform-provider-vsla/internal/vsphere"
	"terraform-provider-vsla/internal/vsphere/privilege"
)

// Managed is embedded in resources of vCenter with a model M. An unfinished create leaves its objects to the next one.
type Managed[M any] struct {
	Resource

	// Noun names the object in the summary of a failed import: `Tag`.
	Noun string
	// Title returns the object in the summary of a failed refresh: `Tag "gold"`.
	Title func(M) string
	// Identity returns what identifies the object; nil for a resource without identity.
	Identity func(M) any
	// ImportID returns the id to import by an identity; nil for a resource without identity.
	ImportID func(context.Context, *tfsdk.ResourceIdentity, *diag.Diagnostics) string
	// Make creates the object and returns what to save, even if something failed; false for nothing.
	Make func(ctx context.Context, c *vsphere.Client, plan M, diags *diag.Diagnostics) (M, bool)
	// Refresh returns the model of what vCenter holds. The error Gone removes the resource from state.
	Gone    error
	Refresh func(ctx context.Context, c *vsphere.Client, state M, diags *diag.Diagnostics) (M, error)
	// Change changes the object in place and returns what to save, like Make.
	Change func(ctx context.Context, c *vsphere.Client, plan, state M, diags *diag.Diagnostics) (M, bool)
	// Remove deletes the object. Where it fails in part, it returns the rest.
	Remove func(ctx context.Context, c *vsphere.Client, state M, diags *diag.Diagnostics) (left *M)
	// Unfinished returns what a delete leaves to the create that continues a failed one: ids by name.
	Unfinished func(M) (key string, ids map[string]string)
	// Find returns the object to import.
	Find func(ctx context.Context, c *vsphere.Client, id string) (M, error)
}

// TakeOver returns what an unfinished create of the same object has left; of several, the one with most wanted names.
func (r *Managed[M]) TakeOver(plan M, wanted func(name string) bool) map[string]string {
	key, _ := r.Unfinished(plan)
	return connection.State[resume.Work](r.Clients).TakeOver(key, wanted)
}

// Any is the wanted function of objects that are the same whatever their names.
func Any(string) bool { return true }

func (r *Managed[M]) identify(ctx context.Context, to *tfsdk.ResourceIdentity, m M, diags *diag.Diagnostics) {
	if r.Identity != nil {
		identity.Set(ctx, to, r.Identity(m), diags)
	}
}

// Create creates the object.
func (r *Managed[M]) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan M
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	c := r.Clients.VSphere(&resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	if made, save := r.Make(ctx, c, plan, &resp.Diagnostics); save {
		resp.Diagnostics.Append(resp.State.Set(ctx, made)...)
		r.identify(ctx, resp.Identity, made, &resp.Diagnostics)
	}
}

// Read refreshes the object; one that is gone leaves state.
func (r *Managed[M]) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state M
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	r.identify(ctx, resp.Identity, state, &resp.Diagnostics)
	c := r.Clients.VSphere(&resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	fresh, err := r.Refresh(ctx, c, state, &resp.Diagnostics)
	switch {
	case errors.Is(err, r.Gone):
		resp.State.RemoveResource(ctx)
	case err != nil:
		explain.AddError(&resp.Diagnostics, "Unable to Read "+r.Title(state), privilege.Read, err)
	default:
		resp.Diagnostics.Append(resp.State.Set(ctx, fresh)...)
	}
}

// Update changes the object in place.
func (r *Managed[M]) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan, state M
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	r.identify(ctx, resp.Identity, plan, &resp.Diagnostics)
	c := r.Clients.VSphere(&resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	if changed, save := r.Change(ctx, c, plan, state, &resp.Diagnostics); save {
		resp.Diagnostics.Append(resp.State.Set(ctx, changed)...)
	}
}

// Delete deletes the object, unless the create that follows continues with it.
func (r *Managed[M]) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var state M
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	continues := resume.Continues(ctx, req.Private, &resp.Diagnostics)
	c := r.Clients.VSphere(&resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	if continues {
		connection.State[resume.Work](r.Clients).Leave(r.Unfinished(state))
		return
	}
	if left := r.Remove(ctx, c, state, &resp.Diagnostics); left != nil {
		resp.Diagnostics.Append(resp.State.Set(ctx, *left)...)
	}
}

// ImportState takes what Find takes, or an identity.
func (r *Managed[M]) ImportState(
	ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse,
) {
	c := r.Clients.VSphere(&resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	id := req.ID
	if id == "" && r.ImportID != nil {
		id = r.ImportID(ctx, req.Identity, &resp.Diagnostics)
	}
	found, err := r.Find(ctx, c, id)
	if err != nil {
		explain.AddError(&resp.Diagnostics, fmt.Sprintf("Unable to Import %s %q", r.Noun, id), privilege.Read, err)
		return
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, found)...)
	r.identify(ctx, resp.Identity, found, &resp.Diagnostics)
}
