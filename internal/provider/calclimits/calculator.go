// Package calclimits is the calculator vsla_configuration_limits, as data source and as function
// configuration_limits. The figures are in internal/plan/limits.
package calclimits

import (
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-vsla/internal/plan/limits"
	"terraform-provider-vsla/internal/provider/calc"
)

// Calculator has both doors.
var Calculator = calc.Calculator[model]{
	DataSource: "vsla_configuration_limits",
	Function:   "configuration_limits",
	Summary:    "Published limits, compared with numbers in use",
	Description: "Published limits of vCenter, vSphere Replication and tagging by version, each with its source, compared with numbers in use. A figure that is not published for a version is absent. It needs no connection and no credentials.\n\n" +
		"For example, vCenter 6.5 is published with 2,000 hosts and 25,000 powered-on VMs: 2,001 hosts are beyond it.",
	Attributes: attributes(),
	Compute:    compute,
}

type model struct {
	WithinLimits types.Bool   `tfsdk:"within_limits"`
	Product      types.String `tfsdk:"product"`
	Version      types.String `tfsdk:"version"`
	Counts       types.Map    `tfsdk:"counts"`
	Overrides    types.Map    `tfsdk:"overrides"`
	Limits       types.Map    `tfsdk:"limits"`
	Sources      types.Map    `tfsdk:"sources"`
	Exceeded     types.List   `tfsdk:"exceeded"`

	calc.Explanation
}

func attributes() map[string]schema.Attribute {
	return calc.Explained(map[string]schema.Attribute{
		"within_limits": schema.BoolAttribute{MarkdownDescription: "Whether no number is beyond its limit.", Computed: true},
		"product": schema.StringAttribute{
			MarkdownDescription: "`vcenter`, `vsphere_replication` or `tagging`.", Required: true,
			Validators: []validator.String{stringvalidator.OneOf(limits.Products()...)},
		},
		"version": schema.StringAttribute{
			MarkdownDescription: "Version of the product, of those for which figures are published: " + versions() + ".",
			Required:            true,
		},
		"counts": schema.MapAttribute{
			MarkdownDescription: "Numbers in use, by limit name.",
			ElementType:         types.Float64Type,
			Optional:            true,
		},
		"overrides": schema.MapAttribute{
			MarkdownDescription: "Limits of your own, by name: they replace published ones or add to them.",
			ElementType:         types.Float64Type,
			Optional:            true,
		},
		"limits": schema.MapAttribute{
			MarkdownDescription: "The limits, by name. A name that begins with `min_` is a lower limit.",
			ElementType:         types.Float64Type,
			Computed:            true,
		},
		"sources": schema.MapAttribute{
			MarkdownDescription: "Where each figure is published, by limit name.",
			ElementType:         types.StringType,
			Computed:            true,
		},
		"exceeded": schema.ListAttribute{
			MarkdownDescription: "Names of the limits that a number is beyond, sorted.",
			ElementType:         types.StringType,
			Computed:            true,
		},
	}, "`limit_exceeded`")
}

func compute(m *model) error {
	r, err := limits.Check(limits.Input{
		Product:   m.Product.ValueString(),
		Version:   m.Version.ValueString(),
		Counts:    calc.Floats(m.Counts),
		Overrides: calc.Floats(m.Overrides),
	})
	if err != nil {
		return err
	}
	m.Limits, m.Sources = calc.FloatMap(r.Limits), calc.StringMap(r.Sources)
	m.WithinLimits = types.BoolValue(r.WithinLimits)
	m.Exceeded = calc.Strings(r.Exceeded)
	m.Explain(r.Findings, r.Summary)
	return nil
}

// versions lists the versions of each product for the documentation.
func versions() string {
	var list []string
	for _, product := range limits.Products() {
		list = append(list, product+" "+strings.Join(limits.Versions(product), ", "))
	}
	return strings.Join(list, "; ")
}
