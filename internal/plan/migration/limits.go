package migration

import (
	"slices"

	"terraform-provider-vsla/internal/plan/calculator"
)

// Values of limited_by.
const (
	LimitedByLink       = "link"
	LimitedByConcurrent = "max_concurrent"
	LimitedByHost       = "host"
	LimitedByNetwork    = "network"
	LimitedByDatastore  = "datastore"
	LimitedByMigration  = "longest_migration"
	LimitedByWindow     = "window"
	LimitedByPeople     = "people"
	LimitedByNFC        = "nfc"
)

// planLimit is a value of limited_by. sentence explains it, and remedy states that it limits a plan even on the fastest
// link.
type planLimit struct{ name, sentence, remedy string }

var planLimits = []planLimit{
	{
		LimitedByLink,
		"The link limits the plan: sending all data at the full rate takes that long.",
		"the link of the profile limits the plan",
	},
	{
		LimitedByHost,
		"A host limits the plan: its migrations share host_slots.",
		"the slots of a host limit the plan",
	},
	{
		LimitedByNetwork,
		"A network limits the plan: the migrations of a host share network_slots.",
		"the slots of a network adapter limit the plan",
	},
	{
		LimitedByDatastore,
		"A datastore limits the plan: its migrations share datastore_slots.",
		"the slots of a datastore limit the plan",
	},
	{
		LimitedByConcurrent,
		"max_concurrent limits the plan: more concurrent migrations can make it shorter.",
		"max_concurrent limits the plan",
	},
	{
		LimitedByMigration,
		"The longest migration limits the plan.",
		"the longest migration limits the plan",
	},
	{
		LimitedByNFC,
		"NFC limits the plan: its single thread copies a powered-off VM at 1.3 Gbit/s at most. The transport udt " +
			"does not have this limit. It requires vSphere 8 and a provisioning adapter.",
		"NFC limits the plan; the transport udt does not have this limit",
	},
	{
		LimitedByPeople,
		"The staff limits the plan: at most max_moves_per_window VMs are migrated in a window.",
		"max_moves_per_window limits the plan",
	},
	{
		LimitedByWindow,
		"The windows limit the plan: migrations wait for the next window.",
		"the windows limit the plan",
	},
}

func limitNames() []string {
	names := make([]string, 0, len(planLimits))
	for _, l := range planLimits {
		names = append(names, l.name)
	}
	return names
}

func limitOfName(name string) planLimit {
	return planLimits[slices.IndexFunc(planLimits, func(l planLimit) bool { return l.name == name })]
}

func (l planLimit) reason() calculator.Reason {
	return calculator.Reason{Code: "limited_by_" + l.name, Sentence: l.sentence}
}
