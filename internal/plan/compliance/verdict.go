// The verdicts, and what each state of a replication means for the VM.

package compliance

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/quantity"
)

// The verdicts, the one that counts first: a VM gets the first that holds.
const (
	// NotFound: the tag is on a VM that vCenter does not show and nothing replicates.
	NotFound = "not_found"
	// Unprotected: there is no replication.
	Unprotected = "unprotected"
	// Failed: the replication, or its configuration, is in error.
	Failed = "error"
	// Recovered: a recovery has begun or is done. What runs at the target now is not protected by this replication.
	Recovered = "recovered"
	// Paused: nothing is sent until the replication is resumed.
	Paused = "paused"
	// Configuring: the configuration is not finished.
	Configuring = "configuring"
	// InitialSync: the initial sync is not complete, so there is nothing to recover.
	InitialSync = "initial_sync"
	// NotActive: nothing is sent, because the VM is off or cannot be reached.
	NotActive = "not_active"
	// UnknownStatus: vSphere Replication does not know the state of the replication, or reports it in a word of a later
	// release.
	UnknownStatus = "unknown_status"
	// ViolationUnknown: the replication runs, and whether it keeps its RPO is not reported.
	ViolationUnknown = "violation_unknown"
	// InViolation: the replica is older now than the configured RPO allows.
	InViolation = "in_violation"
	// WeakerThanPromised: the configured RPO is longer than the tier's.
	WeakerThanPromised = "weaker_than_promised"
	// SeveralTiers: everything is kept, but it is not clear which tier is meant.
	SeveralTiers = "several_tiers"
	// Compliant: the tier's promise is kept.
	Compliant = "compliant"
	// Untagged: the VM is replicated and carries no tier's tag.
	Untagged = "untagged"
)

// Verdicts returns all verdicts in their order.
func Verdicts() []string {
	return []string{
		NotFound, Unprotected, Failed, Recovered, Paused, Configuring, InitialSync, NotActive, UnknownStatus,
		ViolationUnknown, InViolation, WeakerThanPromised, SeveralTiers, Compliant, Untagged,
	}
}

// severity orders verdicts; a replication that protects has none and comes last.
func severity(verdict string) int {
	if i := slices.Index(Verdicts(), verdict); i >= 0 {
		return i
	}
	return len(Verdicts())
}

// violationSuffix is behind the words of some states of a replication whose replica is too old.
const violationSuffix = "_RPO_VIOLATION"

// late reports whether the replica is older now than the configured RPO allows, by the flag or by the word.
func (r Replication) late() bool {
	return r.Violation || r.Status == "RPO_VIOLATION" || strings.HasSuffix(r.Status, violationSuffix)
}

// fault returns why a replication does not protect its VM now; empty when it does. The words are those of the REST API
// v2 of vSphere Replication; moving a replica, or resizing its disks, leaves the newest instance in place.
func (r Replication) fault() string {
	word := strings.TrimSuffix(r.Status, violationSuffix)
	switch {
	case word == "ERROR", word == "CONFIGURATION_ERROR", r.ConfigurationState == "ERROR":
		return Failed
	case word == "RECOVERING", word == "RECOVERED", r.Recovering:
		return Recovered
	case word == "PAUSED":
		return Paused
	case word == "CONFIGURING", word == "RECONFIGURING", r.ConfigurationState == "IN_PROGRESS":
		return Configuring
	case word == "NOT_ACTIVE":
		return NotActive
	case word == "INITIAL_FULL_SYNC":
		return InitialSync
	case !slices.Contains([]string{"OK", "SYNC", "FULL_SYNC", "RPO_VIOLATION", "MOVING", "DISK_RESIZING"}, word),
		r.ConfigurationState != "OK" && r.ConfigurationState != "":
		return UnknownStatus
	case !r.Synced:
		return InitialSync
	case r.ViolationUnknown:
		return ViolationUnknown
	}
	return ""
}

// without is the verdict on a VM that has no replication.
func without(m VM) string {
	if m.Found {
		return Unprotected
	}
	return NotFound
}

// summary counts the problems.
func (r *Result) summary() string {
	tagged := int64(0)
	for _, n := range r.Tagged {
		tagged += n
	}
	if r.Compliant {
		if tagged == 0 {
			return "No VM carries a tier's tag, so nothing is promised and nothing was checked."
		}
		return "What the tiers promise is kept for " + vms(tagged) + "."
	}
	var parts []string
	if broken := r.brokenPeriods(); len(broken) > 0 {
		parts = append(parts, broken...)
	}
	for _, list := range []struct {
		ids  []string
		what string
	}{
		{r.Unprotected, "unprotected"},
		{r.WeakerThanPromised, "with a longer RPO than promised"},
		{r.InViolation, "in violation of the RPO now"},
		{r.SeveralTiers, "with the tags of several tiers"},
	} {
		if len(list.ids) > 0 {
			parts = append(
				parts,
				fmt.Sprintf("%s %s (%s)", plan.Thousands(float64(len(list.ids)), 0), list.what, r.firstNames(list.ids)),
			)
		}
	}
	return "Of " + vms(tagged) + " with a tier: " + strings.Join(parts, "; ") + "."
}

// firstNames returns the names and verdicts of the first VMs of a list.
func (r *Result) firstNames(ids []string) string {
	return quantity.ListOf(ids, 5, func(id string) string {
		v := r.VMs[id]
		return cmp.Or(v.Name, id) + ": " + v.Verdict
	})
}

func vms(n int64) string {
	if n == 1 {
		return "1 VM"
	}
	return plan.Thousands(float64(n), 0) + " VMs"
}
