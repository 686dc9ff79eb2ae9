package history

import (
	"fmt"
	"maps"

	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-vsla/internal/estate/eventlog"
	"terraform-provider-vsla/internal/plan/history"
	"terraform-provider-vsla/internal/plan/replication"
	"terraform-provider-vsla/internal/provider/kit/period"
	"terraform-provider-vsla/internal/provider/kit/types/attribute"
)

const description = "Returns measurements of the past replication of VMs, from the event log of vCenter. The events " +
	"include every sync with its size, and the start and end of every RPO violation. The results are the compliance " +
	"for the period, and change rates that can be used as inputs for `vsla_sla_plan` and " +
	"`vsla_replication_estimate`.\n\n" +
	"**Missing events never count as compliance.** For each VM, the known time starts with its first event and lasts " +
	"as long as the gaps between events do not exceed 1.1 times the RPO plus one minute. The time of a violation is " +
	"also known. All other time counts as unknown and is added to `unknown_minutes`. Examples are the time before " +
	"the first event, gaps in the log, events that vCenter has deleted (after 30 days by default), and violations " +
	"whose start or end is missing. If no time is known, `compliance_percent` is null.\n\n" +
	eventlog.Unverified + "\n\n" +
	"A read takes one request per 1,000 events, plus a few more. For up to 16 VMs, the provider reads the events of " +
	"each VM separately, because vCenter can filter by only one object. For more VMs, it reads the events of all VMs " +
	"in the vCenter, if the account can read every object and if this takes fewer requests. For example, 3,200 VMs " +
	"with an RPO of 15 minutes generate 9 million events in 30 days. The provider estimates the duration of the read " +
	"after each page and logs the estimate. The read fails if the estimate exceeds `read_minutes_max`. Memory use " +
	"does not depend on the number of events. Each plan reads the events again, so the results change over time."

func describe() schema.Schema {
	ofVM := map[string]schema.Attribute{
		"name": attribute.String("Name of the VM."),
		"rpo_minutes": attribute.Float64("RPO of the VM, in minutes: `hbr_filter.rpo` in the extra configuration of " +
			"the VM, or else the argument `rpo_minutes`. Null if neither is set. This is the current RPO. vSphere " +
			"Replication reported the violations under the RPO of that time, but gaps are detected with the current " +
			"RPO."),
	}
	maps.Copy(ofVM, resultAttributes())
	return schema.Schema{
		MarkdownDescription: description,
		Attributes: map[string]schema.Attribute{
			"vm_ids": attribute.OptionalStringList("Managed object IDs of the VMs, in any order. An unknown ID "+
				"causes an error. Specify either this or "+
				"`tag_id`.", listvalidator.ValueStringsAre(stringvalidator.LengthAtLeast(1)),
				listvalidator.ExactlyOneOf(path.MatchRoot("tag_id"))),
			"tag_id": attribute.OptionalString("ID of a tag, for example of a tier. All VMs with this tag are "+
				"measured.",
				stringvalidator.LengthAtLeast(1)),
			"lookback_hours": attribute.OptionalComputedFloat64(history.RangeLookbackHours,
				"Length of the period before the current time of vCenter, in hours. Defaults to `720` (30 days)."),
			"rpo_minutes": attribute.OptionalFloat64(replication.RangeRPOMinutes,
				"RPO of VMs that have no RPO in their extra configuration, in minutes. If not set, all time of these "+
					"VMs is unknown."),
			"read_minutes_max": attribute.OptionalComputedFloat64(
				eventlog.RangeReadMinutes,
				fmt.Sprintf("Maximum estimated time to read the event log, in minutes. Defaults to `%v`.",
					eventlog.DefaultReadMinutes),
			),
			"vm_details": attribute.OptionalComputedBool("Whether to return `virtual_machines`. Set this to `false` " +
				"to reduce the size of the state for thousands of VMs. Defaults to `true`."),
			"from": attribute.String("Start of the period, by the clock of vCenter, in RFC 3339 format and " +
				"UTC."),
			"to":          attribute.String("End of the period, in RFC 3339 format and UTC."),
			"event_count": attribute.Int64("Number of events that vCenter returned, including events of other VMs."),
			"total": attribute.Object("Results for all VMs. Minutes are summed over the "+
				"VMs.", resultAttributes()),
			"virtual_machines": attribute.Objects("Results for each VM, by managed object ID. Null if `vm_details` is "+
				"`false`.", ofVM),
			"days": period.DaysAttribute(),
		},
	}
}

