package snapservice

import "slices"

// Spec describes a new group.
type Spec struct {
	Name        string           `json:"name"`
	Targets     Targets          `json:"target_entities"`
	Snapshots   []SnapshotPolicy `json:"snapshot_policies,omitempty"`
	Replication []Replication    `json:"replication_policies,omitempty"`
	Locked      bool             `json:"locked,omitempty"`
}

// Matches reports whether a group matches the spec.
func (s Spec) Matches(g Group) bool {
	return Change{
		Name:        &s.Name,
		Targets:     &s.Targets,
		Snapshots:   &s.Snapshots,
		Replication: &s.Replication,
		Locked:      &s.Locked,
	}.Matches(g)
}

// Change describes an update of a group. Nil fields are left unchanged. Each non-nil field replaces the existing value
// completely.
type Change struct {
	Name        *string           `json:"name,omitempty"`
	Targets     *Targets          `json:"target_entities,omitempty"`
	Snapshots   *[]SnapshotPolicy `json:"snapshot_policies,omitempty"`
	Replication *[]Replication    `json:"replication_policies,omitempty"`
	Locked      *bool             `json:"locked,omitempty"`
}

// Matches reports whether a group matches the change.
func (h Change) Matches(g Group) bool {
	name := h.Name == nil || *h.Name == g.Name
	targets := h.Targets == nil || h.Targets.Equal(g.Targets)
	snapshots := h.Snapshots == nil || equalPolicies(*h.Snapshots, g.Snapshots)
	replication := h.Replication == nil || equalReplications(*h.Replication, g.Replication)
	locked := h.Locked == nil || *h.Locked == g.Locked
	return name && targets && snapshots && replication && locked
}

// equalPolicies reports whether a and b contain equivalent policies, in any order.
func equalPolicies(a, b []SnapshotPolicy) bool {
	if len(a) != len(b) {
		return false
	}
	return !slices.ContainsFunc(a, func(p SnapshotPolicy) bool {
		return !slices.ContainsFunc(b, func(q SnapshotPolicy) bool {
			return p.Name == q.Name && p.Schedule.Period().Equal(q.Schedule.Period()) && p.Retention.Equal(q.Retention)
		})
	})
}

// equalReplications compares the only policies of two groups.
func equalReplications(a, b []Replication) bool {
	if len(a) == 0 || len(b) == 0 {
		return len(a) == len(b)
	}
	return len(a) == len(b) && a[0].Equal(b[0])
}
