package estate_test

import (
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"terraform-provider-vsla/internal/estate"
	"terraform-provider-vsla/internal/estate/inventoryfile"
	"terraform-provider-vsla/internal/plan/migration"
	"terraform-provider-vsla/internal/plan/promise"
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
		"a merge":       {with("defaults:\n  <<: {a: 1}\n"), "tiers.yaml:8: defaults must not have merge or complex keys"},
		"twice":         {with("throughput_mbps: 5\n"), "tiers.yaml:7: throughput_mbps must be set only once"},
		"large":         {with("# " + strings.Repeat("x", 1<<20)), "tiers.yaml: must be at most 1 MiB"},
		"unknown key":   {with("sizes: 1\n"), "tiers.yaml:7: sizes is not a valid key here; valid keys are \"size\", \"links\""},
		"size":          {with("size: used\n"), `tiers.yaml:7: size must be one of used_gib, guest_used_gib, provisioned_gib, disk_gib`},
		"no throughput": {in("throughput_mbps: 1000\n", ""), "tiers.yaml: must set throughput_mbps, link or links"},
		"two links":     {with("link: {bandwidth_mbps: 1}\n"), "tiers.yaml:7: link must not be set together with throughput_mbps"},
		"link, unknown": {with("link:\n  bandwidth: 1\n"), "tiers.yaml:8: link.bandwidth is not a valid key here"},
		"link, a text":  {with("link: fast\n"), "tiers.yaml:7: link must be a mapping"},
		"efficiency": {
			in("throughput_mbps: 1000", "link: {bandwidth_mbps: 1}\nefficiency_percent: 70"),
			"tiers.yaml:2: efficiency_percent must be set in link",
		},
		"schedule":   {with("schedule:\n  groups: {}\n"), "tiers.yaml:8: schedule.groups is not a valid key here"},
		"defaults":   {with("defaults:\n  rpo: 5\n"), "tiers.yaml:8: defaults.rpo is not a valid key here"},
		"no tiers":   {"throughput_mbps: 1\n", "tiers.yaml: tiers must be a list"},
		"tier":       {in("  - name: gold\n    match: {}", "  - gold\n  - name: x\n    match: {}"), "tiers.yaml:3: tiers[0] must be a mapping"},
		"tier key":   {in("rpo_minutes", "rpo"), "tiers.yaml:5: tiers[0].rpo is not a valid key here"},
		"no name":    {in("name: gold", "name: 5"), "tiers.yaml:3: tiers[0].name must be a non-empty string"},
		"same name":  {with("  - name: gold\n    match: {}\n"), `tiers.yaml:7: tiers[1].name must be unique, got "gold" twice`},
		"no match":   {in("    match: {}\n", ""), "tiers.yaml:3: tiers[0].match is required; {} matches"},
		"match key":  {in("match: {}", "match: {vm: a}"), "tiers.yaml:4: tiers[0].match.vm is not a valid key here; valid keys are \"name\""},
		"match":      {in("match: {}", "match: {cluster: 5}"), "tiers.yaml:4: tiers[0].match.cluster must be a non-empty string"},
		"expression": {in("match: {}", `match: {name: "("}`), "tiers.yaml:4: tiers[0].match.name must be a valid regular expression"},
		"power": {
			in("match: {}", `match: {power_state: "on"}`),
			"tiers.yaml:4: tiers[0].match.power_state must be poweredOn, poweredOff",
		},
		"column":          {in("match: {}", "match: {column: Tier}"), "tiers.yaml:4: tiers[0].match.column must be a mapping"},
		"cell":            {in("match: {}", "match: {column: {Tier: 1}}"), "tiers.yaml:4: tiers[0].match.column.Tier must be a regular"},
		"cell, text":      {in("match: {}", `match: {column: {Tier: "("}}`), "tiers.yaml:4: tiers[0].match.column.Tier must be a valid regular"},
		"exclude":         {with("exclude: {name: a}\n"), "tiers.yaml:7: exclude must be a list"},
		"exclude all":     {with("exclude:\n  - {}\n"), "tiers.yaml:8: exclude[0] must be a mapping with at least one condition"},
		"migration":       {with("migration:\n  windows: 1\n"), "tiers.yaml:8: migration.windows is not a valid key here"},
		"migration tiers": {with("migration:\n  tiers: [silver]\n"), `tiers.yaml:8: migration.tiers[0] must be the name of a tier, got "silver"`},
		"migration none":  {with("migration:\n  tiers: []\n"), "tiers.yaml:8: migration.tiers must be a list of tier names"},
		"another unit":    {in("minutes: 15", "minutes: 4 GB"), `tiers.yaml:5: tiers[0].rpo_minutes must be a number, optionally with a matching unit`},
		"migration disks": {with("migration:\n  with_storage: maybe\n"), "tiers.yaml:8: migration.with_storage must be true or false"},
	} {
		_, err := estate.ReadTiers("tiers.yaml", strings.NewReader(run.text))
		var problem *estate.TiersError
		require.True(t, errors.As(err, &problem), "%s: got %v, want %q", name, err, run.says)
		assert.Contains(t, err.Error(), run.says, name)
	}
}

