package limits_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/limits"
)

func TestCheck_publishedFigures(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		product, version, name string
		want                   float64
	}{
		{"vcenter", "6.0", "hosts", 1000},
		{"vcenter", "6.0", "registered_vms", 15000},
		{"vcenter", "6.0", "powered_on_vms", 10000},
		{"vcenter", "6.0", "operations_per_second", 30},
		{"vcenter", "6.5", "hosts", 2000},
		{"vcenter", "6.5", "registered_vms", 35000},
		{"vcenter", "6.5", "powered_on_vms", 25000},
		{"vcenter", "6.5", "operations_per_second", 60},
		{"vcenter", "5.5", "operations_per_second", 10},
		{"vcenter", "6.5", "ha_switchover_api_minutes", 2},
		{"vcenter", "6.5", "ha_switchover_ui_minutes", 4},
		{"vcenter", "6.5", "ha_switchover_target_minutes", 5},
		{"vsphere_replication", "6.0", "replications", 2000},
		{"vsphere_replication", "6.0", "servers", 10},
		{"vsphere_replication", "6.0", "replications_per_server", 200},
		{"vsphere_replication", "6.0", "min_rpo_minutes", 15},
		{"vsphere_replication", "6.0", "max_rpo_minutes", 1440},
		{"vsphere_replication", "6.0", "replications_as_deployed", 500},
		{"vsphere_replication", "6.5", "min_rpo_minutes", 5},
		{"vsphere_replication", "6.5", "replications_at_min_rpo", 100},
		{"vsphere_replication", "8.3", "replications", 2000},
		{"vsphere_replication", "8.3", "servers", 10},
		{"vsphere_replication", "8.3", "replications_per_server", 200},
		{"vsphere_replication", "9.0", "replications_as_deployed", 400},
		{"vsphere_replication", "9.0", "replications", 4000},
		{"vsphere_replication", "9.0", "replications_at_min_rpo", 500},
		{"hcx", "4.7", "concurrent_migrations", 300},
		{"hcx", "4.7", "concurrent_migrations_per_mesh", 200},
		{"hcx", "4.7", "concurrent_vmotions", 1},
		{"hcx", "4.7", "mbps_per_appliance", 1600},
		{"hcx", "4.7", "mbps_per_migration", 1000},
		{"hcx", "4.7", "min_vmotion_mbps", 100},
		{"vsphere_replication", "9.0", "vms_per_target_datastore", 50},
		{"tagging", "7.0", "ids_per_bulk_call", 2000},
		{"tagging", "7.0", "operations_per_second", 360},
	} {
		r, err := limits.Check(limits.Input{Product: test.product, Version: test.version})
		require.NoError(t, err, "%+v", test)
		require.Contains(t, r.Limits, test.name, "%+v", test)
		assert.InDelta(t, test.want, r.Limits[test.name], 0, "%+v", test)
		assert.NotEmpty(t, r.Sources[test.name], "%+v", test)
	}
	// Limits that were not published for this version are absent.
	r, err := limits.Check(limits.Input{Product: "vcenter", Version: "5.5"})
	require.NoError(t, err)
	assert.Len(t, r.Limits, 1)
}

func TestCheck_compares(t *testing.T) {
	t.Parallel()
	in := limits.Input{
		Product: "vsphere_replication",
		Version: "6.0",
		Counts: map[string]float64{
			"replications":            2000,
			"servers":                 11,
			"min_rpo_minutes":         5,
			"replications_per_server": 300,
			"my_own":                  7,
		},
		Overrides: map[string]float64{"replications_per_server": 300, "my_own": 6},
	}
	r, err := limits.Check(in)
	require.NoError(t, err)
	if r.WithinLimits == nil || *r.WithinLimits || r.Verdict != plan.Misses ||
		!slices.Equal(r.Exceeded, []string{"min_rpo_minutes", "my_own", "servers"}) ||
		// 2,000 replications exceed the as-deployed limit of 500.
		len(r.Findings) != 4 {
		t.Errorf("got %+v, want three limits exceeded, and four findings", r)
	}
	text := strings.Join(plan.Sentences(r.Findings), " ")
	require.Contains(t, text, "min_rpo_minutes is 5, below the limit of 15")
	assert.Contains(t, text, "servers is 11, above the limit of 10")
	assert.Equal(t, "2 of 5 counts are within the limits of vsphere_replication 6.0.", r.Summary)
	in.Counts = map[string]float64{"replications": 2000, "min_rpo_minutes": 15}
	r, err = limits.Check(in)
	require.NoError(t, err, "at the limits")
	assert.Equal(t, plan.Meets, r.Verdict, "at the limits")
	assert.True(t, *r.WithinLimits, "at the limits: %+v, %v", r, err)
	assert.Empty(t, r.Exceeded, "at the limits")
}

