package limits

import (
	"strings"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/calculator"
)

// RangeCount bounds counts and overrides.
var RangeCount = plan.Range{Min: 0, Max: 1e12}

var verdicts = []calculator.Verdict{
	{
		Code:  plan.Meets,
		Level: plan.Meets,
		Doc: "if all values are within the limits of this version, or if " +
			"there are no values",
	},
	{Code: plan.Unknown, Level: plan.Unknown, Doc: "if only the limit of an older version is known for a value"},
	{
		Code:  plan.Misses,
		Level: plan.Misses,
		Doc: "if a value exceeds its limit or there are too few servers, " +
			"even if other limits are unknown",
	},
}

var (
	reasonExceeded   = calculator.NewReason("limit_exceeded", "%s is %s, %s the limit of %s (%s).")
	reasonUnverified = calculator.NewReason("limit_unverified", "No limits are known for %s %s; the limits of %s, the "+
		"nearest older version, are shown, but not compared. Set the limits of this version in overrides.")
	reasonTooFewServers = calculator.NewReason("too_few_servers", "%s replications need %s replication servers, more "+
		"than the %s in use.")
	reasonDatastoreGuidance = calculator.NewReason("above_datastore_guidance", "%s VMs replicate to one datastore, "+
		"but an old guide expects RPO violations above %s (%s); no newer limit is known.")
	reasonAboveAsDeployed = calculator.NewReason("above_as_deployed", "%s replications exceed the %s that an "+
		"appliance supports by default (%s): reconfigure the appliance for more.")
)

// Definition describes the configuration_limits calculator.
var Definition = calculator.Definition[Input, Result]{
	Names: calculator.Names{
		Name:    "configuration_limits",
		Command: "limits",
		Example: `{
    "product": "vcenter", "version": "6.5",
    "counts": {"hosts": 1200}
  }`,
		Title:   "Configuration limits",
		Summary: "Compare your values with known limits",
		Description: "Returns the known limits of vCenter, vSphere Replication, HCX and tagging by version, with " +
			"their sources, and compares them with your own values. If no limits are known for a version, the limits " +
			"of the nearest older version are returned with the reason `limit_unverified`. A value is then compared " +
			"only if `overrides` has a limit for it. Requires no connection and no credentials.\n\n" +
			"Example: vCenter 6.5 supports at most 2,000 hosts, so 2,001 hosts exceed the limit.",
	},
	Default: func() Input { return Input{} },
	Inputs:  inputs,
	Results: calculator.Outputs[Result]{
		calculator.VerdictRow(verdicts, func(r *Result) *string { return &r.Verdict }),
		calculator.Result("within_limits",
			"Whether all values are within their limits and there are enough servers. Null if the verdict is "+
				"`unknown`.",
			func(r *Result) **bool { return &r.WithinLimits }),
		calculator.Result("limits", "Limits, by name. The `min_` limits of the version are lower limits. All other "+
			"limits are upper limits, including names that only `overrides` contains.",
			func(r *Result) *map[string]float64 { return &r.Limits }),
		calculator.Result("sources", "Source of each limit, by name.",
			func(r *Result) *map[string]string { return &r.Sources }),
		calculator.Result("exceeded", "Names of the exceeded limits, sorted.",
			func(r *Result) *[]string { return &r.Exceeded }),
		calculator.Result("operations_seconds",
			"Duration of `operations` at the limit `operations_per_second`, in seconds. Null if either is missing.",
			func(r *Result) **float64 { return &r.OperationsSeconds }).Better(calculator.Lower),
		calculator.Result("servers_needed",
			"Number of replication servers, including the appliance, that the `replications` in `counts` need at the "+
				"limit `replications_per_server`. Null if either is missing.",
			func(r *Result) **int64 { return &r.ServersNeeded }),
	},
	Verdicts: verdicts,
	Reasons: []calculator.Reason{
		reasonExceeded, reasonUnverified, reasonTooFewServers, reasonAboveAsDeployed, reasonDatastoreGuidance,
	},
	Explain: func(r *Result) *calculator.Explanation { return &r.Explanation },
	Compute: Check,
}

var inputs = calculator.Inputs[Input]{
	calculator.Choice("product", true, Products(), "Product: `vcenter`, `vsphere_replication`, `hcx` or `tagging`.",
		func(in *Input) *string { return &in.Product }).WithExample("vcenter").Either("a name"),
	calculator.Choice("version", true, nil,
		"Version of the product, such as 8.0 or 8.0 U3. Limits are known for "+versions()+".",
		func(in *Input) *string { return &in.Version }).WithExample("6.5").Either("a name"),
	calculator.Map(
		"counts",
		RangeCount,
		"Values to compare with the limits, by limit name. `servers` of `vsphere_replication` is also compared with "+
			"`servers_needed`.",
		func(in *Input) *map[string]float64 { return &in.Counts },
	).WithExample(map[string]any{"hosts": 1200.0}).Better(calculator.Lower),
	calculator.Map("overrides", RangeCount, "Your own limits, by name. They replace or extend the published limits.",
		func(in *Input) *map[string]float64 { return &in.Overrides }).Either("limits, some of them lower limits"),
	calculator.Absent("operations", RangeCount, "Number of operations to perform, such as tag attachments for "+
		"`tagging`.",
		func(in *Input) **float64 { return &in.Operations }).Better(calculator.Lower),
}

func versions() string {
	var list []string
	for _, product := range Products() {
		list = append(list, product+" "+strings.Join(Versions(product), ", "))
	}
	return strings.Join(list, "; ")
}
