// Results about the same VMs: which of them counts, and which is not as sure as it reads.

package report

import (
	"maps"
	"math"
	"reflect"
	"slices"

	"terraform-provider-vsla/internal/plan/replication"
)

const (
	scheduleType  = "vsla_replication_schedule"
	minutesPerDay = 1440
)

// unread reports whether the values of a result must not or cannot be shown.
func (in *instance) unread() bool { return in.deferred != "" || len(in.sensitive) > 0 }

// relate compares each estimate with the schedule of its link that has its VMs as a group. An estimate that assumes the
// same change does not count, unless it misses. A result that holds is at risk where the other one
// about the same VMs does not hold.
func relate(all []*instance) {
	estimates := make(map[string][]*instance)
	for _, in := range all {
		if link := in.text("link"); in.kind == estimateType && link != "" && !in.unread() && !in.result {
			estimates[link] = append(estimates[link], in)
		}
	}
	for _, s := range all {
		if s.kind != scheduleType || s.unread() || s.result {
			continue
		}
		for _, e := range estimates[s.text("link")] {
			if g := s.groupOf(e); g != nil {
				g.relate(e, s)
			}
		}
	}
}

// groupOf returns the group of a schedule that has the VMs of an estimate; nil without one.
func (in *instance) groupOf(estimate *instance) *group {
	name := estimate.key
	values, ok := in.object("groups")[name].(map[string]any)
	if !ok {
		return nil
	}
	for _, input := range []string{"vm_count", "vm_size_gib", "rpo_minutes"} {
		if values[input] != estimate.values[input] {
			return nil
		}
	}
	g := newGroup(name, values, nil)
	return &g
}

func (g *group) relate(e, s *instance) {
	e.simulated = true
	level, _ := e.level()
	total, _ := s.level()
	// A deadline is another promise.
	missesRPO := level == Misses && e.values["meets_rpo"] != true
	switch {
	case missesRPO && (total == Holds || g.level == Holds || s.doubts != nil):
		if s.doubts == nil {
			s.doubts = make(map[string]string)
		}
		s.doubts[g.key] = "This is " + g.changeAssumption() + ": " + e.name() + ", " + changeAssumption(e) +
			", does not hold, so that it counts as at risk."
	case g.level == Misses && level == Holds:
		e.doubts = map[string]string{
			"": "In the schedule, " + g.changeAssumption() + ", these VMs do not hold, so that this " +
				"counts as at risk.",
		}
	}
	e.alone = level != Misses && e.values["deadline_hours"] == nil && g.sameChange(e)
}

// name is a result's name for readers.
func (in *instance) name() string {
	if in.title != "" {
		return in.title
	}
	return clean(titleOf(in.address, in.kind))
}

// changeAssumption states what the schedule assumes about the change of a group.
func (g *group) changeAssumption() string {
	text := "if the change is spread evenly"
	_, peak := g.number("peak_factor")
	switch {
	case peak:
		text = "with change at " + g.format("peak_factor") + " times the daily mean"
	case g.values["hourly_weights"] != nil:
		text = "with the change of the hourly weights"
	}
	if len(g.object("change_curve")) > 0 {
		text += ", by the change curve"
	}
	return text
}

// sameChange reports whether an estimate assumes the change that the schedule has.
func (g *group) sameChange(estimate *instance) bool {
	for _, input := range []string{"daily_change_percent", "change_curve"} {
		if !reflect.DeepEqual(g.values[input], estimate.values[input]) {
			return false
		}
	}
	rpo, _ := g.number("rpo_minutes")
	peak := 1.0
	if p, ok := g.number("peak_factor"); ok {
		peak = p
	} else if weights, ok := g.values["hourly_weights"].([]any); ok {
		numbers := make([]float64, len(weights))
		for i, w := range weights {
			numbers[i], _ = w.(float64)
		}
		if p, starts := replication.Peak(numbers, rpo); len(starts) > 0 {
			peak = p
		}
	}
	assumed, given := estimate.number("peak_factor")
	if !given {
		// The whole day in one cycle, and with a curve what it has of one cycle.
		assumed = minutesPerDay / rpo
		if len(estimate.object("change_curve")) > 0 {
			assumed = 1
		}
	}
	if len(estimate.object("change_curve")) == 0 {
		// No cycle carries more than a day's change.
		peak, assumed = min(peak, minutesPerDay/rpo), min(assumed, minutesPerDay/rpo)
	}
	return math.Abs(peak-assumed) <= 1e-9*peak
}

// doubtNotes are the sentences on why a result is at risk that holds by itself, by the group.
func (in *instance) doubtNotes() []string {
	notes := []string{}
	for _, key := range slices.SortedFunc(maps.Keys(in.doubts), natural) {
		notes = append(notes, in.doubts[key])
	}
	return notes
}

// scheduleAssumption states what a schedule assumes about the change, where that is the same for all groups.
func scheduleAssumption(in *instance) string {
	text := ""
	for _, values := range in.object("groups") {
		one, _ := values.(map[string]any)
		g := group{instance: &instance{values: one}}
		switch assumed := g.changeAssumption(); text {
		case "", assumed:
			text = assumed
		default:
			return "with the change of each group"
		}
	}
	return text
}