func FuzzReadTiers(f *testing.F) {
	f.Add(gold)
	f.Add("throughput_mbps: .inf\ntiers:\n  - {name: a, match: {column: {A: b}}, change_curve: {15: 1}}\n")
	f.Add("? [a]\n: &b {<<: *b}\n")
	f.Add("link: {bandwidth_mbps: 0x10, rtt_ms: 1_0}\nexclude: [{name: a}]\nmigration: ~\n")
	f.Fuzz(func(t *testing.T, text string) {
		_, err := estate.ReadTiers("tiers.yaml", strings.NewReader(text))
		var problem *estate.TiersError
		assert.False(t, err != nil && !errors.As(err, &problem), "%T: %v", err, err)
	})
}

const promises = `category: sla
tiers:
  - name: gold
    rpo_minutes: 15
  - name: silver
    tag: second
    rpo_minutes: 60
  - name: bronze
    tag_id: urn:1
    rpo_minutes: 240
folder: prod
cluster: c1
pairing_id: p
`

func TestReadCompliance(t *testing.T) {
	t.Parallel()
	got, err := estate.ReadCompliance("compliance.yaml", strings.NewReader(promises))
	want := estate.ComplianceFile{
		PairingID: "p", Category: "sla", Folder: "prod", Cluster: "c1",
		Tiers: []estate.PromisedTier{
			{Name: "gold", Tag: "gold", RPOMinutes: 15},
			{Name: "silver", Tag: "second", RPOMinutes: 60},
			{Name: "bronze", TagID: "urn:1", RPOMinutes: 240},
		},
	}
	require.NoError(t, err)
	assert.Equal(t, want, got)
}

func TestReadCompliance_problems(t *testing.T) {
	t.Parallel()
	in := func(old, replacement string) string { return strings.Replace(promises, old, replacement, 1) }
	for name, run := range map[string]struct{ text, says string }{
		"empty":         {"", "c.yaml: is empty"},
		"unknown key":   {in("folder: prod", "folders: prod"), "c.yaml:11: folders is not a valid key here; valid keys are \"folder\""},
		"a number":      {in("folder: prod", "folder: 7"), `c.yaml:11: folder must be a non-empty string, got "7"`},
		"no tiers":      {"category: sla\n", "c.yaml: tiers must be a list of 1 to 100 tiers"},
		"a text":        {"tiers: [gold]\n", "c.yaml:1: tiers[0] must be a mapping with name and rpo_minutes"},
		"unknown in it": {in("tag: second", "tags: second"), "c.yaml:6: tiers[1].tags is not a valid key here"},
		"no name":       {in("name: gold", "tag: gold"), "tiers[0].name must be a non-empty string"},
		"name twice":    {in("name: silver", "name: gold"), `c.yaml:5: tiers[1].name must be unique, got "gold" twice`},
		"RPO of 0":      {in("rpo_minutes: 60", "rpo_minutes: 0"), "c.yaml:7: tiers[1].rpo_minutes must be between 1 and 1,440 minutes, got 0"},
		"half an RPO":   {in("rpo_minutes: 60", "rpo_minutes: 1.5"), "c.yaml:7: tiers[1].rpo_minutes must be a whole number"},
		"no RPO":        {in("    rpo_minutes: 60\n", ""), "tiers[1].rpo_minutes must be a number of minutes"},
		"two tags":      {in("tag_id: urn:1", "tag: x\n    tag_id: urn:1"), "tiers[2].tag must not be set together with tag_id"},
		"no category":   {in("category: sla\n", ""), "tiers[0].tag_id is required unless category is set"},
		"one tag":       {in("tag: second", "tag: gold"), "tiers[1] must have its own tag"},
		"too many": {
			"category: sla\ntiers:" + strings.Repeat("\n  - {name: x, rpo_minutes: 1}", 101), "must be a list of 1 to 100 tiers",
		},
	} {
		_, err := estate.ReadCompliance("c.yaml", strings.NewReader(run.text))
		require.Error(t, err, name)
		assert.Contains(t, err.Error(), run.says, name)
	}
}

