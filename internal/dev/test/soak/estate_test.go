//go:build unix

package soak_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
)

const (
	additive  = "additive"
	exclusive = "exclusive"
	category  = "category"
)

// estate is a configuration: the value of the variable estate in estate.tf.
type estate struct {
	Tiers        map[string]tier            `json:"tiers"`
	Labels       map[string]string          `json:"labels"`  // descriptions by name
	Objects      map[string]object          `json:"objects"` // by VM
	Replications map[string]replication     `json:"replications"`
	Groups       map[string]protectionGroup `json:"groups"`
}

type tier struct {
	Description string   `json:"description"`
	VMs         []string `json:"vms"`
	Ownership   string   `json:"ownership"`
}

type object struct {
	Labels    []string `json:"labels"`
	Ownership string   `json:"ownership"`
}

type replication struct {
	RPO         int64 `json:"rpo_minutes"`
	Compression bool  `json:"compression"`
	Paused      bool  `json:"paused"`
}

type protectionGroup struct {
	VMs      []string `json:"vms"`
	RPO      int64    `json:"rpo_minutes"`
	KeepLast int64    `json:"keep_last"`
	Paused   bool     `json:"paused"`
}

type service int

const (
	tagsOnly service = iota
	replicates
	groups
)

var (
	groupNames = []string{"finance", "mail", "web"}
	tierNames  = []string{"gold", "silver", "bronze", "iron"}
	labelNames = []string{"backup", "billing", "europe", "linux", "test"}
	rpos       = []int64{15, 30, 60, 240}
)

// newEstate generates a configuration. Only the first few VMs are replicated or protected.
func newEstate(r *rand.Rand, vms []string, with service) *estate {
	e := &estate{
		Tiers:        map[string]tier{},
		Labels:       map[string]string{},
		Objects:      map[string]object{},
		Replications: map[string]replication{},
		Groups:       map[string]protectionGroup{},
	}
	for _, name := range tierNames[:2+r.IntN(3)] {
		e.Tiers[name] = tier{Ownership: pick(r, additive, exclusive)}
	}
	e.assign(r, vms)
	for _, name := range labelNames[:3+r.IntN(3)] {
		e.Labels[name] = ""
	}
	for _, vm := range vms[:1+r.IntN(3)] {
		e.Objects[vm] = object{Labels: subset(r, e.labels()), Ownership: pick(r, additive, category)}
	}
	switch with {
	case replicates:
		for _, vm := range vms[:1+r.IntN(3)] {
			e.Replications[vm] = replication{RPO: pick(r, rpos...)}
		}
	case groups:
		for _, name := range groupNames[:1+r.IntN(3)] {
			e.Groups[name] = newGroup(r, vms)
		}
	case tagsOnly:
	}
	return e
}

func newGroup(r *rand.Rand, vms []string) protectionGroup {
	return protectionGroup{
		VMs:      subset(r, vms[:4]),
		RPO:      pick(r, rpos...),
		KeepLast: int64(1 + r.IntN(3)),
		Paused:   r.IntN(3) == 0,
	}
}

func (e *estate) move(r *rand.Rand, vms []string) {
	name := pick(r, tierNames...)
	if _, there := e.Tiers[name]; !there {
		e.Tiers[name] = tier{Ownership: pick(r, additive, exclusive)}
	} else if len(e.Tiers) > 2 {
		delete(e.Tiers, name)
	}
	e.assign(r, vms)
}

func (e *estate) change(r *rand.Rand, vms []string) {
	for _, name := range slices.Sorted(maps.Keys(e.Tiers)) {
		t := e.Tiers[name]
		t.Description = fmt.Sprintf("tier %d", r.IntN(9))
		t.Ownership = pick(r, additive, exclusive)
		e.Tiers[name] = t
	}
	for _, name := range labelNames {
		if r.IntN(2) == 0 {
			e.Labels[name] = fmt.Sprintf("label %d", r.IntN(9))
		}
	}
	changeSome(r, e.Objects, vms[:3], func() object {
		return object{Labels: subset(r, e.labels()), Ownership: pick(r, additive, category)}
	})
	changeSome(r, e.Replications, vms[:3], func() replication {
		return replication{RPO: pick(r, rpos...), Compression: r.IntN(2) == 0, Paused: r.IntN(3) == 0}
	})
	changeSome(r, e.Groups, groupNames, func() protectionGroup { return newGroup(r, vms) })
}

// changeSome randomly changes, adds and removes members, but keeps the first one. It does nothing if there are no
// members.
func changeSome[T any](r *rand.Rand, members map[string]T, names []string, draw func() T) {
	if len(members) == 0 {
		return
	}
	for i, name := range names {
		switch _, there := members[name]; {
		case there && i > 0 && r.IntN(3) == 0:
			delete(members, name)
		case there || r.IntN(2) == 0:
			members[name] = draw()
		}
	}
}

func (e *estate) assign(r *rand.Rand, vms []string) {
	names := slices.Sorted(maps.Keys(e.Tiers))
	for _, name := range names {
		t := e.Tiers[name]
		t.VMs = []string{}
		e.Tiers[name] = t
	}
	for _, vm := range vms {
		if r.IntN(6) == 0 {
			continue
		}
		name := pick(r, names...)
		t := e.Tiers[name]
		t.VMs = append(t.VMs, vm)
		e.Tiers[name] = t
	}
}

func (e *estate) labels() []string { return slices.Sorted(maps.Keys(e.Labels)) }

func pick[T any](r *rand.Rand, list ...T) T { return list[r.IntN(len(list))] }

// subset returns a random, sorted, non-empty subset.
func subset(r *rand.Rand, list []string) []string {
	kept := []string{pick(r, list...)}
	for _, s := range list {
		if r.IntN(2) == 0 && !slices.Contains(kept, s) {
			kept = append(kept, s)
		}
	}
	slices.Sort(kept)
	return kept
}
