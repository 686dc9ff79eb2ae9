package compliance_test

import (
	"fmt"
	"slices"
	"strings"
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
			{Violation: violation, Known: 1440 - unknown, Unknown: unknown}, {Known: 1440},
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
		"a short gap":                 {promise(99.9), day(0, 72), "kept", true, "are met"},
		"a longer gap":                {promise(99.9), day(0, 72.1), "unknown", false, "the compliance of tier gold in the period is unknown for 1 VM"},
		"a gap that no promise needs": {promise(50), day(0, 720), "kept", true, "are met"},
		"half a minute more":          {promise(50), day(0, 720.5), "unknown", false, "unknown for 1 VM"},
		"a VM since an hour":          {promise(99), day(0, 1380), "unknown", false, "unknown for 1 VM"},
		"below, with a gap":           {promise(99), day(100, 1000), "broken", false, "promises 99%"},
		"a VM is unknown":             {promise(0), day(0, 1440), "unknown", false, "unknown for 1 VM"},
		"not measured":                {promise(99), nil, "unknown", false, "unknown"},
		"no promise":                  {compliance.Tier{RPOMinutes: 15}, day(1440, 0), "not_promised", true, "are met"},
		"no VMs":                      {promise(99), map[string]compliance.Measured{"gold": {}}, "no_vms", true, "are met"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tiers := map[string]compliance.Tier{"gold": test.tier}
			r := compliance.Judge(tiers, []compliance.VM{{ID: "vm-1", Tiers: []string{"gold"}, Found: true}},
				[]compliance.Replication{{
					ID: "1", VMID: "vm-1", RPOMinutes: 15, Status: "OK", ConfigurationState: "OK", Synced: true,
				}})
			require.True(t, r.Compliant, "got %+v, want compliance", r)
			r.JudgePeriods(tiers, test.measured)
			p := r.Periods["gold"]
			assert.True(t, p.Verdict == test.verdict && r.Compliant == test.compliant && strings.Contains(r.Summary, test.says),
				"%+v, compliant %v, %q", p, r.Compliant, r.Summary)
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
			// If the verdict is that the promise is kept, either at least 95% of the period is known, or the promise is kept
			// whatever happened in the unknown time. In both cases, the VM is known to be within its RPO for at least 95% of the
			// promised time.
			kept = kept && vm.Known-vm.Violation >= 0.95*1440*promised/100-1e-6
		}
		before := rapid.Bool().Draw(t, "compliant now")
		r := compliance.Result{Compliant: before}
		r.JudgePeriods(tiers, map[string]compliance.Measured{"gold": m})
		is := r.Periods["gold"].Verdict == compliance.PeriodKept
		require.False(t, is && !kept, "%+v, compliant %v", r.Periods["gold"], r.Compliant)
		assert.Equal(t, before && is, r.Compliant)
	})
}

var words = []string{
	"FULL_SYNC", "SYNC", "INITIAL_FULL_SYNC", "PAUSED", "RPO_VIOLATION", "MOVING", "OK", "ERROR", "CONFIGURING",
	"NOT_ACTIVE", "UNKNOWN", "SYNC_RPO_VIOLATION", "NOT_ACTIVE_RPO_VIOLATION", "ERROR_RPO_VIOLATION",
	"FULL_SYNC_RPO_VIOLATION", "RECOVERING", "RECOVERED", "DISK_RESIZING", "RECONFIGURING", "",
}

