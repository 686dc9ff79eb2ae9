package changerates

import (
	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-vsla/internal/plan/changerate"
	"terraform-provider-vsla/internal/provider/kit/types/attribute"
)

const description = "Returns write rates of VMs from the performance statistics of vCenter, to estimate change " +
	"rates. **Writes are an upper bound of changed data**, because a block that is written ten times between two " +
	"syncs is sent only once. `coalescing_factor` is the fraction of the written data that must be sent. vCenter " +
	"cannot measure it. The guide *Change rates* explains how to determine it from changed-block tracking or from " +
	"the traffic of a replication appliance.\n\n" +
	"The counter is `virtualDisk.write.average`, summed over the virtual disks of a VM. If vCenter does not store " +
	"it, `disk.write.average` of the VM is used instead. Hosts store 20-second samples of every counter for one " +
	"hour. vCenter stores this counter for longer intervals only at statistics level 2 or higher. At the default " +
	"level 1, requesting a longer interval is an error.\n\n" +
	"Values change over time. Round or pin them if plans must not change. A read takes a few requests, plus one per " +
	"64 VMs (256 for real-time statistics)."

func describe() schema.Schema {
	return schema.Schema{
		MarkdownDescription: description,
		Attributes: map[string]schema.Attribute{
			"vm_ids": attribute.RequiredStringList("Managed object IDs of the VMs, in any order. Missing VMs cause "+
				"an error.",
				listvalidator.ValueStringsAre(stringvalidator.LengthAtLeast(1))),
			"interval_seconds": attribute.OptionalComputedInt64("Sample interval, in seconds. Must be 20 (real "+
				"time), 300, 1800, 7200 or 86400. A sample is the mean over its interval, so shorter peaks are not "+
				"visible. Defaults to `300`.",
				int64validator.OneOf(changerate.Intervals()...)),
			"lookback_hours": attribute.OptionalComputedFloat64(
				changerate.RangeLookbackHours,
				"Length of the period before the current time, in hours. An error if it is longer than the retention "+
					"in vCenter. Defaults to the default retention of the interval: 1 hour for 20 seconds, 24 for "+
					"300, 168 for 1800, 720 for 7200 and 8760 for 86400.",
			),
			"coalescing_factor": attribute.OptionalComputedFloat64(
				changerate.RangeCoalescingFactor,
				"Fraction of the written data that must be sent, because blocks that are written repeatedly between "+
					"two syncs count once. Scales only `daily_change_gib`, `daily_change_percent` and their totals. "+
					"The longer the RPO, the smaller the factor. Determine it by comparing writes with changed-block "+
					"tracking. Defaults to `1`, which counts every write as a change.",
			),
			"size_basis": attribute.OptionalComputedString("Reference size of `daily_change_percent`. `used` is the "+
				"used storage (`used_gib` of `vsla_virtual_machines`). `disk` is the capacity of the virtual disks "+
				"(`disk_gib` of `vsla_virtual_machines`) and requires reading the device lists of the VMs. Use the "+
				"same size as for `vm_size_gib` in `vsla_replication_estimate`. Defaults to `used`.",
				stringvalidator.OneOf(basisUsed, basisDisk)),
			"vm_hourly_weights": attribute.OptionalBool("Whether `virtual_machines` contains `hourly_weights`. Set " +
				"this to `false` to reduce the size of the state for a large vCenter. Does not affect " +
				"`total_hourly_weights`. Defaults to `true`."),
			"counter": attribute.String("Name of the counter. `disk.write.average` does not include disks on NFS and " +
				"vSAN. Null without VMs."),
			"virtual_machines": vmsAttribute(),
			"without_statistics": attribute.StringList("Managed object IDs of VMs without samples, sorted. These are " +
				"VMs that are powered off, inaccessible or new, and templates. They are excluded from the totals and " +
				"listed in a warning."),
			"total_mean_write_mbps": attribute.Float64("Sum of the mean rates, in Mbit/s."),
			"total_p95_write_mbps": attribute.Float64(
				"95th percentile of the combined write rate of all VMs, in Mbit/s. An upper bound of their load on a " +
					"shared link. Usually less than the sum of the VMs' own percentiles. Missing samples of a VM are " +
					"replaced by its mean.",
			),
			"total_peak_write_mbps":  attribute.Float64("Maximum of the combined write rate of all VMs, in Mbit/s."),
			"total_daily_write_gib":  attribute.Float64("Sum of `daily_write_gib`, in GiB."),
			"total_daily_change_gib": attribute.Float64("Sum of `daily_change_gib`, in GiB."),
			"total_daily_change_percent": attribute.Float64("`total_daily_change_gib` as a percentage of " +
				"`total_size_gib`, for `daily_change_percent` of `vsla_replication_estimate`. Null if the size is 0."),
			"total_size_gib": attribute.Float64("Sum of `size_gib` of the VMs with statistics, in GiB."),
			"total_samples":  attribute.Int64("Sum of `samples`."),
			"total_hourly_weights": hourlyWeights(
				"Distribution of the writes of all VMs over the day, for `hourly_weights` of a group in " +
					"`vsla_sla_plan`. Sum of the hourly means of the VMs that were measured in every hour. " +
					"`total_hourly_weights_vm_count` is the number of these VMs.",
			),
			"total_hourly_weights_reason": attribute.String("Reason why `total_hourly_weights` is null. Null " +
				"otherwise."),
			"total_hourly_weights_vm_count": attribute.Int64("Number of VMs in `total_hourly_weights`. VMs that were " +
				"not measured in every hour, such as new ones, are excluded."),
		},
	}
}

