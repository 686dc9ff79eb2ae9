package migration

import (
	"fmt"

	"terraform-provider-vsla/internal/plan"
)

func (in PlanInput) slots() map[string]int {
	slots := map[string]int{
		LimitedByHost:      DefaultHostSlots,
		LimitedByDatastore: DefaultDatastoreSlots,
		LimitedByNetwork:   fastNetworkSlots,
	}
	switch {
	case in.NICMbps < slowNICMbps:
		slots[LimitedByNetwork] = slowestNetworkSlots
	case in.NICMbps < fastNICMbps:
		slots[LimitedByNetwork] = slowNetworkSlots
	}
	for kind, given := range map[string]*float64{
		LimitedByHost:      in.HostSlots,
		LimitedByDatastore: in.DatastoreSlots,
		LimitedByNetwork:   in.NetworkSlots,
	} {
		if given != nil {
			slots[kind] = int(*given)
		}
	}
	return slots
}

// reserve adds the slots that a unit needs to the slots in use, or subtracts them if sign is -1. It reports whether
// there are enough slots.
func (s *scheduler) reserve(charge []int, sign int) bool {
	ok := true
	for i := 0; i < len(charge); i += 2 {
		id := charge[i]
		s.usedSlots[id] += sign * charge[i+1]
		ok = ok && s.usedSlots[id] <= s.totalSlots[id]
	}
	return ok
}

func (s *scheduler) checkSlots() error {
	var errs plan.InputErrors
	for i, u := range s.units {
		at, split := plan.Attr("virtual_machines").Key(u.members[0].name), ""
		if len(u.members) > 1 {
			at, split = at.Attr("move_group"), ", or split the group"
		}
		errs = errs.With(at, s.slotShortage(i, split))
	}
	return errs.Err()
}

func (s *scheduler) slotShortage(i int, split string) error {
	if n := len(s.units[i].members); n > s.concurrent {
		return fmt.Errorf("has %d VMs that start together: increase max_concurrent to %[1]d%s", n, split)
	}
	if n := s.units[i].moveCount; n > s.maxMoves {
		return fmt.Errorf("has %d VMs that move in one window: increase max_moves_per_window to %[1]d%s", n, split)
	}
	needs := map[int]int{}
	for at := 0; at < len(s.slotNeeds[i]); at += 2 {
		needs[s.slotNeeds[i][at]] += s.slotNeeds[i][at+1]
	}
	for id, r := range s.resources {
		if needs[id] > s.totalSlots[id] {
			return fmt.Errorf(
				"requires %d slots of the %s %q, which has only %d: increase %s to %[1]d%[6]s",
				needs[id],
				r.kind,
				r.name,
				s.totalSlots[id],
				slotInputs[r.kind],
				split,
			)
		}
	}
	return nil
}