func TestCheck_oldGuidance(t *testing.T) {
	t.Parallel()
	for vms, want := range map[float64]string{50: plan.Meets, 51: plan.Unknown} {
		r, err := limits.Check(limits.Input{
			Product: "vsphere_replication",
			Version: "9.0",
			Counts:  map[string]float64{"vms_per_target_datastore": vms},
		})
		above := slices.Contains(plan.Codes(r.Findings), "above_datastore_guidance")
		require.NoError(t, err, "%v VMs", vms)
		assert.Equal(t, want, r.Verdict, "%v VMs", vms)
		assert.Equal(t, vms > 50, above, "%v VMs", vms)
		assert.Empty(t, r.Exceeded, "%v VMs", vms)
	}
}

func TestCheck_versions(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		product, version, limit string
		want                    float64
		unverified              bool
	}{
		{"vcenter", "6.5", "hosts", 2000, false},
		{"vcenter", "6.5.0", "hosts", 2000, false},
		{"vcenter", "6.4", "hosts", 1000, true},
		{"vcenter", "6.5 U1", "hosts", 2000, true},
		{"vcenter", "7.0", "hosts", 2000, true},
		{"vcenter", "10.0", "hosts", 2000, true},
		{"vsphere_replication", "8.8", "replications", 2000, true},
		{"vsphere_replication", "10.1", "replications", 4000, true},
		{"tagging", "8.0 U2", "ids_per_bulk_call", 2000, true},
		{"tagging", "8.0 U3", "tags", 8000, false},
	} {
		r, err := limits.Check(limits.Input{Product: test.product, Version: test.version})
		if err != nil || r.Limits[test.limit] != test.want ||
			slices.Contains(plan.Codes(r.Findings), "limit_unverified") != test.unverified ||
			r.Verdict != plan.Meets {
			t.Errorf("%s %s: %+v, %v", test.product, test.version, r, err)
		}
	}
	// Overrides also apply to versions without published limits.
	r, err := limits.Check(limits.Input{
		Product:   "vcenter",
		Version:   "8.0",
		Overrides: map[string]float64{"hosts": 2500},
		Counts:    map[string]float64{"hosts": 2400},
	})
	require.NoError(t, err)
	assert.Equal(t, plan.Meets, r.Verdict)
	assert.InDelta(t, 2500, r.Limits["hosts"], 0)
}

// TestCheck_operations checks that 10,000 operations take 333 s at 30 operations per second and 167 s at 60.
func TestCheck_operations(t *testing.T) {
	t.Parallel()
	for version, want := range map[string]float64{"6.0": 10000.0 / 30, "6.5": 10000.0 / 60} {
		r, err := limits.Check(limits.Input{Product: "vcenter", Version: version, Operations: new(10000.0)})
		require.NoError(t, err, version)
		require.NotNil(t, r.OperationsSeconds, version)
		assert.InDelta(t, want, *r.OperationsSeconds, 0, version)
		assert.Nil(t, r.ServersNeeded, version)
	}
	r, err := limits.Check(limits.Input{Product: "vsphere_replication", Version: "8.3", Operations: new(10000.0)})
	require.NoError(t, err)
	assert.Nil(t, r.OperationsSeconds)
}

// TestCheck_servers checks that 401 replications need three servers, because each server supports 200, and that they
// exceed the as-deployed limit of 400 in version 9.0.
func TestCheck_servers(t *testing.T) {
	t.Parallel()
	for replications, want := range map[float64]int64{0: 0, 200: 1, 201: 2, 401: 3, 2000: 10} {
		r, err := limits.Check(limits.Input{
			Product: "vsphere_replication",
			Version: "8.3",
			Counts:  map[string]float64{"replications": replications},
		})
		require.NoError(t, err, "%+v", replications)
		require.NotNil(t, r.ServersNeeded, "%+v", replications)
		assert.Equal(t, want, *r.ServersNeeded, "%+v", replications)
	}
	for replications, above := range map[float64]bool{400: false, 401: true, 4000: true} {
		r, err := limits.Check(limits.Input{
			Product: "vsphere_replication",
			Version: "9.0",
			Counts:  map[string]float64{"replications": replications},
		})
		require.NoError(t, err, "%+v", replications)
		assert.Equal(t, above, slices.Contains(plan.Codes(r.Findings), "above_as_deployed"), "%+v", replications)
		assert.Equal(t, plan.Meets, r.Verdict, "%+v", replications)
	}
}

