package migration

import (
	"fmt"

	"terraform-provider-vsla/internal/plan"
)

// Slots in vCenter. A network adapter has 2 slots below 1 Gbit/s, 4 below 10 Gbit/s, and 8 otherwise.
const (
	DefaultHostSlots      = 8
	DefaultDatastoreSlots = 128
	slowestNetworkSlots   = 2
	slowNetworkSlots      = 4
	fastNetworkSlots      = 8
	slowNICMbps           = 1000
	fastNICMbps           = 10000
)

// slots counts the slots of hosts, datastores and network adapters, in the order in which units need them.
type slots struct {
	resources   []resource
	total, used []int
}

type resource struct{ kind, name string }

// slotNeed is a number of slots of a resource. index is the index of the resource in slots.
type slotNeed struct {
	resource
	index, slots int
}

func (in PlanInput) newSlots(units []unit) slots {
	network := fastNetworkSlots
	switch {
	case in.NICMbps < slowNICMbps:
		network = slowestNetworkSlots
	case in.NICMbps < fastNICMbps:
		network = slowNetworkSlots
	}
	total := map[string]int{
		LimitedByHost:      wholeOr(in.HostSlots, DefaultHostSlots),
		LimitedByDatastore: wholeOr(in.DatastoreSlots, DefaultDatastoreSlots),
		LimitedByNetwork:   wholeOr(in.NetworkSlots, network),
	}
	var s slots
	indexes := numbers[resource]{}
	for i := range units {
		units[i].needs = nil
		for _, m := range units[i].members {
			for at := range m.needs {
				n := &m.needs[at]
				if n.index = indexes.of(n.resource); n.index == len(s.resources) {
					s.resources = append(s.resources, n.resource)
					s.total = append(s.total, total[n.kind])
				}
			}
			units[i].needs = append(units[i].needs, m.needs...)
		}
	}
	s.used = make([]int, len(s.total))
	return s
}

// add adds the slots that are needed to the slots in use, or subtracts them if sign is -1.
func (s *slots) add(needs []slotNeed, sign int) {
	for i := range needs {
		s.used[needs[i].index] += sign * needs[i].slots
	}
}

func (s *slots) areFree(needs []slotNeed) bool {
	s.add(needs, 1)
	free := true
	for i := range needs {
		at := needs[i].index
		free = free && s.used[at] <= s.total[at]
	}
	s.add(needs, -1)
	return free
}

func (s *scheduler) checkSlots() error {
	var errs plan.InputErrors
	for _, u := range s.units {
		at, split := plan.Attr("virtual_machines").Key(u.members[0].name), ""
		if len(u.members) > 1 {
			at, split = at.Attr("move_group"), ", or split the group"
		}
		errs = errs.With(at, s.slotShortage(u, split))
	}
	return errs.Err()
}

func (s *scheduler) slotShortage(u unit, split string) error {
	if n := len(u.members); n > s.concurrent {
		return fmt.Errorf("has %d VMs that start together: increase max_concurrent to %[1]d%s", n, split)
	}
	if n := u.moveCount; n > s.staff.maxMoves {
		return fmt.Errorf("has %d VMs that move in one window: increase max_moves_per_window to %[1]d%s", n, split)
	}
	s.slots.add(u.needs, 1)
	defer s.slots.add(u.needs, -1)
	for i, r := range s.slots.resources {
		if used, total := s.slots.used[i], s.slots.total[i]; used > total {
			return fmt.Errorf("requires %d slots of the %s %q, which has only %d: increase %[2]s_slots to %[1]d%[5]s",
				used, r.kind, r.name, total, split)
		}
	}
	return nil
}
