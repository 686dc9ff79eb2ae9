//go:build unix

package soak_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"terraform-provider-vsla/internal/dev/lab/snapservice"
	"terraform-provider-vsla/internal/dev/lab/tagging"
)

const renamedSuffix = " by hand"

func (s *trial) writeOutside(r *rand.Rand) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for range 1 + r.IntN(3) {
		switch {
		case s.gateway != nil && r.IntN(3) == 0:
			s.writeReplication(r)
		case s.protection != nil && r.IntN(3) == 0:
			s.writeGroup(r)
		default:
			s.writeTag(r)
		}
	}
}

func (s *trial) writeTag(r *rand.Rand) {
	store := s.lab.Tags()
	tags := store.Tags()
	if len(tags) == 0 {
		return
	}
	tag, vm := pick(r, tags...), pick(r, s.vms...)
	switch r.IntN(8) {
	case 0:
		_ = store.Describe(tag.ID, "by hand")
	case 1:
		_ = store.Rename(tag.ID, tag.Name+renamedSuffix)
	case 2:
		_ = store.RemoveTag(tag.ID)
		of := s.association(tag, "")
		maps.DeleteFunc(s.foreign,
			func(a association, _ bool) bool { return a.category == of.category && a.tag == of.tag })
	case 3, 4, 5:
		if carriers := store.Objects(tag.ID); len(carriers) > 0 {
			s.detach(tag, carriers[0])
		}
	case 6:
		for _, other := range tags { // a VM can have only one tag of a SINGLE category
			if other.CategoryID == tag.CategoryID && s.category(tag).Cardinality == "SINGLE" {
				s.detach(other, vm)
			}
		}
		fallthrough
	default:
		s.attach(tag, vm)
	}
}

func (s *trial) writeReplication(r *rand.Rand) {
	all := s.gateway.Replications()
	if len(all) == 0 {
		return
	}
	vm := pick(r, all...).VM
	switch r.IntN(4) {
	case 0:
		s.gateway.RemoveReplication(vm)
	case 1:
		s.gateway.PauseReplication(vm, r.IntN(2) == 0)
	default:
		s.gateway.ChangeRPO(vm, pick(r, rpos...))
	}
}

func (s *trial) writeGroup(r *rand.Rand) {
	all := s.protection.Groups()
	if len(all) == 0 {
		return
	}
	id := pick(r, all...).ID
	if r.IntN(4) == 0 {
		s.protection.Remove(id)
		return
	}
	rpo := pick(r, rpos...)
	s.protection.Edit(id, func(g *snapservice.Group) {
		g.Info.Replication = slices.Clone(g.Info.Replication)
		for i := range g.Info.Replication {
			g.Info.Replication[i].RPO = snapservice.Period{Unit: "MINUTE", Duration: rpo}
		}
	})
}

type association struct{ category, tag, vm string }

func (a association) String() string { return fmt.Sprintf("tag %s/%s on %s", a.category, a.tag, a.vm) }

// association identifies an association by the tag's configured name even if the tag has been renamed, because the next
// apply reverts the rename.
func (s *trial) association(tag tagging.Tag, vm string) association {
	return association{s.category(tag).Name, strings.ReplaceAll(tag.Name, renamedSuffix, ""), vm}
}

func (s *trial) category(tag tagging.Tag) tagging.Category {
	all := s.lab.Tags().Categories()
	return all[slices.IndexFunc(all, func(c tagging.Category) bool { return c.ID == tag.CategoryID })]
}

func (s *trial) attach(tag tagging.Tag, vm string) {
	known := slices.Contains(s.lab.Tags().Objects(tag.ID), vm)
	if s.lab.Tags().Attach(tag.ID, tagging.Object{Type: "VirtualMachine", ID: vm}) == nil && !known {
		s.foreign[s.association(tag, vm)] = true
	}
}

func (s *trial) detach(tag tagging.Tag, vm string) {
	if s.lab.Tags().Detach(tag.ID, tagging.Object{Type: "VirtualMachine", ID: vm}) == nil {
		delete(s.foreign, s.association(tag, vm))
	}
}

// claims reports whether applying the configuration adopts or removes an association. A nil configuration means
// destroy.
func (e *estate) claims(a association) bool {
	switch {
	case e == nil:
		return true
	case a.category == "tier":
		tiered := func(t tier) bool { return slices.Contains(t.VMs, a.vm) } // a VM has one tier
		t, there := e.Tiers[a.tag]
		return !there || t.Ownership == exclusive || slices.ContainsFunc(slices.Collect(maps.Values(e.Tiers)), tiered)
	default:
		_, there := e.Labels[a.tag]
		o := e.Objects[a.vm]
		return !there || o.Ownership == category || slices.Contains(o.Labels, a.tag)
	}
}
