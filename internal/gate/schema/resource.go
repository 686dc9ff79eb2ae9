package schema

import (
	"slices"
	"strings"

	"terraform-provider-vsla/internal/plan/calculator"
)

const (
	timeouts = "create delete read update"
	keeps    = "keep_days keep_hours keep_months keep_weeks keep_years"
)

// Nested contains the names in the nested arguments of resources, by type and path. The key of an element is "*".
var Nested = map[string]map[string]string{
	"vsla_replication": {
		"disks.*":       "disk_format enabled seed_path storage_policy_id target_datastore_id",
		"point_in_time": "days instances_per_day",
		"timeouts":      timeouts,
	},
	"vsla_protection_group": {
		"replication": "cluster_pair_id keep_last long_term rpo_minutes target_datastore_id " +
			"use_replica_seeds",
		"replication.long_term":         "daily hourly monthly weekly",
		"replication.long_term.daily":   "hour " + keeps,
		"replication.long_term.hourly":  keeps,
		"replication.long_term.monthly": "day_of_month hour " + keeps,
		"replication.long_term.weekly":  "day_of_week hour " + keeps,
		"snapshot_policies.*":           "every_days every_hours every_minutes every_months every_weeks " + keeps,
		"tag_rules":                     "match tag_ids",
		"timeouts":                      timeouts,
	},
}

// HasNames reports whether an argument of a data source or a resource has named members.
func HasNames(kind, argument string) bool {
	for path := range Nested[kind] {
		if first, _, _ := strings.Cut(path, "."); first == argument {
			return true
		}
	}
	return slices.ContainsFunc(Fields(kind, ""), func(f calculator.Field) bool {
		return f.Input && f.Name == argument && len(f.Fields) > 0
	})
}

// MisspelledNested is like Misspelled, for the nested arguments of a resource.
func MisspelledNested(kind, path string) (part, near string) {
	steps := strings.Split(path, ".")
	at := steps[0]
	for i, step := range steps[1:] {
		list, isObject := Nested[kind][at]
		if !isObject {
			if _, isMap := Nested[kind][at+".*"]; !isMap {
				return "", ""
			}
			at += ".*"
			continue
		}
		if names := strings.Fields(list); !slices.Contains(names, step) {
			return strings.Join(steps[:i+2], "."), Nearest(step, names)
		}
		at += "." + step
	}
	return "", ""
}
