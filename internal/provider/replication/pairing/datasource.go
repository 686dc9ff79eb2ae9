// Package pairing implements the data source vsla_replication_pairing, which returns the two sites of a pairing as the
// gateway reports them.
package pairing

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-vsla/internal/plan/quantity"
	"terraform-provider-vsla/internal/provider/kit/base"
	"terraform-provider-vsla/internal/provider/kit/connection"
	"terraform-provider-vsla/internal/provider/kit/explain"
	"terraform-provider-vsla/internal/provider/kit/types/attribute"
	"terraform-provider-vsla/internal/vr"
)

type model struct {
	ID         types.String `tfsdk:"id"`
	RemoteID   types.String `tfsdk:"remote_vcenter_id"`
	RemoteName types.String `tfsdk:"remote_vcenter_name"`
	Local      *site        `tfsdk:"local"`
	Remote     *site        `tfsdk:"remote"`
	Single     types.Bool   `tfsdk:"single_vcenter"`
	MinRPO     types.Int64  `tfsdk:"min_rpo_minutes"`
	MaxRPO     types.Int64  `tfsdk:"max_rpo_minutes"`
}

type site struct {
	VCenterID   string `tfsdk:"vcenter_id"`
	VCenterName string `tfsdk:"vcenter_name"`
	VCenterURL  string `tfsdk:"vcenter_url"`
	VRMSID      string `tfsdk:"vrms_id"`
	VRMSVersion string `tfsdk:"vrms_version"`
	Status      string `tfsdk:"status"`
}

// NewDataSource returns the data source vsla_replication_pairing.
func NewDataSource() datasource.DataSource {
	return base.NewDataSource("vsla_replication_pairing", describe, (*connection.Set).Replication, read)
}

func describe() schema.Schema {
	by := []path.Expression{
		path.MatchRoot("id"),
		path.MatchRoot("remote_vcenter_id"),
		path.MatchRoot("remote_vcenter_name"),
	}
	selector := func(doc string, others ...path.Expression) schema.StringAttribute {
		return attribute.OptionalComputedString(
			doc, stringvalidator.LengthAtLeast(1), stringvalidator.ConflictsWith(others...))
	}
	return schema.Schema{
		MarkdownDescription: "Returns a pairing of two vSphere Replication sites, by its ID or by the vCenter at the " +
			"remote site. If no argument is set, there must be exactly one pairing of two different vCenters, which " +
			"is returned. The local site is the site of the appliance in `replication.server` of the provider, " +
			"regardless of which site is protected.",
		Attributes: map[string]schema.Attribute{
			"id":                  selector("UUID of the pairing.", by[1], by[2]),
			"remote_vcenter_id":   selector("Instance UUID of the vCenter at the remote site.", by[0], by[2]),
			"remote_vcenter_name": selector("Name of the vCenter at the remote site.", by[0], by[1]),
			"local": siteSchema("Local site, which is the site of the appliance in " +
				"`replication.server`."),
			"remote":         siteSchema("Remote site."),
			"single_vcenter": attribute.Bool("Whether the pairing connects a vCenter with itself."),
			"min_rpo_minutes": attribute.Int64("Least RPO that the pairing supports, in minutes. Null if the release " +
				"does not report it. A VM can have a greater one."),
			"max_rpo_minutes": attribute.Int64("Greatest RPO that the pairing supports, in minutes. Null if the " +
				"release does not report it."),
		},
	}
}

func siteSchema(doc string) schema.SingleNestedAttribute {
	return schema.SingleNestedAttribute{
		MarkdownDescription: doc,
		Computed:            true,
		Attributes: map[string]schema.Attribute{
			"vcenter_id":   attribute.String("Instance UUID of the vCenter."),
			"vcenter_name": attribute.String("Name of the vCenter."),
			"vcenter_url":  attribute.String("URL of the vCenter."),
			"vrms_id":      attribute.String("UUID of the vSphere Replication management server."),
			"vrms_version": attribute.String("Version of the vSphere Replication management server."),
			"status": attribute.String("Status of the vCenter or of the management server, whichever is worse: `OK`, " +
				"`WARNING` or `ERROR`."),
		},
	}
}

