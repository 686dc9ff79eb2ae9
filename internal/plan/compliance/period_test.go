package compliance_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"terraform-provider-vsla/internal/plan/compliance"
)

// TestJudgePeriods: a tier with each verdict. A day of two VMs has 2,880 minutes.
func TestJudgePeriods(t *testing.T) {
	t.Parallel()
	promise := func(percent float64) compliance.Tier {
		return compliance.Tier{RPOMinutes: 15, CompliancePercent: &percent}
	}
	day := func(violation, unknown float64, unknownVMs int64) compliance.Measured {
		return compliance.Measured{
			VMs: 2, UnknownVMs: unknownVMs, ViolationMinutes: violation, KnownMinutes: 2880 - unknown, UnknownMinutes: unknown,
		}
	}
	for name, test := range map[string]struct {
		tier      compliance.Tier
		measured  map[string]compliance.Measured
		verdict   string
		compliant bool
		says      string
	}{
		"just kept":       {promise(99), map[string]compliance.Measured{"gold": day(28.8, 0, 0)}, "kept", true, "is kept"},
		"below":           {promise(99.5), map[string]compliance.Measured{"gold": day(28.8, 0, 0)}, "broken", false, "tier gold was within its RPO for 99 % of the period, and promises 99.5 %"},
		"a gap":           {promise(99), map[string]compliance.Measured{"gold": day(0, 600, 0)}, "kept", true, "is kept"},
		"a VM is unknown": {promise(99), map[string]compliance.Measured{"gold": day(0, 1440, 1)}, "unknown", false, "the period of tier gold is not known for 1 VM"},
		"below, and a VM": {promise(99), map[string]compliance.Measured{"gold": day(100, 1440, 1)}, "broken", false, "promises 99 %"},
		"all is unknown":  {promise(0), map[string]compliance.Measured{"gold": day(0, 2880, 2)}, "unknown", false, "not known for 2 VMs"},
		"not measured":    {promise(99), nil, "unknown", false, "not known"},
		"no promise":      {compliance.Tier{RPOMinutes: 15}, map[string]compliance.Measured{"gold": day(2880, 0, 0)}, "not_promised", true, "is kept"},
		"no VMs":          {promise(99), map[string]compliance.Measured{"gold": {}}, "no_vms", true, "is kept"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tiers := map[string]compliance.Tier{"gold": test.tier}
			r := compliance.Judge(tiers, []compliance.VM{{ID: "vm-1", Tiers: []string{"gold"}, Found: true}},
				[]compliance.Replication{{
					ID: "1", VMID: "vm-1", RPOMinutes: 15, Status: "OK", ConfigurationState: "OK", Synced: true,
				}})
			if !r.Compliant {
				t.Fatalf("got %+v, want compliance", r)
			}
			r.JudgePeriods(tiers, test.measured)
			if p := r.Periods["gold"]; p.Verdict != test.verdict || r.Compliant != test.compliant ||
				!strings.Contains(r.Summary, test.says) {
				t.Errorf("%+v, compliant %v, %q", p, r.Compliant, r.Summary)
			}
		})
	}
}

// TestJudgePeriods_closed: only a tier whose VMs are all known, and that is not below its promise, keeps it. A snapshot
// that is not compliant stays so.
func TestJudgePeriods_closed(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		promised := rapid.Float64Range(0, 100).Draw(t, "promised")
		tiers := map[string]compliance.Tier{"gold": {RPOMinutes: 15, CompliancePercent: &promised}}
		m := compliance.Measured{
			VMs: rapid.Int64Range(1, 9).Draw(t, "VMs"), KnownMinutes: rapid.Float64Range(0, 1e6).Draw(t, "known"),
		}
		m.UnknownVMs = rapid.Int64Range(0, m.VMs).Draw(t, "unknown VMs")
		m.ViolationMinutes = m.KnownMinutes * rapid.Float64Range(0, 1).Draw(t, "violated")
		before := rapid.Bool().Draw(t, "compliant now")
		r := compliance.Result{Compliant: before}
		r.JudgePeriods(tiers, map[string]compliance.Measured{"gold": m})
		kept := m.UnknownVMs == 0 && m.KnownMinutes > 0 && 100*(1-m.ViolationMinutes/m.KnownMinutes) >= promised
		if (r.Periods["gold"].Verdict == compliance.PeriodKept) != kept || r.Compliant != (before && kept) {
			t.Errorf("%+v, compliant %v", r.Periods["gold"], r.Compliant)
		}
	})
}
