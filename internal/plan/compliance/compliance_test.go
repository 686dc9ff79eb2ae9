package compliance_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"terraform-provider-vsla/internal/plan/compliance"
)

var tiers = map[string]compliance.Tier{
	"gold":      {RPOMinutes: 15},
	"silver":    {RPOMinutes: 60},
	"also-gold": {RPOMinutes: 15},
}

func fine() compliance.Replication {
	return compliance.Replication{
		ID:                 "r-1",
		VMID:               "vm-1",
		Name:               "replica-name",
		RPOMinutes:         15,
		Status:             "OK",
		ConfigurationState: "OK",
		Synced:             true,
	}
}

func tagged(names ...string) []compliance.VM {
	return []compliance.VM{{ID: "vm-1", Name: "db", Tiers: names, Found: true}}
}

func with(change func(*compliance.Replication)) []compliance.Replication {
	r := fine()
	change(&r)
	return []compliance.Replication{r}
}

func status(word string) []compliance.Replication {
	return with(func(r *compliance.Replication) { r.Status = word })
}

func lists(r compliance.Result, id string) string {
	var in []string
	for _, list := range []struct {
		name string
		ids  []string
	}{
		{"unprotected", r.Unprotected},
		{"weaker_than_promised", r.WeakerThanPromised},
		{"in_violation", r.InViolation},
		{"several_tiers", r.SeveralTiers},
		{"untagged_but_replicated", r.UntaggedButReplicated},
		{"templates", r.Templates},
	} {
		if slices.Contains(list.ids, id) {
			in = append(in, list.name)
		}
	}
	return strings.Join(in, " ")
}

// TestJudge_configured checks replications of 15 minutes against the longest setting that keeps the promise.
func TestJudge_configured(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		promised, configured int64
		verdict              string
	}{
		{60, 0, "compliant"},
		{60, 15, "compliant"},
		{60, 14, "weaker_than_promised"},
		{14, 60, "weaker_than_promised"},
	} {
		tiers := map[string]compliance.Tier{
			"gold": {RPOMinutes: test.promised, ConfiguredRPOMinutes: test.configured},
		}
		r := compliance.Judge(tiers, tagged("gold"), status("OK"))
		assert.Equal(t, test.verdict, r.VMs["vm-1"].Verdict, test)
		assert.Equal(t, test.promised, r.VMs["vm-1"].PromisedRPOMinutes, test)
	}
}