func TestReadCompliance_firstProblem(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"pairing_id: 1\ncategory: 2\nfolder: 3\ncluster: 4\n":      `c.yaml:1: pairing_id must be a non-empty string, got "1"`,
		"tiers: [{name: 1, tag: 2, tag_id: 3, rpo_minutes: 15}]\n": `c.yaml:1: tiers[0].name must be a non-empty string, got "1"`,
	} {
		for range 20 {
			_, err := estate.ReadCompliance("c.yaml", strings.NewReader(text))
			require.Error(t, err)
			require.Equal(t, want, err.Error())
		}
	}
}

func newPlan(t *testing.T, tiers string) (promise.Plan, error) {
	t.Helper()
	file, err := estate.ReadTiers("tiers.yaml", strings.NewReader(tiers))
	if err != nil {
		return promise.Plan{}, err
	}
	found, err := inventoryfile.Read(strings.NewReader(inventory), inventoryfile.Options{KeepColumns: file.Columns()})
	require.NoError(t, err)
	return file.Plan(found)
}

const sites = `
size: used_gib
links:
  north: {throughput_mbps: 100, efficiency_percent: 70, ranges: {throughput_mbps: {low: 80, high: 120}}}
  south: {hourly_throughput_mbps: [` + "9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9" + `]}
targets: {hub: {free_gib: 900, write_mbps: 500}}
growth_percent_per_year: 20
tiers:
  - {name: gold, match: {name: db}, link: north, target: hub, rpo_minutes: 15, daily_change_percent: 10}
  - {name: tin, match: {}, link: south, target: hub, rpo_minutes: 240, daily_change_percent: 2,
     ranges: {daily_change_percent: {low: 1, high: 4}}}
`

const inventory = `VM,Powerstate,In Use MiB,Change
db-1,poweredOn,102400,5
db-2,poweredOn,51200,
web,poweredOn,30720,3
`

func TestTiers_Plan_arguments(t *testing.T) {
	t.Parallel()
	got, err := newPlan(t, sites)
	require.NoError(t, err)
	var arguments map[string]any
	require.NoError(t, yaml.Unmarshal([]byte(sites), &arguments))
	delete(arguments, "size")
	list, _ := arguments["tiers"].([]any)
	tiers := map[string]any{}
	for i, element := range list {
		tier, _ := element.(map[string]any)
		tier = maps.Clone(tier)
		name := fmt.Sprint(tier["name"])
		delete(tier, "name")
		delete(tier, "match")
		tier["virtual_machines"] = []map[string]any{
			{"db-1": map[string]any{"size_gib": 100}, "db-2": map[string]any{"size_gib": 50}},
			{"web": map[string]any{"size_gib": 30}},
		}[i]
		tiers[name] = tier
	}
	arguments["tiers"] = tiers
	want, err := promise.Definition.Decode(toFloatMap(arguments))
	require.NoError(t, err)
	assert.Equal(t, want, got)
	a, err := promise.Compute(t.Context(), got)
	require.NoError(t, err)
	b, err := promise.Compute(t.Context(), want)
	require.NoError(t, err)
	assert.Equal(t, b, a)
}

func toFloatMap(v any) map[string]any {
	m, _ := toFloats(v).(map[string]any)
	return m
}

