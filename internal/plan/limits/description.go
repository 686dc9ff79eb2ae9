// What is said about the limits.

package limits

import (
	"strings"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/calculator"
)

// RangeCount is what a number in use, or an override of a limit, may be.
var RangeCount = plan.Range{Min: 0, Max: 1e12}

// The reasons.
var (
	reasonExceeded   = calculator.Reason{Code: "limit_exceeded", Sentence: "%s is %s, %s the limit of %s (%s)."}
	reasonUnverified = calculator.Reason{
		Code:     "limit_unverified",
		Sentence: "No figures are known for %s %s; those of %s, the nearest older version, are used.",
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
		Description: "Published limits of vCenter, vSphere Replication and tagging by version, each with its source, " +
			"compared with numbers in use. A version without known figures has those of the nearest older one, and the " +
			"reason `limit_unverified`. It needs no " +
			"connection and no credentials.\n\n" +
			"For example, vCenter 6.5 is published with 2,000 hosts and 25,000 powered-on VMs: 2,001 hosts exceed it.",
	},
	Default: func() Input { return Input{} },
	Inputs:  inputs,
	Results: calculator.Outputs[Result]{
		calculator.Result("within_limits", "Whether no number exceeds its limit.",
			func(r *Result) bool { return r.WithinLimits }),
		calculator.Result("limits", "The limits, by name. A name that begins with `min_` is a lower limit.",
			func(r *Result) map[string]float64 { return r.Limits }),
		calculator.Result("sources", "Where each figure is published, by limit name.",
			func(r *Result) map[string]string { return r.Sources }),
		calculator.Result("exceeded", "Names of the limits that a number exceeds, sorted.",
			func(r *Result) []string { return r.Exceeded }),
		calculator.Result("operations_seconds",
			"How long `operations` take at the limit `operations_per_second`, in seconds; null without either.",
			func(r *Result) *float64 { return r.OperationsSeconds }).Better(calculator.Lower),
		calculator.Result("servers_needed",
			"Replication servers for `replications` of `counts` at the limit `replications_per_server`, the appliance's own "+
				"included; null without either.",
			func(r *Result) *int64 { return r.ServersNeeded }),
	},
	Flag:    &calculator.Flag{Name: "within_limits", Good: true},
	Reasons: []calculator.Reason{reasonExceeded, reasonUnverified, reasonAboveAsDeployed},
	Explain: func(r *Result) calculator.Explanation { return r.Explanation },
	Compute: Check,
}

var inputs = calculator.Inputs[Input]{
	calculator.Choice("product", true, Products(), "`vcenter`, `vsphere_replication` or `tagging`.",
		func(in *Input) *string { return &in.Product }).WithExample("vcenter").Either("a name"),
	calculator.Choice("version", true, nil,
		"Version of the product, such as 8.0 or 8.0 U3. Figures are known for "+versions()+".",
		func(in *Input) *string { return &in.Version }).WithExample("6.5").Either("a name"),
	calculator.Map(
		"counts",
		RangeCount,
		"Numbers in use, by limit name.",
		func(in *Input) *map[string]float64 { return &in.Counts },
	).WithExample(map[string]any{"hosts": 1200.0}).
		Better(calculator.Lower),
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
