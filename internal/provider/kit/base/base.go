package base

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"terraform-provider-vsla/internal/provider/kit/connection"
)

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
