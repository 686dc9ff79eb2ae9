package snapservice

import (
	"fmt"
	"slices"
	"time"
)

// Groups returns all groups as the API shows them.
func (a *Appliance) Groups() []Group {
	defer a.lock()()
	a.update()
	list := make([]Group, 0, len(a.groups))
	for _, g := range a.groups {
		list = append(list, Group{ID: g.ID, Cluster: g.Cluster, Info: a.visibleInfo(g)})
	}
	return list
}

// GroupByName returns the group with the given name, ignoring groups that are marked for deletion. If there is none,
// the returned Group has an empty ID.
func (a *Appliance) GroupByName(name string) Group {
	for _, g := range a.Groups() {
		if g.Info.Name == name && g.Info.Status != "MARKED_FOR_DELETE" {
			return g
		}
	}
	return Group{}
}

// Edit changes a group outside of Terraform.
func (a *Appliance) Edit(id string, edit func(*Group)) {
	defer a.lock()()
	for _, g := range a.groups {
		if g.ID == id {
			edit(g)
			a.updateMembers(g)
		}
	}
}

// Add creates a group outside of Terraform and returns its ID.
func (a *Appliance) Add(cluster string, info Info) string {
	defer a.lock()()
	g := &Group{
		ID:        a.id("pg"),
		Cluster:   cluster,
		Info:      info,
		snapshots: map[string]time.Time{},
		joined:    map[string]time.Time{},
	}
	if g.Info.Status == "" {
		g.Info.Status = "ACTIVE"
	}
	a.groups = append(a.groups, g)
	a.updateMembers(g)
	return g.ID
}

// Remove deletes a group immediately, outside of Terraform.
func (a *Appliance) Remove(id string) {
	defer a.lock()()
	a.groups = slices.DeleteFunc(a.groups, func(g *Group) bool { return g.ID == id })
}

// VMState is the replication state of a VM as set by SetVM.
type VMState struct {
	Status    string
	ErrorType string
	Reason    string
	// Violation is the duration of the RPO violation in minutes; nil means none.
	Violation *int64
}

// SetVM overrides the replication state of a VM.
func (a *Appliance) SetVM(id string, state VMState) {
	defer a.lock()()
	a.vms[id] = state
}

// CutLink stops replication from now on.
func (a *Appliance) CutLink() {
	defer a.lock()()
	a.linkDown = a.now
}

// FailCreates sets whether create tasks fail after the group has been created.
func (a *Appliance) FailCreates(fail bool) {
	defer a.lock()()
	a.failCreates = fail
}

// Block delays later tasks by d.
func (a *Appliance) Block(d time.Duration) {
	defer a.lock()()
	a.taskDelay = d
}

// FailSnapshots makes each later snapshot fail for n VMs.
func (a *Appliance) FailSnapshots(n int64) {
	defer a.lock()()
	a.failedVMs = n
}

// Hide hides the given VMs from the account. VMs hidden earlier become visible again.
func (a *Appliance) Hide(ids ...string) {
	defer a.lock()()
	clear(a.hidden)
	for _, id := range ids {
		a.hidden[id] = true
	}
}

// PairID returns the ID of the cluster pair that contains a local cluster.
func PairID(cluster string) string { return pairPrefix + cluster }

// AddSnapshots adds n snapshots to a group. The snapshots expire after a day.
func (a *Appliance) AddSnapshots(id string, n int) {
	a.Edit(id, func(g *Group) {
		for i := range n {
			g.snapshots[fmt.Sprintf("%s-snapshot-%d", id, i)] = a.now.Add(24 * time.Hour)
		}
	})
}