func TestJudge_one(t *testing.T) {
	t.Parallel()
	hidden := []compliance.VM{{ID: "vm-1", Tiers: []string{"gold"}}}
	template := []compliance.VM{{ID: "vm-1", Name: "db", Tiers: []string{"gold"}, Found: true, Template: true}}
	for name, test := range map[string]struct {
		vms          []compliance.VM
		replications []compliance.Replication
		verdict      string
		lists        string
		compliant    bool
	}{
		"as promised":          {tagged("gold"), status("OK"), "compliant", "", true},
		"better than promised": {tagged("silver"), status("OK"), "compliant", "", true},
		"delta sync":           {tagged("gold"), status("SYNC"), "compliant", "", true},
		"full sync":            {tagged("gold"), status("FULL_SYNC"), "compliant", "", true},
		"replica moves":        {tagged("gold"), status("MOVING"), "compliant", "", true},
		"disks are resized":    {tagged("gold"), status("DISK_RESIZING"), "compliant", "", true},
		"no configuration state": {
			tagged("gold"),
			with(func(r *compliance.Replication) { r.ConfigurationState = "" }),
			"compliant",
			"",
			true,
		},

		"not replicated":              {tagged("gold"), nil, "unprotected", "unprotected", false},
		"tagged but gone":             {hidden, nil, "not_found", "unprotected", false},
		"gone, still replicated":      {hidden, status("ERROR"), "error", "unprotected", false},
		"hidden, replication runs":    {hidden, status("OK"), "compliant", "", true},
		"template":                    {template, nil, "", "templates", true},
		"template with a replication": {template, status("OK"), "compliant", "", true},

		"error": {tagged("gold"), status("ERROR"), "error", "unprotected", false},
		"configuration failed": {
			tagged("gold"),
			with(func(r *compliance.Replication) { r.ConfigurationState = "ERROR" }),
			"error",
			"unprotected",
			false,
		},
		"recovering": {tagged("gold"), status("RECOVERING"), "recovered", "unprotected", false},
		"recovered":  {tagged("gold"), status("RECOVERED"), "recovered", "unprotected", false},
		"recovery begun": {
			tagged("gold"),
			with(func(r *compliance.Replication) { r.Recovering = true }),
			"recovered",
			"unprotected",
			false,
		},
		"paused":      {tagged("gold"), status("PAUSED"), "paused", "unprotected", false},
		"configuring": {tagged("gold"), status("CONFIGURING"), "configuring", "unprotected", false},
		"configuration in progress": {
			tagged("gold"),
			with(func(r *compliance.Replication) { r.ConfigurationState = "IN_PROGRESS" }),
			"configuring",
			"unprotected",
			false,
		},
		"initial sync": {
			tagged("gold"),
			status("INITIAL_FULL_SYNC"),
			"initial_sync",
			"unprotected",
			false,
		},
		"never synced": {
			tagged("gold"),
			with(func(r *compliance.Replication) { r.Synced = false }),
			"initial_sync",
			"unprotected",
			false,
		},
		"not active": {tagged("gold"), status("NOT_ACTIVE"), "not_active", "unprotected", false},
		"not active, never synced": {
			tagged("gold"),
			with(func(r *compliance.Replication) { r.Status, r.Synced = "NOT_ACTIVE", false }),
			"initial_sync",
			"unprotected",
			false,
		},
		"not known, never synced": {
			tagged("gold"),
			with(func(r *compliance.Replication) { r.Status, r.Synced = "UNKNOWN", false }),
			"unknown_status",
			"unprotected",
			false,
		},
		"not known":           {tagged("gold"), status("UNKNOWN"), "unknown_status", "unprotected", false},
		"reconfigured":        {tagged("gold"), status("RECONFIGURING"), "configuring", "unprotected", false},
		"of a later release":  {tagged("gold"), status("WARNING"), "unknown_status", "unprotected", false},
		"of no documentation": {tagged("gold"), status("IN_PROGRESS"), "unknown_status", "unprotected", false},
		"configuration not known": {
			tagged("gold"),
			with(func(r *compliance.Replication) { r.ConfigurationState = "UNKNOWN" }),
			"unknown_status",
			"unprotected",
			false,
		},

		"in violation": {
			tagged("gold"),
			status("RPO_VIOLATION"),
			"in_violation",
			"in_violation",
			false,
		},
		"in violation by the flag": {
			tagged("gold"),
			with(func(r *compliance.Replication) { r.Violation = true }),
			"in_violation",
			"in_violation",
			false,
		},
		"in violation during sync": {
			tagged("gold"),
			status("SYNC_RPO_VIOLATION"),
			"in_violation",
			"in_violation",
			false,
		},
		"in violation during a full sync": {
			tagged("gold"),
			status("FULL_SYNC_RPO_VIOLATION"),
			"in_violation",
			"in_violation",
			false,
		},
		"not active, in violation": {
			tagged("gold"),
			status("NOT_ACTIVE_RPO_VIOLATION"),
			"not_active",
			"unprotected in_violation",
			false,
		},
		"error, in violation": {
			tagged("gold"),
			status("ERROR_RPO_VIOLATION"),
			"error",
			"unprotected in_violation",
			false,
		},
		"weaker": {
			tagged("gold"),
			with(func(r *compliance.Replication) { r.RPOMinutes = 16 }),
			"weaker_than_promised",
			"weaker_than_promised",
			false,
		},
		"weaker and in violation": {
			tagged("gold"),
			with(func(r *compliance.Replication) { r.RPOMinutes, r.Violation = 60, true }),
			"in_violation",
			"weaker_than_promised in_violation",
			false,
		},
		"weaker and paused": {
			tagged("gold"),
			with(func(r *compliance.Replication) { r.RPOMinutes, r.Status = 60, "PAUSED" }),
			"paused",
			"unprotected weaker_than_promised",
			false,
		},
		"several tiers": {
			tagged("silver", "gold"),
			status("OK"),
			"several_tiers",
			"several_tiers",
			false,
		},
		"several tiers, the strictest is not kept": {
			tagged("silver", "gold"),
			with(func(r *compliance.Replication) { r.RPOMinutes = 60 }),
			"weaker_than_promised",
			"weaker_than_promised several_tiers",
			false,
		},
		"several tiers, not replicated": {
			tagged("silver", "gold"),
			nil,
			"unprotected",
			"unprotected several_tiers",
			false,
		},
		"one tier twice": {tagged("gold", "gold"), status("OK"), "compliant", "", true},
		"no tier":        {nil, status("OK"), "untagged", "untagged_but_replicated", true},
		"no tier, in error": {
			nil,
			status("ERROR_RPO_VIOLATION"),
			"untagged",
			"untagged_but_replicated",
			true,
		},
		"a tag that is no tier's": {
			tagged("backup"),
			status("OK"),
			"untagged",
			"untagged_but_replicated",
			true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := compliance.Judge(tiers, test.vms, test.replications)
			assert.Equal(t, test.verdict, r.VMs["vm-1"].Verdict)
			assert.Equal(t, test.lists, lists(r, "vm-1"))
			assert.Equal(t, test.compliant, r.Compliant)
		})
	}
}

