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

const description = "How much VMs write, from vCenter's performance statistics: the input that a replication " +
	"estimate most often lacks. **Writes bound changed data from above**: a block that is written ten times between " +
	"two syncs is written ten times and sent once. `coalescing_factor` is the part of the written data that is left, " +
	"and nothing here can measure it; the guide *Change rates* compares with changed-block tracking and with what a " +
	"replication appliance has sent. The counter is `virtualDisk.write.average`, added up over a VM's virtual disks, " +
	"and `disk.write.average` of the whole VM where vCenter keeps only that. Samples of 20 seconds are kept by the " +
	"hosts, of every counter, for one hour. The longer intervals are kept by vCenter from statistics level 2 up; it " +
	"is installed with level 1, where this is an error. The numbers move with time: round them, or pin them, where a " +
	"change of them would change a plan. It costs a handful of requests, and one for each 64 VMs (256 in real time)."

func describe() schema.Schema {
	return schema.Schema{
		MarkdownDescription: description,
		Attributes: map[string]schema.Attribute{
			"vm_ids": attribute.RequiredTexts("Managed object ids of the VMs, in any order. An id that vCenter does not have "+
				"is an error.", listvalidator.ValueStringsAre(stringvalidator.LengthAtLeast(1))),
			"interval_seconds": attribute.EitherWhole("Length of a sample, in seconds: 20 (real time), 300, 1800, 7200 or "+
				"86400. Default 300. A sample is a mean over its interval: shorter peaks do not show in it.",
				int64validator.OneOf(changerate.Intervals()...)),
			"lookback_hours": attribute.Either(
				changerate.RangeLookbackHours,
				"How far back, in hours. Default: all that vCenter keeps of the interval unless it is set otherwise, 1 hour for "+
					"20 seconds, 24 for 300, 168 for 1800, 720 for 7200 and 8760 for 86400. More than is kept is an error.",
			),
			"coalescing_factor": attribute.Either(
				changerate.RangeCoalescingFactor,
				"Share of the written data that is left to send when blocks that are written more than once between two syncs "+
					"count once. "+
					"Default 1: every write is a change, the upper bound. It scales `daily_change_gib` and `daily_change_percent` "+
					"(and their totals) and nothing else. The longer the RPO, the smaller it is; take it from a comparison with "+
					"changed-block tracking.",
			),
			"size_basis": attribute.EitherText("What `daily_change_percent` is a percentage of. `used` (default): the storage "+
				"in use, `used_gib` of `vsla_virtual_machines`. `disk`: the capacity of the virtual disks, `disk_gib` there, "+
				"which takes reading the VMs' device lists. Give `vsla_replication_estimate` the same figure as `vm_size_gib`.",
				stringvalidator.OneOf(basisUsed, basisDisk)),
			"vm_hourly_weights": attribute.OptionalTruth("Whether each VM of `virtual_machines` has `hourly_weights`, which " +
				"are most of the state of a large vCenter. Default true. It does not change `total_hourly_weights`."),
			"counter": attribute.Text(
				"Name of the counter that was read. `disk.write.average` does not see disks on NFS and " +
					"vSAN. Null when there are no VMs.",
			),
			"virtual_machines": vmsAttribute(),
			"without_statistics": attribute.Texts("Managed object ids of the VMs without any sample, sorted: switched off, " +
				"templates, out of vCenter's reach, or new. They are in no total, and a warning names them."),
			"total_mean_write_mbps": attribute.Output("Sum of the means, in Mbit/s."),
			"total_p95_write_mbps": attribute.Output(
				"95th percentile of what the VMs wrote together at each moment, in Mbit/s: what they ask of a link that they " +
					"share, and less than the sum of their percentiles. A VM without a sample at a moment counts with its mean.",
			),
			"total_peak_write_mbps":  attribute.Output("Largest sum at one moment, in Mbit/s."),
			"total_daily_write_gib":  attribute.Output("Sum of `daily_write_gib`, in GiB."),
			"total_daily_change_gib": attribute.Output("Sum of `daily_change_gib`, in GiB."),
			"total_daily_change_percent": attribute.Output(
				"`total_daily_change_gib` in percent of `total_size_gib`, for `daily_change_percent` of " +
					"`vsla_replication_estimate`; null when there is no size.",
			),
			"total_size_gib": attribute.Output("Sum of `size_gib` of the VMs that have statistics, in GiB."),
			"total_samples":  attribute.Whole("Sum of `samples`."),
			"total_hourly_weights": hourlyWeights(
				"How the VMs' writes are spread over the day: `hourly_weights` of a group of `vsla_replication_schedule`. It is " +
					"the sum of the hourly means of the VMs that were measured in every hour; " +
					"`total_hourly_weights_vm_count` counts them.",
			),
			"total_hourly_weights_reason": attribute.Text("Why `total_hourly_weights` is null; null when it is not."),
			"total_hourly_weights_vm_count": attribute.Whole(
				"Number of VMs in `total_hourly_weights`. A VM that was not measured in every hour, such " +
					"as a new one, is left out there, not filled in.",
			),
		},
	}
}

func hourlyWeights(doc string) schema.ListAttribute {
	return schema.ListAttribute{
		MarkdownDescription: doc + " 24 numbers, one for each hour from midnight **UTC**, relative to their mean: 1 is the " +
			"mean hour. A sample counts in the hours that it covers, in proportion: with `interval_seconds = 7200` two " +
			"hours are equal. An hour counts as measured when samples cover at least half of it, on all days together. Null " +
			"unless all 24 are: with a lookback below a day, or an interval of a day.",
		ElementType: types.Float64Type,
		Computed:    true,
	}
}

func vmsAttribute() schema.MapNestedAttribute {
	return attribute.Objects("The VMs, by managed object id. All numbers but `size_gib` and `samples` are null for a VM "+
		"without statistics.", map[string]schema.Attribute{
		"mean_write_mbps": attribute.Output(
			"Mean of the samples, in Mbit/s (10^6 bit/s). vCenter's KBps are 1,024 bytes per second.",
		),
		"p95_write_mbps": attribute.Output(
			"95th percentile of the samples by nearest rank (the smallest sample that at least 95 % of the samples do not " +
				"exceed), in Mbit/s.",
		),
		"peak_write_mbps":  attribute.Output("Largest sample, in Mbit/s."),
		"daily_write_gib":  attribute.Output("The mean over 24 hours, in GiB (2^30 bytes), however long the lookback is."),
		"daily_change_gib": attribute.Output("`daily_write_gib` times `coalescing_factor`, in GiB."),
		"daily_change_percent": attribute.Output(
			"`daily_change_gib` in percent of `size_gib`; null when that is 0. It may be above 100.",
		),
		"size_gib": attribute.Output(
			"Size of the VM by `size_basis`, in GiB; 0 for a template or a VM that vCenter cannot reach.",
		),
		"samples": attribute.Whole(
			"Number of samples that hold a measurement. Gaps are left out, not counted as 0, and so are values " +
				"above 95 GiB/s, which count as counter resets.",
		),
		"hourly_weights": hourlyWeights(
			"How the VM's writes are spread over the day, as `vsla_replication_schedule` takes it.",
		),
		"hourly_weights_reason": attribute.Text(
			"Why `hourly_weights` is null, with the hours that lack samples; null when it is not.",
		),
	})
}
