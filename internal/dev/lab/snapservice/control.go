package snapservice

import (
	"fmt"
	"slices"
	"time"
)

// Groups returns the groups, as visible in the API.
func (a *Appliance) Groups() []Group {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.settle()
	list := make([]Group, 0, len(a.groups))
	for _, g := range a.groups {
		list = append(list, Group{ID: g.ID, Cluster: g.Cluster, Info: a.shown(g)})
	}
	return list
}

// Named returns the group with a name that is not marked for deletion; its ID is empty if there is none.
func (a *Appliance) Named(name string) Group {
	for _, g := range a.Groups() {
		if g.Info.Name == name && g.Info.Status != "MARKED_FOR_DELETE" {
			return g
		}
	}
	return Group{}
}

// Edit changes a group outside Terraform.
func (a *Appliance) Edit(id string, edit func(*Group)) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, g := range a.groups {
		if g.ID == id {
			edit(g)
			a.join(g)
		}
	}
}

// Add creates a group outside Terraform and returns its ID.
func (a *Appliance) Add(cluster string, info Info) string {
	a.mu.Lock()
	defer a.mu.Unlock()
	g := &Group{
		ID: a.id("pg"), Cluster: cluster, Info: info, snapshots: map[string]time.Time{}, joined: map[string]time.Time{},
	}
	if g.Info.Status == "" {
		g.Info.Status = "ACTIVE"
	}
	a.groups = append(a.groups, g)
	a.join(g)
	return g.ID
}

// Remove deletes a group at once outside Terraform.
func (a *Appliance) Remove(id string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.groups = slices.DeleteFunc(a.groups, func(g *Group) bool { return g.ID == id })
}

// SetVM overrides the replication state of a VM.
func (a *Appliance) SetVM(id string, state VMState) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.vms[id] = state
}

// CutLink stops replication.
func (a *Appliance) CutLink() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.linkDown = a.now
}

// FailCreates makes creates fail "before" or "after" the group is created; empty ends it.
func (a *Appliance) FailCreates(when string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.failing = when
}

// Block delays the start of tasks by d.
func (a *Appliance) Block(d time.Duration) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.blocked = d
}

// FailSnapshots makes snapshots of n VMs fail.
func (a *Appliance) FailSnapshots(n int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.failed = n
}

// Hide hides the given VMs from the account, and no others.
func (a *Appliance) Hide(ids ...string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	clear(a.hidden)
	for _, id := range ids {
		a.hidden[id] = true
	}
}

// Deny rejects requests of a kind because of a missing privilege.
func (a *Appliance) Deny(kind string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.denied[kind] = true
}

// PairOf returns the ID of the pair of a cluster.
func PairOf(cluster string) string { return pairPrefix + cluster }

// Record returns the names of the fields sent in updates since the last call.
func (a *Appliance) Record() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	sent := a.sent
	a.sent = nil
	return sent
}

// OnPreview calls a function before each preview.
func (a *Appliance) OnPreview(run func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.preview = run
}

// AddSnapshots adds n snapshots to a group that expire after a day.
func (a *Appliance) AddSnapshots(id string, n int) {
	a.Edit(id, func(g *Group) {
		for i := range n {
			g.snapshots[fmt.Sprintf("%s-snapshot-%d", id, i)] = a.now.Add(24 * time.Hour)
		}
	})
}
