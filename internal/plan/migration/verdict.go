// The verdict on a vMotion and what explains it.

package migration

import (
	"fmt"
	"strings"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/quantity"
)

// judge fills verdict, findings and summary. rate and memoryRate are one migration's, in bit/s.
func (in VMotionInput) judge(rate, memoryRate float64, r *VMotionResult) {
	find := func(code, sentence string, args ...any) {
		r.Findings = append(r.Findings, plan.Finding{Code: code, Sentence: fmt.Sprintf(sentence, args...)})
	}
	unsupported := memoryRate <= 0
	if unsupported {
		find(
			ReasonDiskNeverEnds,
			"The guest writes %s to its disks, as much as one migration's %s carry: the copy never ends.",
			quantity.FromMbps(in.DiskWriteMbps),
			quantity.Rate(rate),
		)
	}
	if rate < minMbpsPerMigration*bitsPerMbit {
		unsupported = true
		find(
			ReasonBelow250Mbps,
			"One migration has %s; vSphere asks for 250 Mbit/s for each concurrent migration.",
			quantity.Rate(rate),
		)
	}
	if in.RTTMs > maxRTTMs {
		unsupported = true
		find(
			ReasonRTTAbove150,
			"The round trip takes %s ms; vSphere supports 150 ms (100 ms to VMware Cloud on AWS).",
			plan.Thousands(in.RTTMs, -1),
		)
	}
	if r.SDPSExpected {
		find(
			ReasonSDPSExpected,
			"The guest dirties memory at %s, faster than the %s that are left for it: it will be slowed down to %s%% of its speed.",
			quantity.FromMbps(in.MemoryDirtyMbps),
			quantity.Rate(memoryRate),
			plan.Thousands(r.GuestSpeedPercent, 1),
		)
	}
	if r.SwitchOverSeconds != nil && *r.SwitchOverSeconds > maxSwitchOverSeconds {
		find(
			ReasonSwitchOverAbove1,
			"The guest stops for %s seconds; above one second, connections of its clients may end.",
			plan.Thousands(*r.SwitchOverSeconds, 2),
		)
	}
	if memoryRate > 0 && !r.MeetsSwitchOverGoal {
		find(ReasonGoalMissed, "After %d rounds the guest stops for %s, longer than the goal of %s ms.",
			*r.PrecopyRounds, quantity.Duration(*r.SwitchOverSeconds), plan.Thousands(in.SwitchOverGoalMs, -1))
	}
	switch {
	case unsupported:
		r.Verdict = VerdictUnsupported
	case len(r.Findings) > 0:
		r.Verdict = VerdictAtRisk
	default:
		r.Verdict = VerdictOK
	}
	r.Summary = in.summary(r)
}

func (in VMotionInput) summary(r *VMotionResult) string {
	if r.DurationSeconds == nil {
		return r.Findings[0].Sentence
	}
	s := fmt.Sprintf(
		"The move takes %s: %s for %s of disks and %s for %s of memory in %d rounds; the guest stops for %s.",
		quantity.Duration(*r.DurationSeconds),
		quantity.Duration(*r.DiskCopySeconds),
		quantity.FromGiB(in.DiskGiB),
		quantity.Duration(
			*r.MemoryCopySeconds,
		),
		quantity.FromGiB(in.MemoryGiB),
		*r.PrecopyRounds,
		quantity.Duration(*r.SwitchOverSeconds),
	)
	return strings.Join(append([]string{s}, plan.Sentences(r.Findings)...), " ")
}
