// Package clusterpairs implements the data source vsla_cluster_pairs, which lists the clusters to which a cluster can
// be replicated.
package clusterpairs

import (
	"context"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-vsla/internal/provider/kit/base"
	"terraform-provider-vsla/internal/provider/kit/connection"
	"terraform-provider-vsla/internal/provider/kit/explain"
	"terraform-provider-vsla/internal/provider/kit/types/attribute"
	"terraform-provider-vsla/internal/provider/protection/membership"
	"terraform-provider-vsla/internal/snapservice"
)

type model struct {
	ClusterID types.String         `tfsdk:"cluster_id"`
	IDs       map[string]string    `tfsdk:"ids"`
	Pairs     map[string]pairModel `tfsdk:"pairs"`
}

type pairModel struct {
	PeerClusterID   string       `tfsdk:"peer_cluster_id"`
	PeerClusterName string       `tfsdk:"peer_cluster_name"`
	PeerVCenterID   string       `tfsdk:"peer_vcenter_id"`
	PeerSiteID      string       `tfsdk:"peer_site_id"`
	Status          string       `tfsdk:"status"`
	Reasons         []string     `tfsdk:"reasons"`
	LicenseMode     types.String `tfsdk:"licence_mode"`
}

// NewDataSource returns the data source vsla_cluster_pairs.
func NewDataSource() datasource.DataSource {
	return base.NewDataSource("vsla_cluster_pairs", describe, (*connection.Set).Protection, read)
}

func describe() schema.Schema {
	return schema.Schema{
		MarkdownDescription: "Returns the cluster pairs of a cluster in vSAN Data Protection. The protection groups " +
			"of the cluster can replicate to the peer clusters. Administrators of the two sites create the pairs. " +
			"Requires the privilege `Site.View` of the snapshot service.",
		Attributes: map[string]schema.Attribute{
			"cluster_id": attribute.RequiredString("Managed object ID of the local cluster, such as `domain-c8`.",
				stringvalidator.LengthAtLeast(1)),
			"ids": attribute.StringMap("IDs of the cluster pairs, by name of the peer cluster. Two peer clusters " +
				"with the same name cause an error."),
			"pairs": attribute.Objects("Cluster pairs, by ID.", map[string]schema.Attribute{
				"peer_cluster_id":   attribute.String("Managed object ID of the peer cluster in its vCenter."),
				"peer_cluster_name": attribute.String("Name of the peer cluster."),
				"peer_vcenter_id":   attribute.String("Instance UUID of the vCenter of the peer cluster."),
				"peer_site_id":      attribute.String("ID of the site of the peer cluster."),
				"status":            attribute.String("Connection status of the clusters: `OK`, `WARNING` or `ERROR`."),
				"reasons": attribute.StringList("Error and warning messages of the pair, as reported by " +
					"the appliance."),
				"licence_mode": attribute.String("Modes of the licenses of the peer site, separated by commas, such " +
					"as `OPERATIONAL`, `DEGRADED` or `SUSPENDED`. `none` if there is no license, in which case " +
					"replication is not supported. Null if the licenses cannot be read."),
			}),
		},
	}
}

func read(ctx context.Context, c *snapservice.Client, config *model, diags *diag.Diagnostics) {
	pairs, err := c.Pairs(ctx, config.ClusterID.ValueString())
	if err != nil {
		explain.AddAttributeError(diags, path.Root("cluster_id"), "Unable to List Cluster Pairs", "", err)
		return
	}
	membership.WarnConnection(ctx, c, diags)
	config.IDs = make(map[string]string, len(pairs))
	config.Pairs = make(map[string]pairModel, len(pairs))
	for _, p := range pairs {
		name := snapservice.Printable(p.Peer.ClusterName)
		if other, twice := config.IDs[name]; twice {
			diags.AddAttributeError(path.Root("ids"), "Duplicate Peer Cluster Name", fmt.Sprintf(
				"Cluster pairs %s and %s have different peer clusters with the name %q. Rename one of the "+
					"clusters.", other, p.ID, name))
			return
		}
		config.IDs[name] = p.ID
		config.Pairs[p.ID] = pairModel{
			PeerClusterID:   p.Peer.ClusterID,
			PeerClusterName: name,
			PeerVCenterID:   p.Peer.VCenterID,
			PeerSiteID:      p.Peer.SiteID,
			Status:          p.Status,
			Reasons:         snapservice.Texts(p.Errors, p.Warnings),
			LicenseMode:     licenseMode(ctx, c, p.Peer.SiteID, diags),
		}
	}
}

func licenseMode(ctx context.Context, c *snapservice.Client, site string, diags *diag.Diagnostics) types.String {
	modes, err := c.LicenseModes(ctx, site)
	if err != nil {
		diags.AddWarning("Licenses Not Read", "The licenses of the peer site cannot be read, so licence_mode is "+
			"null.\n\n"+
			explain.Detail(err))
		return types.StringNull()
	}
	if len(modes) == 0 {
		return types.StringValue("none")
	}
	return types.StringValue(strings.Join(modes, ", "))
}