func hourlyWeights(doc string) schema.ListAttribute {
	return schema.ListAttribute{
		MarkdownDescription: doc + " List of 24 numbers, one per hour from midnight **UTC**, relative to their mean. " +
			"A sample counts proportionally in each hour that it covers. With `interval_seconds = 7200`, pairs of " +
			"hours are therefore equal. An hour counts as measured if samples cover at least half of it over all " +
			"days. Null unless all 24 hours are measured, for example with daily samples or a lookback of less than " +
			"a day.",
		ElementType: types.Float64Type,
		Computed:    true,
	}
}

func vmsAttribute() schema.MapNestedAttribute {
	return attribute.Objects("VMs by managed object ID. All numbers except `size_gib` and `samples` are null for a VM "+
		"without statistics.", map[string]schema.Attribute{
		"mean_write_mbps": attribute.Float64("Mean of the samples, in Mbit/s (10^6 bit/s). A KBps in vCenter is " +
			"1,024 bytes per second."),
		"p95_write_mbps": attribute.Float64(
			"95th percentile of the samples in Mbit/s, by nearest rank: the smallest sample that at least 95% of the " +
				"samples do not exceed.",
		),
		"peak_write_mbps": attribute.Float64("Largest sample, in Mbit/s."),
		"daily_write_gib": attribute.Float64("Data written per day at the mean write rate, in GiB (2^30 bytes), " +
			"regardless of the lookback."),
		"daily_change_gib": attribute.Float64("`daily_write_gib` times `coalescing_factor`, in GiB."),
		"daily_change_percent": attribute.Float64("`daily_change_gib` as a percentage of `size_gib`. Null if the " +
			"size is 0. It may exceed 100."),
		"size_gib": attribute.Float64("Size of the VM according to `size_basis`, in GiB. `0` for a template or an " +
			"inaccessible VM."),
		"samples": attribute.Int64("Number of valid samples. Gaps are skipped, as are values above 95 GiB/s, which " +
			"are counter resets."),
		"hourly_weights": hourlyWeights("Distribution of the writes of the VM over the day, for `vsla_sla_plan`."),
		"hourly_weights_reason": attribute.String("Reason why `hourly_weights` is null, with the hours without " +
			"samples. Null otherwise."),
	})
}
