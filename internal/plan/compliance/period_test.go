package compliance_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"terraform-provider-vsla/internal/plan/compliance"
)

func TestJudgePeriods(t *testing.T) {
	t.Parallel()
	promise := func(percent float64) compliance.Tier {
		return compliance.Tier{RPOMinutes: 15, CompliancePercent: &percent}
	}
	// The first VM has the given numbers of violation and unknown minutes. The second VM is compliant.
	day := func(violation, unknown float64) map[string]compliance.Measured {
		return map[string]compliance.Measured{"gold": {Each: []compliance.Minutes{
			{Violation: violation, Known: 1440 - unknown, Unknown: unknown},
			{Known: 1440},
		}}}
	}
	for name, test := range map[string]struct {
		tier      compliance.Tier
		measured  map[string]compliance.Measured
		verdict   string
		compliant bool
		says      string
	}{
		// A day has 1,440 minutes: 14.4 minutes are 1% of it, and 72 minutes are 5%.
		"just kept": {promise(99), day(14.4, 0), "kept", true, "are met"},
		"one VM is below": {
			promise(99.5), day(14.4, 0), "broken", false,
			"a VM of tier gold was within its RPO for 99% of the known time, but the tier promises 99.5%",
		},
		"a short gap": {promise(99.9), day(0, 72), "kept", true, "are met"},
		"a longer gap": {
			promise(99.9),
			day(0, 72.1),
			"unknown",
			false,
			"the compliance of tier gold in the period is unknown for 1 VM",
		},
		"a gap that no promise needs": {promise(50), day(0, 720), "kept", true, "are met"},
		"half a minute more":          {promise(50), day(0, 720.5), "unknown", false, "unknown for 1 VM"},
		"a VM since an hour":          {promise(99), day(0, 1380), "unknown", false, "unknown for 1 VM"},
		"below, with a gap":           {promise(99), day(100, 1000), "broken", false, "promises 99%"},
		"a VM is unknown":             {promise(0), day(0, 1440), "unknown", false, "unknown for 1 VM"},
		"not measured":                {promise(99), nil, "unknown", false, "unknown"},
		"no promise":                  {compliance.Tier{RPOMinutes: 15}, day(1440, 0), "not_promised", true, "are met"},
		"no VMs": {
			promise(99),
			map[string]compliance.Measured{"gold": {}},
			"no_vms",
			true,
			"are met",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tiers := map[string]compliance.Tier{"gold": test.tier}
			r := compliance.Judge(tiers, []compliance.VM{{ID: "vm-1", Tiers: []string{"gold"}, Found: true}},
				[]compliance.Replication{{
					ID:                 "1",
					VMID:               "vm-1",
					RPOMinutes:         15,
					Status:             "OK",
					ConfigurationState: "OK",
					Synced:             true,
				}})
			require.True(t, r.Compliant, "got %+v, want compliance", r)
			r.JudgePeriods(tiers, test.measured)
			p := r.Periods["gold"]
			assert.Equal(t, test.verdict, p.Verdict)
			assert.Equal(t, test.compliant, r.Compliant)
			assert.Contains(t, r.Summary, test.says)
		})
	}
}

func TestJudgePeriods_closed(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		promised := rapid.Float64Range(0, 100).Draw(t, "promised")
		tiers := map[string]compliance.Tier{"gold": {RPOMinutes: 15, CompliancePercent: &promised}}
		var m compliance.Measured
		kept := true
		for range rapid.IntRange(1, 4).Draw(t, "VMs") {
			vm := compliance.Minutes{Unknown: rapid.Float64Range(0, 1440).Draw(t, "unknown")}
			vm.Known = 1440 - vm.Unknown
			vm.Violation = vm.Known * rapid.Float64Range(0, 1).Draw(t, "violated")
			m.Each = append(m.Each, vm)
			// If the verdict is that the promise is kept, either at least 95% of the period is known, or the promise is
			// kept whatever happened in the unknown time. In both cases, the VM is known to be within its RPO for at
			// least 95% of the promised time.
			kept = kept && vm.Known-vm.Violation >= 0.95*1440*promised/100-1e-6
		}
		before := rapid.Bool().Draw(t, "compliant now")
		r := compliance.Result{Compliant: before}
		r.JudgePeriods(tiers, map[string]compliance.Measured{"gold": m})
		is := r.Periods["gold"].Verdict == compliance.PeriodKept
		if is {
			require.True(t, kept, "%+v, compliant %v", r.Periods["gold"], r.Compliant)
		}
		assert.Equal(t, before && is, r.Compliant)
	})
}
