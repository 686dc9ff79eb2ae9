package base

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"

	"terraform-provider-vsla/internal/provider/kit/connection"
)

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