func TestJudge_values(t *testing.T) {
	t.Parallel()
	r := compliance.Judge(tiers, []compliance.VM{
		{ID: "vm-1", Name: "db", Tiers: []string{"silver", "gold", "also-gold"}, Found: true},
		{ID: "vm-2", Name: "web", Tiers: []string{"silver"}, Found: true},
		{ID: "vm-3", Tiers: []string{"silver"}},
	}, []compliance.Replication{
		fine(),
		{ID: "r-3", VMID: "vm-3", Name: "by its replication", RPOMinutes: 60, Status: "SYNC", Synced: true},
		{ID: "r-4", VMID: "vm-4", Name: "spare", RPOMinutes: 240, Status: "PAUSED"},
		{ID: "r-5", Name: "VM is gone", RPOMinutes: 5, Status: "ERROR"},
	})
	want := map[string]compliance.Verdict{
		// If two tiers have the shortest RPO, the first by name applies. The VM's name in vCenter takes precedence over
		// the name of the replication.
		"vm-1": {
			ID:                   "vm-1",
			Name:                 "db",
			Tier:                 "also-gold",
			PromisedRPOMinutes:   15,
			ConfiguredRPOMinutes: 15,
			Status:               "OK",
			ProtectedBy:          "vsphere_replication",
			Verdict:              "several_tiers",
		},
		"vm-2": {ID: "vm-2", Name: "web", Tier: "silver", PromisedRPOMinutes: 60, Verdict: "unprotected"},
		"vm-3": {
			ID:                   "vm-3",
			Name:                 "by its replication",
			Tier:                 "silver",
			PromisedRPOMinutes:   60,
			ConfiguredRPOMinutes: 60,
			Status:               "SYNC",
			ProtectedBy:          "vsphere_replication",
			Verdict:              "compliant",
		},
		"vm-4": {
			ID:                   "vm-4",
			Name:                 "spare",
			ConfiguredRPOMinutes: 240,
			Status:               "PAUSED",
			ProtectedBy:          "vsphere_replication",
			Verdict:              "untagged",
		},
	}
	assert.Equal(t, want, r.VMs)
	assert.Equal(t, map[string]int64{"also-gold": 1, "gold": 0, "silver": 2}, r.Tagged)
	assert.Equal(t, []string{"r-5"}, r.Orphans)
	const summary = "Of 3 VMs with a tier: 1 unprotected (web: unprotected); 1 with tags of several tiers (db: " +
		"several_tiers)."
	assert.Equal(t, summary, r.Summary)
}

