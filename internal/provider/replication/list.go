package replication

import (
	"context"
	"regexp"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/list/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-vsla/internal/provider/kit/base"
	"terraform-provider-vsla/internal/provider/kit/types/attribute"
	"terraform-provider-vsla/internal/vr"
)

type replicationList struct{ replicationResource }

// NewListResource returns the list resource vsla_replication.
func NewListResource() list.ListResource {
	return &replicationList{replicationResource{base.Resource{TypeName: typeName}}}
}

// ListResourceConfigSchema sets the schema of the list block.
func (l *replicationList) ListResourceConfigSchema(
	_ context.Context, _ list.ListResourceSchemaRequest, resp *list.ListResourceSchemaResponse,
) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Lists the incoming and outgoing replications of a pairing, sorted by ID, for " +
			"`terraform query`. Requires Terraform 1.14 or later. Returns at most 100 results unless the list block " +
			"sets `limit`.",
		Attributes: map[string]schema.Attribute{
			"pairing_id": schema.StringAttribute{
				MarkdownDescription: "UUID of the pairing.",
				Required:            true,
				Validators:          []validator.String{attribute.IsUUID},
			},
			"source_vcenter_id": schema.StringAttribute{
				MarkdownDescription: "Only list replications of VMs in the vCenter with this instance UUID.",
				Optional:            true,
				Validators:          []validator.String{stringvalidator.LengthAtLeast(1)},
			},
			"name_regex": schema.StringAttribute{
				MarkdownDescription: "Only list replications whose name matches this regular expression (Go syntax). " +
					"The expression is not anchored.",
				Optional:   true,
				Validators: []validator.String{attribute.Regex()},
			},
		},
	}
}

// List streams the replications.
func (l *replicationList) List(ctx context.Context, req list.ListRequest, stream *list.ListResultsStream) {
	var config struct {
		PairingID types.String `tfsdk:"pairing_id"`
		SourceID  types.String `tfsdk:"source_vcenter_id"`
		NameRegex types.String `tfsdk:"name_regex"`
	}
	var diags diag.Diagnostics
	diags.Append(req.Config.Get(ctx, &config)...)
	c := l.Clients.Replication(&diags)
	if diags.HasError() {
		stream.Results = list.ListResultsStreamDiagnostics(diags)
		return
	}
	pairing := config.PairingID.ValueString()
	all, err := c.Replications(ctx, pairing, vr.AnyVM, vr.Shared)
	if err != nil {
		f := failure("List", model{}, err)
		f.Summary = "Unable to List Replications"
		f.AddTo(&diags)
		stream.Results = list.ListResultsStreamDiagnostics(diags)
		return
	}
	name, err := regexp.Compile(config.NameRegex.ValueString())
	if err != nil {
		diags.AddAttributeError(path.Root("name_regex"), "Invalid Regular Expression",
			"The value is not a valid regular expression: "+err.Error()+".")
		stream.Results = list.ListResultsStreamDiagnostics(diags)
		return
	}
	stream.Results = func(push func(list.ListResult) bool) {
		sent := int64(0)
		for _, r := range all {
			source := config.SourceID.ValueString()
			isFromSource := source == "" || source == r.SourceVCenterID
			if !isFromSource || !name.MatchString(r.Name) {
				continue
			}
			isFull := req.Limit > 0 && sent >= req.Limit
			if isFull || !push(listResult(ctx, c, req, pairing, r)) {
				return
			}
			sent++
		}
	}
}

func listResult(
	ctx context.Context, c *vr.Client, req list.ListRequest, pairing string, r vr.Replication,
) list.ListResult {
	found := req.NewListResult(ctx)
	found.DisplayName = r.Name
	m := newImported(pairing, r.ID)
	found.Diagnostics.Append(found.Identity.Set(ctx, m.identity())...)
	if !req.IncludeResource {
		return found
	}
	got, err := refresh(ctx, c, m, r, false, &found.Diagnostics)
	if err != nil {
		failure("Read", got, err).AddTo(&found.Diagnostics)
		return found
	}
	found.Diagnostics.Append(found.Resource.Set(ctx, got)...)
	return found
}
