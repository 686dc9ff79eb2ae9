//go:build unix

package main

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"terraform-provider-vsla/internal/dev/lab/snapservice"
	"terraform-provider-vsla/internal/dev/lab/tagging"
)

// renamed is the suffix of renamed tags.
const renamed = " by hand"

func (t *trial) writeOutside(r *rand.Rand) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for range 1 + r.IntN(3) {
		switch {
		case t.gateway != nil && r.IntN(3) == 0:
			t.writeReplication(r)
		case t.protection != nil && r.IntN(3) == 0:
			t.writeGroup(r)
		default:
			t.writeTag(r)
		}
	}
}

func (t *trial) writeTag(r *rand.Rand) {
	store := t.lab.Tags()
	tags := store.Tags()
	if len(tags) == 0 {
		return
	}
	tag, vm := pick(r, tags...), tagging.Object{Type: "VirtualMachine", ID: pick(r, t.vms...)}
	switch r.IntN(8) {
	case 0:
		_ = store.Describe(tag.ID, "by hand")
	case 1:
		_ = store.Rename(tag.ID, tag.Name+renamed)
	case 2:
		t.removeTag(tag)
	case 3, 4, 5:
		if carriers := store.Objects(tag.ID); len(carriers) > 0 {
			t.detach(tag, tagging.Object{Type: vm.Type, ID: carriers[0]})
		}
	case 6:
		t.replaceTag(tag, tags, vm)
	default:
		t.attach(tag, vm)
	}
}

// removeTag deletes a tag and forgets its foreign associations.
func (t *trial) removeTag(tag tagging.Tag) {
	on := carries(t.path(tag), "")
	_ = t.lab.Tags().RemoveTag(tag.ID)
	maps.DeleteFunc(t.foreign, func(name string, _ bool) bool { return strings.HasPrefix(name, on) })
}

// replaceTag attaches a tag and detaches others of a SINGLE category.
func (t *trial) replaceTag(tag tagging.Tag, tags []tagging.Tag, vm tagging.Object) {
	for _, other := range tags {
		if other.CategoryID == tag.CategoryID && t.cardinality(other) == "SINGLE" {
			t.detach(other, vm)
		}
	}
	t.attach(tag, vm)
}

func (t *trial) writeReplication(r *rand.Rand) {
	all := t.gateway.Replications()
	if len(all) == 0 {
		return
	}
	vm := pick(r, all...).VM
	switch r.IntN(4) {
	case 0:
		t.gateway.RemoveReplication(vm)
	case 1:
		t.gateway.PauseReplication(vm, r.IntN(2) == 0)
	default:
		t.gateway.ChangeRPO(vm, pick(r, rpos...))
	}
}

func (t *trial) writeGroup(r *rand.Rand) {
	all := t.protection.Groups()
	if len(all) == 0 {
		return
	}
	id := pick(r, all...).ID
	if r.IntN(4) == 0 {
		t.protection.Remove(id)
		return
	}
	rpo := pick(r, rpos...)
	t.protection.Edit(id, func(g *snapservice.Group) {
		g.Info.Replication = slices.Clone(g.Info.Replication)
		for i := range g.Info.Replication {
			g.Info.Replication[i].RPO = snapservice.Period{Unit: "MINUTE", Duration: rpo}
		}
	})
}

// attach records a new association as foreign.
func (t *trial) attach(tag tagging.Tag, vm tagging.Object) {
	if slices.Contains(t.lab.Tags().Objects(tag.ID), vm.ID) {
		return
	}
	if t.lab.Tags().Attach(tag.ID, vm) == nil {
		t.foreign[carries(t.path(tag), vm.ID)] = true
	}
}

func (t *trial) detach(tag tagging.Tag, vm tagging.Object) {
	if t.lab.Tags().Detach(tag.ID, vm) == nil {
		delete(t.foreign, carries(t.path(tag), vm.ID))
	}
}

// path returns the path of a tag by its configured name, which the next apply restores.
func (t *trial) path(tag tagging.Tag) string {
	name := strings.ReplaceAll(tag.Name, renamed, "")
	for _, c := range t.lab.Tags().Categories() {
		if c.ID == tag.CategoryID {
			return c.Name + "/" + name
		}
	}
	return name
}

func (t *trial) cardinality(tag tagging.Tag) string {
	for _, c := range t.lab.Tags().Categories() {
		if c.ID == tag.CategoryID {
			return c.Cardinality
		}
	}
	return ""
}

// kept returns the foreign associations that a configuration keeps.
func kept(e *estate, foreign map[string]bool) map[string]bool {
	left := map[string]bool{}
	if e == nil {
		return left
	}
	own := configured(e).things
	tiered := map[string]bool{}
	for _, t := range e.Tiers {
		for _, vm := range t.VMs {
			tiered[vm] = true
		}
	}
	for name := range foreign {
		tag, vm, _ := strings.Cut(strings.TrimPrefix(name, "tag "), " on ")
		group, label, _ := strings.Cut(tag, "/")
		_, listed := own[name]
		_, exists := own["tag "+tag]
		switch {
		case listed, !exists:
		case group == "tier" && (e.Tiers[label].Ownership == exclusive || tiered[vm]):
		case group == "label" && e.Objects[vm].Ownership == category:
		default:
			left[name] = true
		}
	}
	return left
}