const docQuantile = " Nearest-rank method, accurate to 1%. Null without a measurement."

func resultAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"size_gib": attribute.Float64("Used storage, in GiB (2^30 bytes). Same as `used_gib` of " +
			"`vsla_virtual_machines`. `0` if unknown."),
		"delta_syncs":              attribute.Int64("Number of delta syncs (`hbr.primary.DeltaCompletedEvent`)."),
		"app_quiesced_delta_syncs": attribute.Int64("Number of delta syncs with application quiescing."),
		"fs_quiesced_delta_syncs":  attribute.Int64("Number of delta syncs with file system quiescing."),
		"unquiesced_delta_syncs": attribute.Int64("Number of crash-consistent delta syncs, after quiescing failed or " +
			"while the VM was powered off (`hbr.primary.UnquiescedDeltaCompletedEvent`)."),
		"full_syncs": attribute.Int64("Number of full syncs, including initial syncs."),
		"transferred_gib": attribute.Float64("Data transferred by all syncs, in GiB. vSphere Replication does not " +
			"document whether this is the size before or after compression."),
		"median_delta_gib": attribute.Float64("Median size of a delta sync, in GiB." + docQuantile),
		"p95_delta_gib":    attribute.Float64("95th percentile of the size of a delta sync, in GiB." + docQuantile),
		"median_interval_minutes": attribute.Float64("Median time between the ends of two consecutive delta syncs, " +
			"in minutes." + docQuantile),
		"p95_interval_minutes": attribute.Float64("95th percentile of the time between the ends of two consecutive " +
			"delta syncs, in minutes." + docQuantile),
		"median_lateness_minutes": attribute.Float64("Median duration of a completed violation, in minutes. This is " +
			"the delay of the sync." + docQuantile),
		"p95_lateness_minutes": attribute.Float64("95th percentile of the duration of a completed violation, in " +
			"minutes." + docQuantile),
		"violations": attribute.Int64("Number of violations that started in the period, or that ended in it without " +
			"a known start. Repeated events of one violation count once."),
		"interruptions": attribute.Int64("Number of events that explain missing syncs: aborted deltas, syncs that " +
			"could not start, pauses by the system, and changes of the configuration. They do not add known time."),
		"violation_minutes":  attribute.Float64("Time in violation of the RPO, in minutes."),
		"known_minutes":      attribute.Float64("Time for which it is known whether the RPO was met, in minutes."),
		"unknown_minutes":    attribute.Float64("Time for which it is unknown whether the RPO was met, in minutes."),
		"compliance_percent": attribute.Float64(period.DocCompliance),
		"daily_change_gib": attribute.Float64("Data transferred by delta syncs per day, in GiB, based on the time " +
			"between the syncs. Null without two consecutive delta syncs. This is the change at the measured sync " +
			"intervals: a block that is written several times between two syncs counts once."),
		"daily_change_percent": attribute.Float64("`daily_change_gib` as a percentage of `size_gib`. Null if " +
			"`size_gib` is 0."),
		"hourly_weights": schema.ListAttribute{
			MarkdownDescription: "Distribution of the change over the 24 hours of a day from midnight UTC, with a " +
				"mean of 1, for `hourly_weights` of `vsla_sla_plan`. Null if any hour was not measured.",
			ElementType: types.Float64Type,
			Computed:    true,
		},
		"change_curve": schema.MapAttribute{
			MarkdownDescription: "Change of one VM in GiB, by interval length in minutes, for `change_curve` of " +
				"`vsla_sla_plan` and `vsla_replication_estimate`. Contains one point for each interval length with " +
				"at least 3 syncs. If all intervals are similar, it has a single point, and change is proportional " +
				"to time. Null if there is no point.",
			ElementType: types.Float64Type,
			Computed:    true,
		},
	}
}