func toFloats(v any) any {
	switch v := v.(type) {
	case int:
		return float64(v)
	case []any:
		list := make([]any, len(v))
		for i, e := range v {
			list[i] = toFloats(e)
		}
		return list
	case map[string]any:
		all := make(map[string]any, len(v))
		for key, e := range v {
			all[key] = toFloats(e)
		}
		return all
	}
	return v
}

// TestTiers_Plan_short checks that the short form defines a single link, and that a column sets the change rate of each
// VM. A change of 5 GiB per day on a 100 GiB VM is a rate of 5%. If a cell is empty, the VM has the change rate of its
// tier.
func TestTiers_Plan_short(t *testing.T) {
	t.Parallel()
	p, err := newPlan(t, `
throughput_mbps: {low: 60, likely: 225, high: 230}
throughput_basis: transfer
schedule: {per_sync_mbps: 60, days: 8}
defaults: {daily_change_percent: 10, change: {column: Change, unit: gib}}
tiers: [{name: gold, match: {}, rpo_minutes: 15}]
`)
	require.NoError(t, err)
	link, gold := p.Links[promise.DefaultLinkName], p.Tiers["gold"]
	if *link.ThroughputMbps != 225 || link.Ranges["throughput_mbps"] != (promise.Ends{Low: 60, High: 230}) ||
		link.ThroughputBasis != "transfer" {
		t.Errorf("got the link %+v, want 225 Mbit/s of 60 to 230, measured by transfers", link)
	}
	if *gold.PerSyncMbps != 60 || *p.Days != 8 || len(gold.VirtualMachines) != 3 {
		t.Errorf("got %v Mbit/s for a sync in %v days of %d VMs, want 60 in 8 days of 3", *gold.PerSyncMbps, *p.Days,
			len(gold.VirtualMachines))
	}
	got := gold.VirtualMachines["db-1"].DailyChangePercent
	require.NotNil(t, got)
	assert.Equal(t, 5.0, *got)
	assert.Nil(t, gold.VirtualMachines["db-2"].DailyChangePercent)
}

// Both 1,200 in an English file and 1.200 in a German file are 1,200 GiB: 60% of 2,000 GiB.
func TestTiers_Plan_change(t *testing.T) {
	t.Parallel()
	const tiers = "throughput_mbps: 100\ntiers: [{name: gold, match: {}, rpo_minutes: 15, daily_change_percent: 5, " +
		"change: {column: Change, unit: %s}}]\n"
	for name, run := range map[string]struct{ rows, unit, says string }{
		"English":          {`a,"16,384","2,048,000","1,200"`, "gib", ""},
		"German":           {`a;16.384;2.048.000,0;1.200`, "gib", ""},
		"percent":          {`a,"16,384",1,60 %`, "percent", ""},
		"by another cell":  {"a;1;2048000;1.200\nb;1;2048;1,5", "gib", ""},
		"ambiguous":        {`a;1;2048000;1.200`, "gib", `row 2, column "Change": "1.200" is ambiguous: 1200 with a thousands`},
		"opposite":         {`a;16.384;2048000;1.2`, "gib", "has the opposite"},
		"percent, not GiB": {"a,1,1,900%", "gib", `must contain numbers in GiB: row 2, column "Change": must be a number, got "900%"`},
	} {
		header := "VM,Memory,In Use MiB,Change\n"
		if strings.Contains(run.rows, ";") {
			header = strings.ReplaceAll(header, ",", ";")
		}
		file, err := estate.ReadTiers("tiers.yaml", strings.NewReader(fmt.Sprintf(tiers, run.unit)))
		require.NoError(t, err, name)
		found, err := inventoryfile.Read(strings.NewReader(header+run.rows),
			inventoryfile.Options{KeepColumns: file.Columns()})
		require.NoError(t, err, name)
		p, err := file.Plan(found)
		if run.says != "" {
			assert.ErrorContains(t, err, run.says, name)
			continue
		}
		require.NoError(t, err, name)
		assert.InDelta(t, 60, *p.Tiers["gold"].VirtualMachines["a"].DailyChangePercent, 1e-9, name)
	}
}

