// Package base provides types that resources, data sources and actions embed to share common code.
package base

import (
	"context"
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"

	"terraform-provider-vsla/internal/provider/kit/connection"
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
	// Unfinished returns the IDs of the created objects by name, and the key under which Delete stores these IDs. The next
	// create uses the IDs to resume the failed create.
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
	diags.AddWarning(title+" Not Deleted", fmt.Sprintf("A create of this apply has adopted %s (adopt_existing = true), "+
		"so it is kept with its ID and associations.", id))
	return false
}

// AnyName accepts any name.
func AnyName(string) bool { return true }

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
	refreshed, err := r.Operations.RefreshObject(ctx, c, state, &resp.Diagnostics)
	switch {
	case errors.Is(err, r.NotFound):
		resp.State.RemoveResource(ctx)
	case err != nil:
		explain.AddError(&resp.Diagnostics, "Unable to Read "+state.Title(), privilege.Read, err)
	default:
		resp.Diagnostics.Append(resp.State.Set(ctx, refreshed)...)
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
	if err != nil {
		explain.AddError(&resp.Diagnostics, fmt.Sprintf("Unable to Import %s %q", r.Noun, id), privilege.Read, err)
		return
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, found)...)
	r.setIdentity(ctx, resp.Identity, found, &resp.Diagnostics)
}

// Resource is embedded in resources and list resources.
type Resource struct {
	TypeName string
	// Clients is nil during validation.
	Clients *connection.Set
}

// Metadata sets the type name.
func (r *Resource) Metadata(_ context.Context, _ resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = r.TypeName
}

// Configure sets Clients.
func (r *Resource) Configure(_ context.Context, req resource.ConfigureRequest, resp *resource.ConfigureResponse) {
	r.Clients = connection.From(req.ProviderData, &resp.Diagnostics)
}

// DataSource is embedded in data sources.
type DataSource struct {
	TypeName string
	// Clients is nil during validation.
	Clients *connection.Set
}

// Metadata sets the type name.
func (d *DataSource) Metadata(_ context.Context, _ datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = d.TypeName
}

// Configure sets Clients.
func (d *DataSource) Configure(_ context.Context, req datasource.ConfigureRequest, resp *datasource.ConfigureResponse) {
	d.Clients = connection.From(req.ProviderData, &resp.Diagnostics)
}

// Action is embedded in actions.
type Action struct {
	TypeName string
	// Clients is nil during validation.
	Clients *connection.Set
}

// Metadata sets the type name.
func (a *Action) Metadata(_ context.Context, _ action.MetadataRequest, resp *action.MetadataResponse) {
	resp.TypeName = a.TypeName
}

// Configure sets Clients.
func (a *Action) Configure(_ context.Context, req action.ConfigureRequest, resp *action.ConfigureResponse) {
	a.Clients = connection.From(req.ProviderData, &resp.Diagnostics)
}

// NewDataSource returns a data source with model M. client selects one of the provider's clients, and read fills in the
// model. validate checks the configuration and must tolerate unknown values.
func NewDataSource[M, C any](
	typeName string, schema func() schema.Schema, client func(*connection.Set, *diag.Diagnostics) C,
	read func(context.Context, C, *M, *diag.Diagnostics), validate ...func(*M, *diag.Diagnostics),
) datasource.DataSource {
	return &source[M, C]{DataSource{TypeName: typeName}, schema, client, read, validate}
}

type source[M, C any] struct {
	DataSource

	schema   func() schema.Schema
	client   func(*connection.Set, *diag.Diagnostics) C
	read     func(context.Context, C, *M, *diag.Diagnostics)
	validate []func(*M, *diag.Diagnostics)
}

// Schema sets the schema.
func (s *source[M, C]) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = s.schema()
}

// ValidateConfig validates the configuration without a connection.
func (s *source[M, C]) ValidateConfig(
	ctx context.Context, req datasource.ValidateConfigRequest, resp *datasource.ValidateConfigResponse,
) {
	for _, validate := range s.validate {
		var config M
		resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
		if !resp.Diagnostics.HasError() {
			validate(&config, &resp.Diagnostics)
		}
	}
}

// Read reads the data source. After an error, it does not set state.
func (s *source[M, C]) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var config M
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	client := s.client(s.Clients, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	s.read(ctx, client, &config, &resp.Diagnostics)
	if !resp.Diagnostics.HasError() {
		resp.Diagnostics.Append(resp.State.Set(ctx, config)...)
	}
}