func TestJudge_severalReplications(t *testing.T) {
	t.Parallel()
	second := fine()
	second.ID = "r-2"
	second.RPOMinutes = 30
	second.Status = "PAUSED"
	for _, order := range [][]compliance.Replication{{fine(), second}, {second, fine()}} {
		v := compliance.Judge(tiers, tagged("gold"), order).VMs["vm-1"]
		assert.Equal(t, "paused", v.Verdict)
		assert.EqualValues(t, 30, v.ConfiguredRPOMinutes)
		assert.Equal(t, "PAUSED", v.Status)
	}
}

func TestJudge_summary(t *testing.T) {
	t.Parallel()
	var many []compliance.VM
	for _, id := range []string{"vm-7", "vm-6", "vm-5", "vm-4", "vm-3", "vm-2"} {
		many = append(many, compliance.VM{ID: id, Tiers: []string{"gold"}, Found: true})
	}
	weak := with(func(r *compliance.Replication) { r.RPOMinutes, r.Violation = 60, true })
	for _, test := range []struct {
		result compliance.Result
		want   string
	}{
		{compliance.Judge(tiers, nil, status("OK")), "No VM has the tag of a tier, so there is nothing to check."},
		{compliance.Judge(tiers, tagged("gold"), status("OK")), "All promises are met for 1 VM."},
		{
			compliance.Judge(tiers, many, nil),
			"Of 6 VMs with a tier: 6 unprotected (vm-2: unprotected, vm-3: unprotected, vm-4: unprotected, vm-5: " +
				"unprotected, vm-6: unprotected and 1 more).",
		},
		{
			compliance.Judge(tiers, tagged("gold"), weak),
			"Of 1 VM with a tier: 1 with an RPO longer than promised (db: in_violation); 1 currently in violation " +
				"of the RPO (db: in_violation).",
		},
	} {
		assert.Equal(t, test.want, test.result.Summary)
	}
}

func TestJudge_mechanisms(t *testing.T) {
	t.Parallel()
	tiers := map[string]compliance.Tier{"gold": {RPOMinutes: 15}}
	vms := []compliance.VM{{ID: "vm-1", Tiers: []string{"gold"}, Found: true}}
	type all = []compliance.Replication
	one := func(by, status string, rpo int64) compliance.Replication {
		return compliance.Replication{VMID: "vm-1", By: by, Status: status, RPOMinutes: rpo, Synced: true}
	}
	group, vr := compliance.ProtectionGroup, compliance.VSphereReplication
	unknown := one(group, "OK", 15)
	unknown.ViolationUnknown = true
	for name, test := range map[string]struct {
		of      all
		verdict string
		by      string
		rpo     int64
	}{
		"one of each":       {all{one(vr, "PAUSED", 5), one(group, "OK", 15)}, compliance.Compliant, "both", 15},
		"the other":         {all{one("", "OK", 15), one(group, "ERROR", 15)}, compliance.Compliant, "both", 15},
		"weaker":            {all{one(vr, "OK", 60), one(group, "OK", 15)}, compliance.Compliant, "both", 15},
		"both good":         {all{one(vr, "OK", 5), one(group, "OK", 15)}, compliance.Compliant, "both", 5},
		"several of one":    {all{one(group, "OK", 15), one(group, "ERROR", 15)}, compliance.Failed, group, 15},
		"release 9.0":       {all{unknown}, compliance.ViolationUnknown, group, 15},
		"9.0 and the other": {all{unknown, one(vr, "OK", 15)}, compliance.Compliant, "both", 15},
	} {
		got := compliance.Judge(tiers, vms, test.of).VMs["vm-1"]
		assert.Equal(t, test.verdict, got.Verdict, name)
		assert.Equal(t, test.by, got.ProtectedBy, name)
		assert.Equal(t, test.rpo, got.ConfiguredRPOMinutes, name)
	}
}
