// Package link implements the data source vsla_replication_link, which returns the appliance's own measurements of the
// link between clusters of two sites.
package link

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

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
	PairingID  types.String `tfsdk:"pairing_id"`
	SourceID   types.String `tfsdk:"source_cluster_id"`
	TargetID   types.String `tfsdk:"target_cluster_id"`
	Mappings   []mapping    `tfsdk:"mappings"`
	Throughput *float64     `tfsdk:"min_throughput_mbps"`
	Latency    *float64     `tfsdk:"max_latency_ms"`
	MeasuredAt types.String `tfsdk:"measured_at"`
	AgeDays    *float64     `tfsdk:"age_days"`
	Assumed    []string     `tfsdk:"assumed"`
	Summary    types.String `tfsdk:"summary"`
}

type mapping struct {
	SourceID       string       `tfsdk:"source_cluster_id"`
	SourceName     string       `tfsdk:"source_cluster_name"`
	TargetID       string       `tfsdk:"target_cluster_id"`
	TargetName     string       `tfsdk:"target_cluster_name"`
	Status         string       `tfsdk:"status"`
	Throughput     *float64     `tfsdk:"min_throughput_mbps"`
	Latency        *float64     `tfsdk:"max_latency_ms"`
	ThroughputText types.String `tfsdk:"reported_throughput"`
	LatencyText    types.String `tfsdk:"reported_latency"`
	MeasuredAt     types.String `tfsdk:"measured_at"`
}

// NewDataSource returns the data source vsla_replication_link.
func NewDataSource() datasource.DataSource {
	return base.NewDataSource("vsla_replication_link", describe, (*connection.Set).Replication, read)
}

func describe() schema.Schema {
	cluster := func(site string) schema.StringAttribute {
		return attribute.OptionalString("Managed object ID of a cluster at the "+site+" site, such as `domain-c8`. By "+
			"default, the mappings of all clusters are returned.", stringvalidator.LengthAtLeast(1))
	}
	throughput := attribute.Float64("Least throughput of the last test, in Mbit/s. Null if it was not measured, or " +
		"if the appliance reports an unknown unit.")
	latency := attribute.Float64("Greatest latency of the last test, in milliseconds. Null if it was not measured, " +
		"or if the appliance reports an unknown unit.")
	const measured = "End of the last test, in RFC 3339 format. Null without a test."
	return schema.Schema{
		MarkdownDescription: "Returns the replication mappings between the clusters of two sites, with the " +
			"throughput and the latency that the appliance measured. A read starts no test. The action " +
			"`vsla_replication_link_test` does. Requires a release of vSphere Replication with replication " +
			"mappings.\n\nThis data source has not been tested against a real appliance. The API lists no words for " +
			"the units, so words that `parse_rate_mbps` knows are accepted and listed in `assumed`.",
		Attributes: map[string]schema.Attribute{
			"pairing_id":        attribute.RequiredString("UUID of the pairing.", attribute.IsUUID),
			"source_cluster_id": cluster("protected"),
			"target_cluster_id": cluster("recovery"),
			"mappings": attribute.ObjectList("Mappings, sorted by source and target.", map[string]schema.Attribute{
				"source_cluster_id":   attribute.String("ID of the source cluster."),
				"source_cluster_name": attribute.String("Name of the source cluster."),
				"target_cluster_id":   attribute.String("ID of the target cluster."),
				"target_cluster_name": attribute.String("Name of the target cluster."),
				"status":              attribute.String("`OK`, `IN_PROGRESS`, `WARNING`, `ERROR` or `NA`."),
				"min_throughput_mbps": throughput,
				"max_latency_ms":      latency,
				"reported_throughput": attribute.String("Throughput as the appliance reports it."),
				"reported_latency":    attribute.String("Latency as the appliance reports it."),
				"measured_at":         attribute.String(measured),
			}),
			"min_throughput_mbps": attribute.Float64("Least throughput of all mappings, in Mbit/s. Null if that of " +
				"one of them is null."),
			"max_latency_ms": attribute.Float64("Greatest latency of all mappings, in milliseconds. Null if that of " +
				"one of them is null."),
			"measured_at": attribute.String("End of the oldest test. Null if one of the mappings was not tested."),
			"age_days":    attribute.Float64("Age of the oldest test at the time of the read, in days."),
			"assumed": attribute.StringList("Assumptions about the measurements, because the API does not " +
				"document them."),
			"summary": attribute.String("Summary of the measurements."),
		},
	}
}

