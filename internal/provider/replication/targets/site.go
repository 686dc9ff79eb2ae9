package targets

import (
	"context"
	"errors"

	"github.com/hashicorp/terraform-plugin-framework-validators/setvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-vsla/internal/provider/kit/explain"
	"terraform-provider-vsla/internal/provider/kit/types/attribute"
	"terraform-provider-vsla/internal/vr"
)

type model struct {
	selection

	Read          []string     `tfsdk:"read"`
	DatastoreName types.String `tfsdk:"datastore_name"`
	Accessible    types.Bool   `tfsdk:"accessible_only"`
	Datastores    []datastore  `tfsdk:"datastores"`
	Servers       []server     `tfsdk:"servers"`
	Policies      []policy     `tfsdk:"storage_policies"`
}

// NewSite returns the data source vsla_replication_site.
func NewSite() datasource.DataSource {
	return newDataSource("vsla_replication_site", siteSummary, siteSchema, readSite)
}

const siteSummary = "Unable to Read Replication Site"

// Names of the lists.
const (
	datastores = "datastores"
	servers    = "servers"
	policies   = "storage_policies"
)

func siteSchema() schema.Schema {
	return schema.Schema{
		MarkdownDescription: "Returns what a site offers to replications: target datastores, replication servers and " +
			"storage policies. Only the lists in `read` are read. The others are null.",
		Attributes: map[string]schema.Attribute{
			"pairing_id": attribute.RequiredString("UUID of the pairing.", stringvalidator.LengthAtLeast(1)),
			"vcenter_id": attribute.OptionalComputedString("Instance UUID of the vCenter of the site. Defaults to " +
				"the vCenter of the remote site (`remote` of `vsla_replication_pairing`)."),
			"read": schema.SetAttribute{
				MarkdownDescription: "Lists to read: `datastores`, `servers` and `storage_policies`. Defaults to " +
					"`[\"datastores\"]`. If the account may not read one of several lists, that list is null, with a " +
					"warning.",
				Optional:    true,
				ElementType: types.StringType,
				Validators: []validator.Set{
					setvalidator.SizeAtLeast(1),
					setvalidator.ValueStringsAre(stringvalidator.OneOf(datastores, servers, policies)),
				},
			},
			"datastore_name": attribute.OptionalString("Only return datastores with this name."),
			"accessible_only": attribute.OptionalBool("Whether to return only accessible datastores. Defaults to " +
				"`false`."),
			datastores: attribute.ObjectList("Datastores and datastore clusters that can be the target of a "+
				"replication, sorted by ID. Includes inaccessible ones unless `accessible_only` is "+
				"`true`.", datastoreAttributes()),
			servers: attribute.ObjectList("Replication servers, which receive the data of replications, sorted by ID.",
				serverAttributes()),
			policies: attribute.ObjectList("Storage policies, sorted by ID.", policyAttributes()),
		},
	}
}

func readSite(ctx context.Context, c *vr.Client, config *model, diags *diag.Diagnostics) error {
	site, err := config.site(ctx, c)
	if err != nil {
		return err
	}
	lists := config.Read
	if lists == nil {
		lists = []string{datastores}
	}
	for _, name := range lists {
		read := map[string]func(context.Context, *vr.Client, vr.Site, *diag.Diagnostics) error{
			datastores: config.readDatastores,
			servers:    config.readServers,
			policies:   config.readPolicies,
		}[name]
		err := read(ctx, c, site, diags)
		switch {
		case err != nil && len(lists) > 1 && errors.Is(err, vr.ErrPermission):
			diags.AddAttributeWarning(path.Root("read"), "No Permission to Read "+name,
				"The attribute "+name+" is null. "+explain.Detail(err))
		case err != nil:
			return err
		}
	}
	return nil
}