func TestTiers_Plan_problems(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ from, to, want string }{
		"no such link":   {"link: north", "link: east", "tiers.yaml:9: tiers[0].link must be the name of a link (north, south)"},
		"swapped range":  {"{low: 1, high: 4}", "{low: 4, high: 1}", "tiers.yaml:11: tiers[1].ranges"},
		"not between":    {"low: 80", "low: 110", "tiers.yaml:4: links.north.ranges"},
		"two ways":       {"size: used_gib", "throughput_mbps: 5", "tiers.yaml:2: throughput_mbps must not be set together"},
		"unknown unit":   {"rpo_minutes: 15,", "rpo_minutes: 15, change: {column: Change, unit: kib},", "change.unit must be"},
		"not a number":   {"rpo_minutes: 15,", "rpo_minutes: 15, change: {column: Powerstate},", "column must contain numbers"},
		"unknown target": {"hub: {free_gib: 900", "hub: {free: 900", "tiers.yaml:6: targets.hub.free"},
	} {
		_, err := newPlan(t, strings.Replace(sites, test.from, test.to, 1))
		require.Error(t, err, name)
		assert.Contains(t, err.Error(), test.want, name)
	}
}

func TestTiers_Plan_moves(t *testing.T) {
	t.Parallel()
	const windows = "window_hours: 2, window_start_hour: 23, window_weekdays: [SAT, SUN]}\n"
	p, err := newPlan(t, sites+"migration: {link: north, share_percent: 40, "+windows)
	require.NoError(t, err)
	want := make([]float64, 24)
	want[0], want[23] = 40, 40
	got, other := p.Links["north"].HourlyMovesPercent, p.Links["south"].HourlyMovesPercent
	require.Equal(t, want, got)
	assert.Nil(t, other)
	// The only link does not have to be named. Its own share of 60% at 23:00 is larger than that of the migration.
	own := "schedule: {hourly_moves_percent: [" + strings.Repeat("0, ", 23) + "60]}\n"
	for text, first := range map[string]float64{"share_percent: 40, ": 40, "throughput_mbps: 400, ": 0} {
		p, err := newPlan(t, gold+own+"migration: {"+text+windows)
		require.NoError(t, err)
		want[0], want[23] = first, 60
		assert.Equal(t, want, p.Links[promise.DefaultLinkName].HourlyMovesPercent, text)
	}
	for text, want := range map[string]string{
		"migration: {link: west, ":                         "migration.link must be the name of a link",
		"migration: {link: north, throughput_mbps: 1000, ": "migration.link must not be set together with a throughput",
	} {
		_, err := newPlan(t, sites+text+windows)
		require.Error(t, err)
		assert.Contains(t, err.Error(), want)
	}
}

// TestNewReview_poweredOff checks that the maximum downtime applies only to running VMs. Copying the 1,024 GiB of the
// powered-off VM at 1,000 Mbit/s would take 8,796 s, which is more than the maximum downtime of 10 minutes. The
// replicated VM has its own daily change: 5 GiB of its 100 GiB are 5%.
func TestNewReview_poweredOff(t *testing.T) {
	t.Parallel()
	found, err := inventoryfile.Read(strings.NewReader(inventory+"old,poweredOff,1048576,\n"),
		inventoryfile.Options{KeepColumns: []string{"Change"}})
	require.NoError(t, err)
	file, err := estate.ReadTiers("tiers.yaml", strings.NewReader(`size: used_gib
throughput_mbps: 1000
defaults: {rpo_minutes: 60, daily_change_percent: 10}
tiers:
  - {name: db, match: {name: ^db-1}, method: replication, change: {column: Change, unit: gib}}
  - {name: all, match: {}}
migration: {max_downtime_minutes: 10, setup_seconds: 0}
`))
	require.NoError(t, err)
	r, err := estate.NewReview(t.Context(), "inventory.csv", found, file)
	require.NoError(t, err)
	moves := resultValues(t, r, "migration_plan", "all moves")
	assert.NotContains(t, moves["reasons"], migration.DowntimeExceeded)
	assert.NotEqual(t, "old", moves["worst_downtime_virtual_machine"])
	replicated, _ := moves["virtual_machines"].(map[string]any)["db-1"].(map[string]any)
	assert.InDelta(t, 5, replicated["daily_change_percent"], 1e-9)
	off, _ := moves["virtual_machines"].(map[string]any)["old"].(map[string]any)
	assert.Nil(t, off["downtime_seconds"])
}
