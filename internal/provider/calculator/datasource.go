// Package calculator provides each calculator of the registry as a data source and a provider function.
//
// The schema, validators, documentation and conversions are derived from the calculator's description. The data source
// and the function run the same code and therefore return the same results. They need neither a connection nor a
// provider configuration.
package calculator

import (
	"context"
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/calculator"
	"terraform-provider-vsla/internal/plan/registry"
	"terraform-provider-vsla/internal/provider/kit/types/attribute"
)

// DataSources returns the constructors of the calculators' data sources.
func DataSources() []func() datasource.DataSource {
	var all []func() datasource.DataSource
	for _, c := range registry.Calculators() {
		if !c.NoDataSource {
			all = append(all, func() datasource.DataSource { return dataSource{c} })
		}
	}
	return all
}

type dataSource struct{ calculator *calculator.Calculator }

// Metadata sets the type name.
func (d dataSource) Metadata(_ context.Context, _ datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = d.calculator.DataSource()
}

// Schema sets the schema.
func (d dataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: d.calculator.Description,
		Attributes:          Attributes(d.calculator.Fields),
	}
}

// Read computes the result. It warns about percentages that look like fractions.
func (d dataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	input, err := toPlainMap(req.Config.Raw)
	if err != nil {
		resp.Diagnostics.AddError("Unable to Read Configuration", bugText(err))
		return
	}
	resp.Diagnostics.Append(fractions(req.Config.Raw)...) // here, because a plan also validates, and warns twice
	results, err := d.calculator.EvaluateContext(ctx, input)
	problems, invalid := errors.AsType[plan.InputErrors](err)
	switch {
	case invalid:
		for _, e := range problems {
			at := attribute.Path(e.Path)
			resp.Diagnostics.AddAttributeError(at, attribute.InvalidInput, e.Error())
		}
		return
	case err != nil:
		resp.Diagnostics.AddError("Unable to Compute Result", bugText(err))
		return
	}
	var config map[string]tftypes.Value
	if err := req.Config.Raw.As(&config); err != nil {
		resp.Diagnostics.AddError("Unable to Read Configuration", bugText(err))
		return
	}
	resp.State.Raw, err = complete(ctx, d.calculator.Fields, req.Config.Raw.Type(), config, results)
	if err != nil {
		resp.Diagnostics.AddError("Unable to Write Result", bugText(err))
	}
}

// ValidateConfig warns if the calculation is expected to take a long time.
func (d dataSource) ValidateConfig(
	_ context.Context, req datasource.ValidateConfigRequest, resp *datasource.ValidateConfigResponse,
) {
	if !req.Config.Raw.IsFullyKnown() {
		return
	}
	if input, err := toPlainMap(req.Config.Raw); err == nil && d.calculator.Slow(input) {
		resp.Diagnostics.AddWarning("Long Calculation", fmt.Sprintf("%s takes longer than %d seconds to compute on "+
			"two cores, in each plan. Plan fewer VMs, for example one of several similar sites.",
			d.calculator.DataSource(), calculator.SlowSeconds))
	}
}

func bugText(err error) string {
	return fmt.Sprintf("This is a bug in the provider. Please report it to the developers: %v.", err)
}
