// Command inert is a provider with the schemas of vsla's tags that sends no request: what Terraform and the plugin
// protocol cost for a state, whatever vCenter costs. It is for the benchmark only.
package main

import (
	"context"
	"log"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"terraform-provider-vsla/internal/provider/tagging/tagassociation"
	"terraform-provider-vsla/internal/provider/tagging/tagcategory"
	"terraform-provider-vsla/internal/provider/tagging/tags"
)

func main() {
	err := providerserver.Serve(context.Background(), func() provider.Provider { return &inert{} },
		providerserver.ServeOpts{Address: "registry.terraform.io/vsla/vsla"})
	if err != nil {
		log.Fatal(err)
	}
}

type inert struct{}

func (p *inert) Metadata(_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse) {
	resp.TypeName = "vsla"
}

func (p *inert) Schema(context.Context, provider.SchemaRequest, *provider.SchemaResponse) {}

func (p *inert) Configure(context.Context, provider.ConfigureRequest, *provider.ConfigureResponse) {}

func (p *inert) DataSources(context.Context) []func() datasource.DataSource { return nil }

func (p *inert) Resources(context.Context) []func() resource.Resource {
	var all []func() resource.Resource
	for _, original := range []func() resource.Resource{tagcategory.NewResource, tags.NewResource} {
		all = append(all, func() resource.Resource { return &still{Resource: original()} })
	}
	return append(all, func() resource.Resource {
		return &still{Resource: tagassociation.NewResource(), asks: true}
	})
}

// still has a resource's name and schema, and does nothing.
type still struct {
	resource.Resource

	asks bool // its plans ask vCenter
}

// ModifyPlan is the real one: it belongs to what a plan costs. That of associations asks vCenter.
func (s *still) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if s.asks {
		return
	}
	if planner, ok := s.Resource.(resource.ResourceWithModifyPlan); ok {
		planner.ModifyPlan(ctx, req, resp)
	}
}

func (s *still) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	s.keep(ctx, req.Plan, &resp.State, &resp.Diagnostics)
}

func (s *still) Read(context.Context, resource.ReadRequest, *resource.ReadResponse) {}

func (s *still) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	s.keep(ctx, req.Plan, &resp.State, &resp.Diagnostics)
}

func (s *still) Delete(context.Context, resource.DeleteRequest, *resource.DeleteResponse) {}

// keep returns the plan as the new state; values that are unknown until apply become a name in place of an id.
func (s *still) keep(ctx context.Context, plan tfsdk.Plan, state *tfsdk.State, diags *diag.Diagnostics) {
	var names types.Map
	isTags := len(diags.Errors()) == 0 && !plan.GetAttribute(ctx, path.Root("tags"), &names).HasError()
	raw, err := tftypes.Transform(plan.Raw, func(_ *tftypes.AttributePath, v tftypes.Value) (tftypes.Value, error) {
		switch {
		case v.IsKnown():
			return v, nil
		case v.Type().Is(tftypes.String):
			return tftypes.NewValue(
				tftypes.String,
				"urn:vmomi:InventoryServiceTag:00000000-0000-4000-8000-000000000000:GLOBAL",
			), nil
		default:
			return tftypes.NewValue(v.Type(), nil), nil
		}
	})
	if err != nil {
		diags.AddError("Keep", err.Error())
		return
	}
	state.Raw = raw
	if isTags {
		ids := make(map[string]string, len(names.Elements()))
		for name := range names.Elements() {
			ids[name] = "urn:vmomi:InventoryServiceTag:00000000-0000-4000-8000-000000000000:" + name
		}
		diags.Append(state.SetAttribute(ctx, path.Root("ids"), ids)...)
	}
}