// read fails unless exactly one pairing matches.
func read(ctx context.Context, c *vr.Client, config *model, diags *diag.Diagnostics) {
	id, at, err := find(ctx, c, *config)
	if err == nil {
		var p vr.Pairing
		p, err = c.Pairing(ctx, id)
		if err == nil {
			*config = newModel(p)
			config.addLimits(ctx, c, diags)
			return
		}
	}
	explain.Failure{Summary: "Unable to Read Replication Pairing", Attribute: at, Err: err}.AddTo(diags)
}

// addLimits sets the limits of the RPO. If they cannot be read, it adds a warning, because the sites are known.
func (m *model) addLimits(ctx context.Context, c *vr.Client, diags *diag.Diagnostics) {
	limits, err := c.RPOLimits(ctx, m.ID.ValueString())
	if err != nil {
		diags.AddWarning("Limits of the RPO Not Read", explain.Detail(err))
	}
	for to, minutes := range map[*types.Int64]int64{&m.MinRPO: limits.MinMinutes, &m.MaxRPO: limits.MaxMinutes} {
		*to = types.Int64Null()
		if minutes > 0 {
			*to = types.Int64Value(minutes)
		}
	}
}

// find returns the ID of the matching pairing. On error, it also returns the path of the invalid argument.
func find(ctx context.Context, c *vr.Client, config model) (string, *path.Path, error) {
	if !config.ID.IsNull() {
		at := path.Root("id")
		return config.ID.ValueString(), &at, nil
	}
	all, err := c.Pairings(ctx)
	if err != nil {
		return "", nil, err
	}
	wanted := "between two vCenters"
	at := (*path.Path)(nil)
	matches := func(p vr.Pairing) bool { return !p.IsSingleVCenter() }
	for name, field := range map[string]struct {
		value types.String
		of    func(vr.Site) string
	}{
		"remote_vcenter_id":   {config.RemoteID, func(s vr.Site) string { return s.VCenterID }},
		"remote_vcenter_name": {config.RemoteName, func(s vr.Site) string { return s.VCenterName }},
	} {
		if value := field.value.ValueString(); value != "" {
			p := path.Root(name)
			at = &p
			wanted = fmt.Sprintf("with %q", value)
			matches = func(p vr.Pairing) bool { return strings.EqualFold(field.of(p.Remote), value) }
		}
	}
	return pick(all, matches, wanted, at)
}

// pick returns the ID of the only matching pairing. If not exactly one pairing matches, the error lists all pairings.
func pick(all []vr.Pairing, matches func(vr.Pairing) bool, wanted string, at *path.Path) (string, *path.Path, error) {
	var found []vr.Pairing
	existing := make([]string, 0, len(all))
	for _, p := range all {
		existing = append(existing, fmt.Sprintf("%s with %s (%s)", p.ID, p.Remote.VCenterName, p.Remote.VCenterID))
		if matches(p) {
			found = append(found, p)
		}
	}
	list := quantity.List(existing, 10)
	switch {
	case len(all) == 0:
		return "", at, fmt.Errorf("%w: the gateway has no pairings", vr.ErrNotFound)
	case len(found) == 0:
		return "", at, fmt.Errorf("%w: no pairing %s; existing pairings: %s", vr.ErrNotFound, wanted, list)
	case len(found) > 1:
		return "", at, fmt.Errorf("%w: %d pairings %s; existing pairings: %s", errAmbiguous, len(found), wanted, list)
	}
	return found[0].ID, at, nil
}

var errAmbiguous = errors.New("set id, remote_vcenter_id or remote_vcenter_name")

func newModel(p vr.Pairing) model {
	local := site(p.Local)
	remote := site(p.Remote)
	return model{
		ID:         types.StringValue(p.ID),
		RemoteID:   types.StringValue(p.Remote.VCenterID),
		RemoteName: types.StringValue(p.Remote.VCenterName),
		Local:      &local,
		Remote:     &remote,
		Single:     types.BoolValue(p.IsSingleVCenter()),
	}
}
