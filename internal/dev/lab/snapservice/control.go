// Test access: the true state, and changes outside Terraform.

package snapservice

import (
	"fmt"
	"slices"
	"time"
)

// Groups returns the groups with what the API would show of them.
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

// Named returns the group of a name that is not marked for deletion; its id is empty if there is none.
func (a *Appliance) Named(name string) Group {
	for _, g := range a.Groups() {
		if g.Info.Name == name && g.Info.Status != "MARKED_FOR_DELETE" {
			return g
		}
	}
	return Group{}
}

// Edit changes a group as another client would.
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

// Add creates a group as another client would, and returns its id.
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

// Remove deletes a group at once, as another client would.
func (a *Appliance) Remove(id string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.groups = slices.DeleteFunc(a.groups, func(g *Group) bool { return g.ID == id })
}

// SetVM overrides the state of a VM's replication.
func (a *Appliance) SetVM(id string, state VMState) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.vms[id] = state
}

// CutLink stops replication from now on.
func (a *Appliance) CutLink() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.linkDown = a.now
}

// FailCreates lets creates fail before or after the group is made; empty ends it.
func (a *Appliance) FailCreates(when string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.failing = when
}

// Block lets tasks stand still for d before they run.
func (a *Appliance) Block(d time.Duration) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.blocked = d
}

// FailSnapshots lets snapshots fail for n VMs.
func (a *Appliance) FailSnapshots(n int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.failed = n
}

// Hide keeps VMs from the account, and shows all others.
func (a *Appliance) Hide(ids ...string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	clear(a.hidden)
	for _, id := range ids {
		a.hidden[id] = true
	}
}

// Deny refuses a kind of requests for want of a privilege.
func (a *Appliance) Deny(kind string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.denied[kind] = true
}

// PairOf returns the id of the pair of a cluster.
func PairOf(cluster string) string { return pairPrefix + cluster }

// Record returns the names of the fields that updates have sent since the last call.
func (a *Appliance) Record() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	sent := a.sent
	a.sent = nil
	return sent
}

// OnPreview runs a function before each preview.
func (a *Appliance) OnPreview(run func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.preview = run
}

// AddSnapshots adds n snapshots to a group, which expire after a day.
func (a *Appliance) AddSnapshots(id string, n int) {
	a.Edit(id, func(g *Group) {
		for i := range n {
			g.snapshots[fmt.Sprintf("%s-snapshot-%d", id, i)] = a.now.Add(24 * time.Hour)
		}
	})
}
