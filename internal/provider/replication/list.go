package replication

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/list/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
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
		MarkdownDescription: "Replications of a pairing, incoming and outgoing, for `terraform query` (Terraform 1.14 " +
			"and later). Sorted by id; `limit` of the list block is 100 unless it is set.",
		Attributes: map[string]schema.Attribute{
			"pairing_id": schema.StringAttribute{
				MarkdownDescription: "UUID of the pairing.",
				Required:            true,
				Validators:          []validator.String{attribute.IsUUID},
			},
			"source_vcenter_id": schema.StringAttribute{
				MarkdownDescription: "Only those of VMs of this vCenter, by its instance UUID.",
				Optional:            true,
				Validators:          []validator.String{stringvalidator.LengthAtLeast(1)},
			},
			"name_regex": schema.StringAttribute{
				MarkdownDescription: "Only those whose name matches this regular expression (Go syntax) anywhere.",
				Optional:            true,
				Validators:          []validator.String{attribute.Regex()},
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
			"The value does not compile: "+err.Error()+".")
		stream.Results = list.ListResultsStreamDiagnostics(diags)
		return
	}
	stream.Results = func(push func(list.ListResult) bool) {
		sent := int64(0)
		for _, r := range all {
			source := config.SourceID.ValueString()
			if (source != "" && source != r.SourceVCenterID) || !name.MatchString(r.Name) {
				continue
			}
			if (req.Limit > 0 && sent >= req.Limit) || !push(result(ctx, c, req, pairing, r)) {
				return
			}
			sent++
		}
	}
}

func result(ctx context.Context, c *vr.Client, req list.ListRequest, pairing string, r vr.Replication) list.ListResult {
	found := req.NewListResult(ctx)
	found.DisplayName = r.Name
	m := blank(pairing, r.ID)
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

// ImportState imports "<pairing>/<replication>", "<pairing>/VirtualMachine:…" or an identity.
func (r *replicationResource) ImportState(
	ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse,
) {
	var id identity
	if req.ID == "" && req.Identity != nil {
		resp.Diagnostics.Append(req.Identity.Get(ctx, &id)...)
	}
	pairing, replication, ok := id.PairingID.ValueString(), id.ReplicationID.ValueString(), true
	if req.ID != "" {
		pairing, replication, ok = splitID(req.ID)
	}
	c := r.Clients.Replication(&resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	if !ok || !attribute.UUID.MatchString(pairing) || replication == "" {
		resp.Diagnostics.AddError(
			"Invalid Import Id",
			fmt.Sprintf(
				"The id must be <pairing UUID>/<replication id> or "+
					"<pairing UUID>/VirtualMachine:<managed object id>:<vCenter UUID>, got %q.",
				req.ID,
			),
		)
		return
	}
	if strings.HasPrefix(replication, "VirtualMachine:") {
		of, err := c.Replications(ctx, pairing, replication, vr.Shared)
		switch {
		case err == nil && len(of) == 0:
			err = fmt.Errorf("VM %s has no replication in this pairing: %w", replication, vr.ErrNotFound)
		case err == nil && len(of) > 1:
			err = fmt.Errorf("VM %s has %d replications; import one by its id: %w", replication, len(of), vr.ErrAmbiguous)
		}
		if err != nil {
			failure("Import", blank(pairing, replication), err).AddTo(&resp.Diagnostics)
			return
		}
		replication = of[0].ID
	}
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("pairing_id"), pairing)...)
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("replication_id"), replication)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, blank(pairing, replication).identity())...)
}
