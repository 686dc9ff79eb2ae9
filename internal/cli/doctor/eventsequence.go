package doctor

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"terraform-provider-vsla/internal/vsphere"
)

const maxRuns = 80

// reportSequence reports the events of one VM, combining consecutive events of the same type into runs.
func (v *vcenterExaminer) reportSequence(events []vsphere.SampledEvent) {
	if len(events) == 0 {
		v.report.Replication.add("The selected VM has no events in the last seven days.")
		return
	}
	runs := runsOf(events)
	texts := make([]string, 0, maxRuns)
	for _, run := range runs[:min(maxRuns, len(runs))] {
		texts = append(texts, run.String())
	}
	if left := len(runs) - maxRuns; left > 0 {
		texts = append(texts, fmt.Sprintf("and %d more", left))
	}
	v.report.Replication.add(
		"Event sequence of one VM in the last seven days, in minutes since the previous event: %s.",
		strings.Join(texts, "; "),
	)
	v.checkViolations(events)
}

// checkViolations reports whether vCenter repeats the event of a violation until the violation ends.
func (v *vcenterExaminer) checkViolations(events []vsphere.SampledEvent) {
	violated := false
	lasts := false
	repeats := false
	for _, e := range events {
		switch e.Type {
		case vsphere.EventRPOViolated:
			repeats = repeats || lasts
			violated = true
			lasts = true
		case vsphere.EventRPORestored:
			lasts = false
		}
	}
	switch {
	case !violated:
		v.report.addCheck("violation-repeats", Unknown, "The selected VM had no RPO violation in the last seven days.")
	case repeats:
		v.report.addCheck("violation-repeats", OK, "The event of a violation is repeated during the violation. "+
			"vsla counts it once.")
	default:
		v.report.addCheck("violation-repeats", OK, "The event of a violation was not repeated during the violation.")
	}
}

type eventRun struct {
	id string
	// gaps contains the time since the previous event for each event. The first one is the time since the previous run.
	gaps    []time.Duration
	minutes []int64 // duration of the violation in each event
}

func runsOf(events []vsphere.SampledEvent) []eventRun {
	var runs []eventRun
	previous := events[0]
	for _, e := range events {
		if len(runs) == 0 || e.Type != previous.Type {
			runs = append(runs, eventRun{id: e.Type})
		}
		last := &runs[len(runs)-1]
		last.gaps = append(last.gaps, e.At.Sub(previous.At))
		if e.Type == vsphere.EventRPOViolated && e.Minutes > 0 {
			last.minutes = append(last.minutes, e.Minutes)
		}
		previous = e
	}
	return runs
}

const maxMinutes = 12

// String formats a run of events, for example "+14 3 times `hbr.primary.DeltaCompletedEvent` every 14 to 16". All times
// are in minutes.
func (r eventRun) String() string {
	s := fmt.Sprintf("+%.0f ", r.gaps[0].Minutes())
	if len(r.gaps) > 1 {
		s += fmt.Sprintf("%d times ", len(r.gaps))
	}
	s += eventText(r.id)
	if within := r.gaps[1:]; len(within) > 0 {
		s += fmt.Sprintf(" every %.0f to %.0f", slices.Min(within).Minutes(), slices.Max(within).Minutes())
	}
	if len(r.minutes) > 0 {
		s += " with violation minutes " + strings.Trim(fmt.Sprint(r.minutes[:min(maxMinutes, len(r.minutes))]), "[]")
	}
	return s
}
