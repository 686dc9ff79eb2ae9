// The description of the limits.

package limits

import (
	"strings"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/calculator"
)

// RangeCount bounds a number in use, and an override of a limit.
var RangeCount = plan.Range{Min: 0, Max: 1e12}

// The values of the verdict.
const (
	VerdictMeets   = "meets"
	VerdictUnknown = "unknown"
	VerdictMisses  = "misses"
)

var verdicts = []calculator.Verdict{
	{Code: VerdictMeets, Level: calculator.Holds, Doc: "when all numbers are within the limits of this version"},
	{Code: VerdictUnknown, Level: calculator.AtRisk, Doc: "when a number has only the limit of an older version"},
	{Code: VerdictMisses, Level: calculator.Misses, Doc: "when a number exceeds its limit, or servers are too few"},
}

// The reasons.
var (
	reasonExceeded   = calculator.Reason{Code: "limit_exceeded", Sentence: "%s is %s, %s the limit of %s (%s)."}
	reasonUnverified = calculator.Reason{
		Code: "limit_unverified",
		Sentence: "No figures are known for %s %s; those of %s, the nearest older version, are shown, and no number " +
			"is compared with them. Give the limits of this version in overrides.",
	}
	reasonTooFewServers = calculator.Reason{
		Code:     "too_few_servers",
		Sentence: "%s replications need %s replication servers, above the %s in use.",
	}
	reasonDatastoreGuidance = calculator.Reason{
		Code: "above_datastore_guidance",
		Sentence: "%s VMs replicate to one datastore, above the %s from which on an old guide expects missed RPOs (%s); no " +
			"newer figure is known.",
	}
	reasonAboveAsDeployed = calculator.Reason{
		Code: "above_as_deployed",
		Sentence: "%s replications are above the %s that an appliance manages as it is deployed (%s): " +
			"reconfigure the appliance for more.",
	}
)

// Definition describes vsla_configuration_limits.
var Definition = calculator.Definition[Input, Result]{
	Names: calculator.Names{
		Name:     "configuration_limits",
		Function: "configuration_limits",
		Command:  "limits",
		Title:    "Configuration limits",
		Summary:  "Published limits, compared with numbers in use",
		Description: "Published limits of vCenter, vSphere Replication, HCX and tagging by version, each with its source, " +
			"compared with numbers in use. A version without known figures shows those of the nearest older one, with the " +
			"reason `limit_unverified` and, for numbers in use, the verdict `unknown`. It needs no connection and no " +
			"credentials.\n\n" +
			"For example, vCenter 6.5 is published with 2,000 hosts and 25,000 powered-on VMs: 2,001 hosts exceed it.",
	},
	Default: func() Input { return Input{} },
	Inputs:  inputs,
	Results: calculator.Outputs[Result]{
		calculator.VerdictRow(verdicts, func(r *Result) *string { return &r.Verdict }),
		calculator.Result("within_limits",
			"Whether no number exceeds its limit and the servers are enough; null when the verdict is `unknown`.",
			func(r *Result) **bool { return &r.WithinLimits }),
		calculator.Result("limits", "The limits, by name. A name that begins with `min_` is a lower limit.",
			func(r *Result) *map[string]float64 { return &r.Limits }),
		calculator.Result("sources", "Where each figure is published, by limit name.",
			func(r *Result) *map[string]string { return &r.Sources }),
		calculator.Result("exceeded", "Names of the limits that a number exceeds, sorted.",
			func(r *Result) *[]string { return &r.Exceeded }),
		calculator.Result("operations_seconds",
			"How long `operations` take at the limit `operations_per_second`, in seconds; null without either.",
			func(r *Result) **float64 { return &r.OperationsSeconds }).Better(calculator.Lower),
		calculator.Result("servers_needed",
			"Replication servers for `replications` of `counts` at the limit `replications_per_server`, the appliance's own "+
				"included; null without either.",
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
	calculator.Choice("product", true, Products(), "`vcenter`, `vsphere_replication`, `hcx` or `tagging`.",
		func(in *Input) *string { return &in.Product }).WithExample("vcenter").Either("a name"),
	calculator.Choice("version", true, nil,
		"Version of the product, such as 8.0 or 8.0 U3. Figures are known for "+versions()+".",
		func(in *Input) *string { return &in.Version }).WithExample("6.5").Either("a name"),
	calculator.Map(
		"counts",
		RangeCount,
		"Numbers in use, by limit name. `servers` of `vsphere_replication` is also compared with `servers_needed`.",
		func(in *Input) *map[string]float64 { return &in.Counts },
	).WithExample(map[string]any{"hosts": 1200.0}).Better(calculator.Lower),
	calculator.Map("overrides", RangeCount,
		"Limits of your own, by name: they replace published ones or add to them.",
		func(in *Input) *map[string]float64 { return &in.Overrides }).Either("limits, some of them lower limits"),
	calculator.Absent("operations", RangeCount, "Number of operations to be done, for `operations_seconds`.",
		func(in *Input) **float64 { return &in.Operations }).Better(calculator.Lower),
}

// versions lists the versions of each product for the documentation.
func versions() string {
	var list []string
	for _, product := range Products() {
		list = append(list, product+" "+strings.Join(Versions(product), ", "))
	}
	return strings.Join(list, "; ")
}
