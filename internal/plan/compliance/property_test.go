package compliance_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"terraform-provider-vsla/internal/plan/compliance"
)

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
			ID:       id.Draw(t, "id"),
			Name:     "name",
			Tiers:    names.Draw(t, "tiers"),
			Found:    rapid.Bool().Draw(t, "found"),
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
		assert.Equal(t, len(r.Unprotected)+len(r.WeakerThanPromised)+len(r.InViolation)+len(r.SeveralTiers) == 0,
			r.Compliant)
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
			if promised && !judged {
				assert.Contains(t, r.Templates, m.ID)
			}
		}
		for _, one := range replications {
			_, known := r.VMs[one.VMID]
			if !known {
				assert.Contains(t, r.Orphans, one.ID)
			}
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
		if after.Compliant {
			assert.True(t, before.Compliant, "%+v\nbecomes %+v", before, after)
		}
	})
}
