package compliance

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/quantity"
)

// Verdicts on a VM, in the order in which they are checked.
const (
	// NotFound means that vCenter does not return the VM and that the VM has no replication.
	NotFound = "not_found"
	// Unprotected means that the VM has no replication.
	Unprotected = "unprotected"
	// Failed means that the replication or its configuration reports an error.
	Failed = "error"
	// Recovered means that a recovery has started or is complete. The replication no longer protects the recovered VM.
	Recovered = "recovered"
	// Paused means that no data is sent until the replication is resumed.
	Paused = "paused"
	// Configuring means that the configuration is not complete.
	Configuring = "configuring"
	// NotActive means that no data is sent after the initial sync because the VM is powered off or unreachable.
	NotActive = "not_active"
	// UnknownStatus means that vSphere Replication reports an unknown state or a status introduced in a later release.
	UnknownStatus = "unknown_status"
	// InitialSync means that the initial sync is not complete, so no recovery is possible.
	InitialSync = "initial_sync"
	// ViolationUnknown means that the replication runs but does not report whether it meets its RPO.
	ViolationUnknown = "violation_unknown"
	// InViolation means that the replica is older than the configured RPO.
	InViolation = "in_violation"
	// WeakerThanPromised means that the configured RPO is longer than the promise of the tier allows.
	WeakerThanPromised = "weaker_than_promised"
	// SeveralTiers means that the VM meets its promise but has the tags of more than one tier.
	SeveralTiers = "several_tiers"
	// Compliant means that the VM meets the tier's promise.
	Compliant = "compliant"
	// Untagged means that the VM is replicated but has no tier.
	Untagged = "untagged"
)

// Verdicts returns the verdicts in the order in which they are checked.
func Verdicts() []string {
	return []string{
		NotFound, Unprotected, Failed, Recovered, Paused, Configuring, NotActive, UnknownStatus, InitialSync,
		ViolationUnknown, InViolation, WeakerThanPromised, SeveralTiers, Compliant, Untagged,
	}
}

const violationSuffix = "_RPO_VIOLATION"

func (r Replication) late() bool {
	return r.Violation || r.Status == "RPO_VIOLATION" || strings.HasSuffix(r.Status, violationSuffix)
}

// running lists the statuses of replications that send data, without violationSuffix.
var running = []string{"OK", "SYNC", "FULL_SYNC", "INITIAL_FULL_SYNC", "RPO_VIOLATION", "MOVING", "DISK_RESIZING"}

// fault returns the verdict on a replication that does not protect its VM, or an empty string if the replication
// protects it. The statuses are those of the vSphere Replication REST API v2. A replication whose replica is being
// moved or whose disks are being resized still protects its VM, because the newest instance is kept.
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
	case word == "NOT_ACTIVE" && r.Synced:
		return NotActive
	case word == "NOT_ACTIVE":
		return InitialSync
	case !slices.Contains(running, word), r.ConfigurationState != "OK" && r.ConfigurationState != "":
		return UnknownStatus
	case word == "INITIAL_FULL_SYNC", !r.Synced:
		return InitialSync
	case r.ViolationUnknown:
		return ViolationUnknown
	}
	return ""
}

func (r *Result) summary() string {
	tagged := int64(0)
	for _, n := range r.Tagged {
		tagged += n
	}
	if r.Compliant {
		if tagged == 0 {
			return "No VM has the tag of a tier, so there is nothing to check."
		}
		return "All promises are met for " + vms(tagged) + "."
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
		{r.WeakerThanPromised, "with an RPO longer than promised"},
		{r.InViolation, "currently in violation of the RPO"},
		{r.SeveralTiers, "with tags of several tiers"},
	} {
		if len(list.ids) > 0 {
			parts = append(parts,
				fmt.Sprintf("%s %s (%s)", plan.Thousands(float64(len(list.ids)), 0), list.what, r.firstNames(list.ids)))
		}
	}
	return "Of " + vms(tagged) + " with a tier: " + strings.Join(parts, "; ") + "."
}

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

// MaxUnknownPercent is the largest share of a period that can be unknown without making the measured compliance
// inconclusive. Some time is always unknown, because events arrive late and a period begins between two events. The
// value is this project's own assumption.
const MaxUnknownPercent = 5.0

// Minutes contains a VM's measurements in a period, or their sums over the VMs of a tier.
type Minutes struct {
	// Violation is included in Known. Known and Unknown add up to the period.
	Violation, Known, Unknown float64
}

func (m Minutes) compliancePercent() *float64 {
	if m.Known <= 0 {
		return nil
	}
	return new(quantity.Percent * (1 - m.Violation/m.Known))
}

// keeps reports whether a VM is known to keep a promise. Its compliance in the known time must be at least the promised
// percentage. In addition, either the unknown time must be at most MaxUnknownPercent of the period, or the promise must
// be kept even on the assumption that the VM was outside its RPO for all of the unknown time.
func (m Minutes) keeps(promised float64) bool {
	percent, all := m.compliancePercent(), m.Known+m.Unknown
	return percent != nil && *percent >= promised &&
		(m.Known-m.Violation >= all*promised/quantity.Percent || m.Unknown <= all*MaxUnknownPercent/quantity.Percent)
}

func (p *Period) count(vm Minutes) {
	percent := vm.compliancePercent()
	if percent != nil && (p.CompliancePercent == nil || *percent < *p.CompliancePercent) {
		p.CompliancePercent = percent
	}
	broken := percent != nil && p.PromisedPercent != nil && *percent < *p.PromisedPercent
	if percent == nil || (p.PromisedPercent != nil && !broken && !vm.keeps(*p.PromisedPercent)) {
		p.UnknownVMs++
	}
}

func (p *Period) judge(looked bool) {
	switch {
	case looked && len(p.Each) == 0:
		p.Verdict = PeriodEmpty
	case p.PromisedPercent == nil:
		p.Verdict = PeriodNotPromised
	case p.CompliancePercent != nil && *p.CompliancePercent < *p.PromisedPercent:
		p.Verdict = PeriodBroken
	case p.CompliancePercent == nil || p.UnknownVMs > 0:
		p.Verdict = PeriodUnknown
	default:
		p.Verdict = PeriodKept
	}
}
