package estate_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/estate"
)

const gold = `throughput_mbps: 1000
tiers:
  - name: gold
    match: {}
    rpo_minutes: 15
    daily_change_percent: 5
`

func TestReadTiers(t *testing.T) {
	t.Parallel()
	_, err := estate.ReadTiers("tiers.yaml", strings.NewReader(gold))
	assert.NoError(t, err)
}

func TestReadTiers_problems(t *testing.T) {
	t.Parallel()
	with := func(text string) string { return gold + text }
	in := func(old, replacement string) string { return strings.Replace(gold, old, replacement, 1) }
	for name, run := range map[string]struct{ text, says string }{
		"empty":         {"", "tiers.yaml: is empty; --init"},
		"no YAML":       {"x: 1\na: b: c\n", "tiers.yaml:2: is not valid YAML"},
		"a list":        {"- 1\n", "tiers.yaml:1: must be a mapping"},
		"two documents": {with("---\na: 1\n"), "must contain a single YAML document"},
		"an alias":      {with("size: &a used_gib\nlink: *a\n"), "tiers.yaml:8: link must not be an alias"},
		"a merge": {
			with("defaults:\n  <<: {a: 1}\n"),
			"tiers.yaml:8: defaults must not have merge or complex keys",
		},
		"an invisible character": {
			in("match: {}", "match: {name: ^d\u200bb}"),
			"tiers.yaml:4: tiers[0].match.name contains the invisible character U+200B: delete it, or escape it",
		},
		"an invisible character in a key": {
			in("rpo_minutes", "rpo_\u200dminutes"),
			`tiers.yaml:5: "rpo_\u200dminutes" contains the invisible character U+200D`,
		},
		"an escaped control character": {
			in("match: {}", `match: {"na\u202eme": a}`),
			"tiers.yaml:4: tiers[0].match.na\ufffdme is not a valid key",
		},
		"an escaped control character in a value": {
			in("rpo_minutes: 15", `rpo_minutes: "1\u001b5"`),
			"got \"1\ufffd5\"",
		},
		"a window without hours": {
			with("migration:\n  profile: hcx_bulk\n  window_hours: 0\n"),
			"tiers.yaml:9: migration.window_hours must be between",
		},
		"a range without a likely value": {
			with("defaults:\n  daily_change_percent: {low: 3, high: 9}\n"),
			"tiers.yaml:8: defaults.daily_change_percent must have likely",
		},
		"a range of an input without a unit": {
			with("defaults:\n  peak_factor: {low: 1, high: 9}\n"),
			"tiers.yaml:8: defaults.peak_factor must have likely",
		},
		"the unit of a column of defaults": {
			with("defaults:\n  change: {column: x, unit: gb}\n"),
			"tiers.yaml:8: defaults.change.unit must be percent or gib",
		},
		"twice": {with("throughput_mbps: 5\n"), "tiers.yaml:7: throughput_mbps must be set only once"},
		"large": {with("# " + strings.Repeat("x", 1<<20)), "tiers.yaml: must be at most 1 MiB"},
		"unknown key": {
			with("sizes: 1\n"),
			"tiers.yaml:7: sizes is not a valid key here; valid keys are \"size\", \"links\"",
		},
		"size": {
			with("size: used\n"),
			`tiers.yaml:7: size must be one of used_gib, guest_used_gib, provisioned_gib, disk_gib`,
		},
		"no throughput": {in("throughput_mbps: 1000\n", ""), "tiers.yaml: must set throughput_mbps, link or links"},
		"two links": {
			with("link: {bandwidth_mbps: 1}\n"),
			"tiers.yaml:7: link must not be set together with throughput_mbps",
		},
		"link, unknown": {with("link:\n  bandwidth: 1\n"), "tiers.yaml:8: link.bandwidth is not a valid key here"},
		"link, a text":  {with("link: fast\n"), "tiers.yaml:7: link must be a mapping"},
		"efficiency": {
			in("throughput_mbps: 1000", "link: {bandwidth_mbps: 1}\nefficiency_percent: 70"),
			"tiers.yaml:2: efficiency_percent must be set in link",
		},
		"schedule": {with("schedule:\n  groups: {}\n"), "tiers.yaml:8: schedule.groups is not a valid key here"},
		"defaults": {with("defaults:\n  rpo: 5\n"), "tiers.yaml:8: defaults.rpo is not a valid key here"},
		"no tiers": {"throughput_mbps: 1\n", "tiers.yaml: tiers must be a list"},
		"tier": {
			in("  - name: gold\n    match: {}", "  - gold\n  - name: x\n    match: {}"),
			"tiers.yaml:3: tiers[0] must be a mapping",
		},
		"tier key": {in("rpo_minutes", "rpo"), "tiers.yaml:5: tiers[0].rpo is not a valid key here"},
		"no name":  {in("name: gold", "name: 5"), "tiers.yaml:3: tiers[0].name must be a non-empty string"},
		"same name": {
			with("  - name: gold\n    match: {}\n"),
			`tiers.yaml:7: tiers[1].name must be unique, got "gold" twice`,
		},
		"no match": {in("    match: {}\n", ""), "tiers.yaml:3: tiers[0].match is required; {} matches"},
		"match key": {
			in("match: {}", "match: {vm: a}"),
			"tiers.yaml:4: tiers[0].match.vm is not a valid key here; valid keys are \"name\"",
		},
		"match": {
			in("match: {}", "match: {cluster: 5}"),
			"tiers.yaml:4: tiers[0].match.cluster must be a non-empty string",
		},
		"expression": {
			in("match: {}", `match: {name: "("}`),
			"tiers.yaml:4: tiers[0].match.name must be a valid regular expression",
		},
		"power": {
			in("match: {}", `match: {power_state: "on"}`),
			"tiers.yaml:4: tiers[0].match.power_state must be poweredOn, poweredOff",
		},
		"column": {
			in("match: {}", "match: {column: Tier}"),
			"tiers.yaml:4: tiers[0].match.column must be a mapping",
		},
		"cell": {
			in("match: {}", "match: {column: {Tier: 1}}"),
			"tiers.yaml:4: tiers[0].match.column.Tier must be a regular",
		},
		"cell, text": {
			in("match: {}", `match: {column: {Tier: "("}}`),
			"tiers.yaml:4: tiers[0].match.column.Tier must be a valid regular",
		},
		"exclude": {with("exclude: {name: a}\n"), "tiers.yaml:7: exclude must be a list"},
		"exclude all": {
			with("exclude:\n  - {}\n"),
			"tiers.yaml:8: exclude[0] must be a mapping with at least one condition",
		},
		"migration": {
			with("migration:\n  windows: 1\n"),
			"tiers.yaml:8: migration.windows is not a valid key here",
		},
		"migration tiers": {
			with("migration:\n  tiers: [silver]\n"),
			`tiers.yaml:8: migration.tiers[0] must be the name of a tier, got "silver"`,
		},
		"migration none": {
			with("migration:\n  tiers: []\n"),
			"tiers.yaml:8: migration.tiers must be a list of tier names",
		},
		"another unit": {
			in("minutes: 15", "minutes: 4 GB"),
			`tiers.yaml:5: tiers[0].rpo_minutes must be a number, optionally with a matching unit`,
		},
		"migration disks": {
			with("migration:\n  with_storage: maybe\n"),
			"tiers.yaml:8: migration.with_storage must be true or false",
		},
	} {
		_, err := estate.ReadTiers("tiers.yaml", strings.NewReader(run.text))
		var problem *estate.TiersError
		require.ErrorAs(t, err, &problem, "%s: got %v, want %q", name, err, run.says)
		assert.Contains(t, err.Error(), run.says, name)
	}
}

