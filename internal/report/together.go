// Results about the same VMs: which of them counts, and which is not as sure as it reads.

package report

import (
	"maps"
	"slices"

	"terraform-provider-vsla/internal/report/related"
)

const scheduleType = "vsla_replication_schedule"

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
	if !related.SameVMs(values, estimate.values) {
		return nil
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
		s.doubts[g.key] = "This is " + related.Assumption(g.values) + ": " + e.name() + ", " + changeAssumption(e) +
			", does not hold, so that it counts as at risk."
	case g.level == Misses && level == Holds:
		e.doubts = map[string]string{
			"": "In the schedule, " + related.Assumption(g.values) + ", these VMs do not hold, so that this " +
				"counts as at risk.",
		}
	}
	e.alone = level != Misses && related.Alone(g.values, e.values)
}

// name is a result's name for readers.
func (in *instance) name() string {
	if in.title != "" {
		return in.title
	}
	return clean(titleOf(in.address, in.kind))
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
		switch assumed := related.Assumption(one); text {
		case "", assumed:
			text = assumed
		default:
			return "with the change of each group"
		}
	}
	return text
}
