package compliance_test

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"terraform-provider-vsla/internal/plan/compliance"
)

// words are statuses of the API, and two unknown ones.
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

// TestJudge_consistent checks that verdicts, lists and Compliant never contradict each other.
func TestJudge_consistent(t *testing.T) {
	t.Parallel()
	protectionFails := compliance.Verdicts()[:9]
	rapid.Check(t, func(t *rapid.T) {
		vms, replications := estate(t)
		r := compliance.Judge(tiers, vms, replications)
		if r.Compliant != (len(r.Unprotected)+len(r.WeakerThanPromised)+len(r.InViolation)+len(r.SeveralTiers) == 0) {
			t.Errorf("compliant is %v: %+v", r.Compliant, r)
		}
		for _, list := range [][]string{
			r.Unprotected, r.WeakerThanPromised, r.InViolation, r.SeveralTiers, r.UntaggedButReplicated, r.Templates,
			r.Orphans,
		} {
			if !slices.IsSorted(list) || len(slices.Compact(slices.Clone(list))) != len(list) {
				t.Errorf("not sorted, or something twice: %q", list)
			}
		}
		for id, v := range r.VMs {
			in := lists(r, id)
			if !slices.Contains(compliance.Verdicts(), v.Verdict) {
				t.Errorf("%s has the verdict %q", id, v.Verdict)
			}
			if (v.Verdict == compliance.Compliant) != (in == "") ||
				(v.Verdict == compliance.Untagged) != (in == "untagged_but_replicated") {
				t.Errorf("%s is %s, and in %q", id, v.Verdict, in)
			}
			if slices.Contains(protectionFails, v.Verdict) != slices.Contains(r.Unprotected, id) {
				t.Errorf("%s is %s, and in %q", id, v.Verdict, in)
			}
			if (v.Tier == "") != (v.PromisedRPOMinutes == 0) || (v.Tier == "") != (v.Verdict == compliance.Untagged) {
				t.Errorf("%s: %+v", id, v)
			}
		}
	})
}

// TestJudge_nothingIsLost checks that every VM with a tier has a verdict or is a listed template, and that every
// replication belongs to a VM or is an orphan.
func TestJudge_nothingIsLost(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		vms, replications := estate(t)
		r := compliance.Judge(tiers, vms, replications)
		for _, m := range vms {
			promised := slices.ContainsFunc(m.Tiers, func(name string) bool { return name != "backup" })
			if _, judged := r.VMs[m.ID]; promised && !judged && !slices.Contains(r.Templates, m.ID) {
				t.Errorf("%+v is lost", m)
			}
		}
		for _, one := range replications {
			if _, known := r.VMs[one.VMID]; !known && !slices.Contains(r.Orphans, one.ID) {
				t.Errorf("%+v is lost", one)
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
		if !reflect.DeepEqual(before, after) {
			t.Errorf("%+v\nbecomes %+v", before, after)
		}
	})
}

// TestJudge_neverBetterByWeakening checks that a longer RPO or a violation never improves compliance.
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
		if after.Compliant && !before.Compliant {
			t.Errorf("%+v\nbecomes %+v", before, after)
		}
	})
}