func TestCheck_badInput(t *testing.T) {
	t.Parallel()
	negative := -1.0
	for _, test := range []struct {
		in      limits.Input
		at, say string
	}{
		{limits.Input{Product: "esx"}, "product", "tagging, vcenter, vsphere_replication"},
		{limits.Input{Product: "vcenter", Version: "5.0"}, "version", "must be 5.5 or newer"},
		{limits.Input{Product: "vcenter", Version: "latest"}, "version", "must be a version such as"},
		{limits.Input{Product: "vcenter", Version: "8.0", Operations: &negative}, "operations", "must be"},
		{
			limits.Input{Product: "vcenter", Version: "6.0", Counts: map[string]float64{"clusters": 1}},
			`counts["clusters"]`,
			"hosts",
		},
		{
			limits.Input{Product: "vcenter", Version: "6.0", Counts: map[string]float64{"hosts": -1}},
			`counts["hosts"]`,
			"must be",
		},
		{
			limits.Input{Product: "vcenter", Version: "6.0", Overrides: map[string]float64{"hosts": 1e308}},
			`overrides["hosts"]`,
			"must be",
		},
	} {
		_, err := limits.Check(test.in)
		var list plan.InputErrors
		require.ErrorAs(t, err, &list, "%+v", test.in)
		assert.Equal(t, test.at, list[0].Path.String(), "%+v", test.in)
		assert.Contains(t, err.Error(), test.say, "%+v", test.in)
	}
}

func TestCheck_verdict(t *testing.T) {
	t.Parallel()
	const replication = "vsphere_replication"
	counts := func(replications, servers float64) map[string]float64 {
		return map[string]float64{"replications": replications, "servers": servers}
	}
	for name, test := range map[string]struct {
		in      limits.Input
		verdict string
		reasons []string
	}{
		// 401 / 200, rounded up, is 3 servers
		"enough servers": {limits.Input{Product: replication, Version: "8.3", Counts: counts(401, 3)}, "meets", nil},
		"too few": {
			limits.Input{Product: replication, Version: "8.3", Counts: counts(401, 2)},
			"misses",
			[]string{"too_few_servers"},
		},
		"no limit of servers": {
			limits.Input{Product: replication, Version: "9.0", Counts: map[string]float64{"servers": 1000}},
			"meets",
			nil,
		},
		"too few by an override": {
			limits.Input{
				Product:   replication,
				Version:   "9.0",
				Counts:    counts(400, 3),
				Overrides: map[string]float64{"replications_per_server": 100},
			},
			"misses",
			[]string{"too_few_servers"},
		},
		"an older version's limit": {
			limits.Input{Product: "vcenter", Version: "8.0", Counts: map[string]float64{"hosts": 2001}},
			"unknown",
			[]string{"limit_unverified"},
		},
		"an older version's servers": {
			limits.Input{Product: replication, Version: "8.8", Counts: counts(401, 2)},
			"unknown",
			[]string{"limit_unverified"},
		},
		"one known to miss": {
			limits.Input{
				Product:   "vcenter",
				Version:   "8.0",
				Counts:    map[string]float64{"hosts": 11, "powered_on_vms": 1},
				Overrides: map[string]float64{"hosts": 10},
			},
			"misses",
			[]string{"limit_exceeded", "limit_unverified"},
		},
	} {
		r, err := limits.Check(test.in)
		require.NoError(t, err)
		got := plan.Codes(r.Findings)
		require.Equal(t, test.verdict, r.Verdict, name)
		if !slices.Equal(got, test.reasons) {
			assert.LessOrEqual(t, len(got)+len(test.reasons), 0, name)
		}
		known := r.WithinLimits != nil
		require.Equal(t, test.verdict != plan.Unknown, known, name)
		if known {
			assert.Equal(t, test.verdict == plan.Meets, *r.WithinLimits, name)
		}
	}
	r, err := limits.Check(
		limits.Input{Product: "vcenter", Version: "8.0", Counts: map[string]float64{"hosts": 1, "registered_vms": 2}},
	)
	const want = "0 of 2 counts are within the limits of vcenter 6.5. For 2 counts, the limit of version 8.0 is " +
		"unknown."
	require.NoError(t, err)
	assert.Equal(t, want, r.Summary)
	r, err = limits.Check(limits.Input{Product: "vcenter", Version: "5.5"})
	require.NoError(t, err)
	assert.Equal(t, "1 limit of vcenter 5.5. There are no counts to compare.", r.Summary)
	_, err = limits.Check(limits.Input{Product: "vcenter", Version: "6.5", Counts: map[string]float64{"servers": 1}})
	require.Error(t, err)
	assert.Contains(t, err.Error(), "has no published limit")
}