// read lists the mappings. Without a mapping between the clusters, it adds an error.
func read(ctx context.Context, c *vr.Client, config *model, diags *diag.Diagnostics) {
	all, err := Find(
		ctx,
		c,
		config.PairingID.ValueString(),
		config.SourceID.ValueString(),
		config.TargetID.ValueString(),
	)
	if err != nil {
		explain.AddAttributeError(diags, path.Root("pairing_id"), "Unable to Read Replication Link", "", err)
		return
	}
	config.Mappings = nil
	config.Assumed = []string{}
	var oldest time.Time
	complete := true
	for _, m := range all {
		row, assumed := rowOf(m)
		config.Mappings = append(config.Mappings, row)
		for _, text := range assumed {
			if !slices.Contains(config.Assumed, text) {
				config.Assumed = append(config.Assumed, text)
			}
		}
		complete = complete && !m.TestedAt.IsZero()
		if oldest.IsZero() || m.TestedAt.Before(oldest) {
			oldest = m.TestedAt
		}
	}
	config.Throughput = extreme(config.Mappings, func(m mapping) *float64 { return m.Throughput }, slices.Min)
	config.Latency = extreme(config.Mappings, func(m mapping) *float64 { return m.Latency }, slices.Max)
	config.MeasuredAt = types.StringNull()
	if complete {
		age := c.Now().Sub(oldest).Hours() / 24
		config.MeasuredAt = timeValue(oldest)
		config.AgeDays = &age
	}
	config.Summary = types.StringValue(config.summary())
}

// Find returns the mappings between two clusters, or all mappings if the IDs are empty.
func Find(ctx context.Context, c *vr.Client, pairing, source, target string) ([]vr.Mapping, error) {
	p, err := c.Pairing(ctx, pairing)
	if err != nil {
		return nil, err
	}
	all, err := c.Mappings(ctx, pairing, p.Local.VRMSID)
	if err != nil {
		return nil, err
	}
	existing := make([]string, 0, len(all))
	var found []vr.Mapping
	for _, m := range all {
		existing = append(existing, m.SourceID+" to "+m.TargetID)
		if vr.HasObject(m.SourceID, source) && vr.HasObject(m.TargetID, target) {
			found = append(found, m)
		}
	}
	if len(found) == 0 {
		return nil, fmt.Errorf(
			"%w: no replication mapping between these clusters; existing mappings: %s",
			vr.ErrNotFound,
			quantity.List(existing, 10),
		)
	}
	return found, nil
}

func rowOf(m vr.Mapping) (row mapping, assumed []string) {
	row = mapping{
		SourceID:       m.SourceID,
		SourceName:     m.SourceName,
		TargetID:       m.TargetID,
		TargetName:     m.TargetName,
		Status:         m.Status,
		MeasuredAt:     timeValue(m.TestedAt),
		ThroughputText: textOf(m.Throughput, m.ThroughputUnits),
		LatencyText:    textOf(m.Latency, m.LatencyUnits),
	}
	if rate, err := quantity.ParseRate(row.ThroughputText.ValueString()); m.Throughput != nil && err == nil {
		mbps := rate.Mbps()
		row.Throughput = &mbps
		assumed = append(assumed, fmt.Sprintf("The throughput unit %q has its usual meaning.", m.ThroughputUnits))
	}
	if m.Latency != nil {
		if d, err := time.ParseDuration(strconv.FormatInt(*m.Latency, 10) + m.LatencyUnits); err == nil {
			ms := float64(d) / float64(time.Millisecond)
			row.Latency = &ms
			assumed = append(assumed, fmt.Sprintf("The latency unit %q has its usual meaning.", m.LatencyUnits))
		}
	}
	if !m.TestedAt.IsZero() {
		assumed = append(assumed, "Times of tests are counted from the Unix epoch.")
	}
	return row, assumed
}

func textOf(value *int64, unit string) types.String {
	if value == nil {
		return types.StringNull()
	}
	return types.StringValue(fmt.Sprintf("%d %s", *value, unit))
}

func timeValue(t time.Time) types.String {
	if t.IsZero() {
		return types.StringNull()
	}
	return types.StringValue(t.UTC().Format(time.RFC3339))
}

// extreme returns the least or greatest value, or nil if a value is missing.
func extreme(all []mapping, of func(mapping) *float64, pick func([]float64) float64) *float64 {
	values := make([]float64, 0, len(all))
	for _, m := range all {
		v := of(m)
		if v == nil {
			return nil
		}
		values = append(values, *v)
	}
	result := pick(values)
	return &result
}

func (m model) summary() string {
	text := fmt.Sprintf("%d replication mappings: throughput ", len(m.Mappings))
	if len(m.Mappings) == 1 {
		text = "1 replication mapping: throughput "
	}
	if m.Throughput == nil {
		return text + "not measured, or reported in an unknown unit. The action vsla_replication_link_test measures it."
	}
	return text + fmt.Sprintf("at least %g Mbit/s, measured %.0f days ago.", *m.Throughput, *m.AgeDays)
}