func estate(t *rapid.T) ([]compliance.VM, []compliance.Replication) {
	id := rapid.Custom(func(t *rapid.T) string { return fmt.Sprintf("vm-%d", rapid.IntRange(1, 12).Draw(t, "number")) })
	names := rapid.SliceOfN(rapid.SampledFrom([]string{"gold", "silver", "also-gold", "backup"}), 0, 3)
	vms := rapid.SliceOfNDistinct(rapid.Custom(func(t *rapid.T) compliance.VM {
		return compliance.VM{
			ID: id.Draw(t, "id"), Name: "name", Tiers: names.Draw(t, "tiers"), Found: rapid.Bool().Draw(t, "found"),
			Template: rapid.Bool().Draw(t, "template"),
		}
	}), 0, 8, func(m compliance.VM) string { return m.ID }).Draw(t, "VMs")
	number := 0
	replications := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) compliance.Replication {
		number++
		return compliance.Replication{
			ID:         fmt.Sprintf("r-%d", number),
			VMID:       rapid.OneOf(id, rapid.Just("")).Draw(t, "VM"),
			Name:       "name",
			RPOMinutes: rapid.Int64Range(1, 1440).Draw(t, "rpo"),
			Status:     rapid.SampledFrom(words).Draw(t, "status"),
			ConfigurationState: rapid.SampledFrom([]string{"OK", "OK", "OK", "IN_PROGRESS", "ERROR", "UNKNOWN", "NEW"}).
				Draw(t, "state"),
			Violation:  rapid.Bool().Draw(t, "violation"),
			Synced:     rapid.Bool().Draw(t, "synced"),
			Recovering: rapid.Bool().Draw(t, "recovering"),
		}
	}), 0, 10).Draw(t, "replications")
	return vms, replications
}

func TestJudge_consistent(t *testing.T) {
	t.Parallel()
	protectionFails := compliance.Verdicts()[:9]
	rapid.Check(t, func(t *rapid.T) {
		vms, replications := estate(t)
		r := compliance.Judge(tiers, vms, replications)
		assert.Equal(t, len(r.Unprotected)+len(r.WeakerThanPromised)+len(r.InViolation)+len(r.SeveralTiers) == 0, r.Compliant)
		for _, list := range [][]string{
			r.Unprotected, r.WeakerThanPromised, r.InViolation, r.SeveralTiers, r.UntaggedButReplicated, r.Templates,
			r.Orphans,
		} {
			require.True(t, slices.IsSorted(list), "not sorted, or something twice: %q", list)
			assert.Len(t, slices.Compact(slices.Clone(list)), len(list))
		}
		for id, v := range r.VMs {
			in := lists(r, id)
			assert.Contains(t, compliance.Verdicts(), v.Verdict, id)
			require.Equal(t, in == "", v.Verdict == compliance.Compliant, id)
			assert.Equal(t, in == "untagged_but_replicated", v.Verdict == compliance.Untagged, id)
			assert.Equal(t, slices.Contains(r.Unprotected, id), slices.Contains(protectionFails, v.Verdict), in)
			require.Equal(t, v.PromisedRPOMinutes == 0, v.Tier == "", id)
			assert.Equal(t, v.Verdict == compliance.Untagged, v.Tier == "", id)
		}
	})
}

func TestJudge_nothingIsLost(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		vms, replications := estate(t)
		r := compliance.Judge(tiers, vms, replications)
		for _, m := range vms {
			promised := slices.ContainsFunc(m.Tiers, func(name string) bool { return name != "backup" })
			_, judged := r.VMs[m.ID]
			assert.False(t, promised && !judged && !slices.Contains(r.Templates, m.ID), "%+v is lost", m)
		}
		for _, one := range replications {
			_, known := r.VMs[one.VMID]
			assert.False(t, !known && !slices.Contains(r.Orphans, one.ID), "%+v is lost", one)
		}
	})
}

func TestJudge_anyOrder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		vms, replications := estate(t)
		before := compliance.Judge(tiers, vms, replications)
		after := compliance.Judge(tiers, rapid.Permutation(vms).Draw(t, "VMs in another order"),
			rapid.Permutation(replications).Draw(t, "replications in another order"))
		assert.Equal(t, after, before)
	})
}

func TestJudge_neverBetterByWeakening(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		vms, replications := estate(t)
		before := compliance.Judge(tiers, vms, replications)
		for i := range replications {
			replications[i].RPOMinutes += rapid.Int64Range(0, 100).Draw(t, "longer")
			replications[i].Violation = replications[i].Violation || rapid.Bool().Draw(t, "late")
		}
		after := compliance.Judge(tiers, vms, replications)
		assert.False(t, after.Compliant && !before.Compliant, "%+v\nbecomes %+v", before, after)
	})
}