// TestReadTiers_assignments verifies that a problem of an assignment names it, instead of a line of the file.
func TestReadTiers_assignments(t *testing.T) {
	t.Parallel()
	for assignment, says := range map[string]string{
		"link=[]":              "--set link=[]: link must be a mapping",
		"link=":                "--set link=: link has no value; null stands for a missing one",
		"gold.rpo_minutez=5":   "--set gold.rpo_minutez=5: tiers[0].rpo_minutez is not a valid key here",
		"throughput_mbps=5GiB": "--set throughput_mbps=5GiB: throughput_mbps must be a number",
		"gold":                 "tiers.yaml: gold must be set as KEY=VALUE",
	} {
		_, err := estate.ReadTiers("tiers.yaml", strings.NewReader(gold), assignment)
		require.ErrorContains(t, err, says)
	}
	_, err := estate.ReadTiers("tiers.yaml", strings.NewReader(gold), "link=null")
	assert.NoError(t, err)
}

func FuzzReadTiers(f *testing.F) {
	f.Add(gold)
	f.Add("throughput_mbps: .inf\ntiers:\n  - {name: a, match: {column: {A: b}}, change_curve: {15: 1}}\n")
	f.Add("? [a]\n: &b {<<: *b}\n")
	f.Add("link: {bandwidth_mbps: 0x10, rtt_ms: 1_0}\nexclude: [{name: a}]\nmigration: ~\n")
	f.Fuzz(func(t *testing.T, text string) {
		_, err := estate.ReadTiers("tiers.yaml", strings.NewReader(text))
		var problem *estate.TiersError
		if err != nil {
			assert.ErrorAs(t, err, &problem)
		}
	})
}
