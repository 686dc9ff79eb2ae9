package snapservice

import "slices"

// SnapshotPolicy is a schedule for local snapshots.
type SnapshotPolicy struct {
	Name      string   `json:"name"`
	Schedule  Schedule `json:"schedule"`
	Retention Period   `json:"retention"`
}

// Replication is the replication policy of a group. A group has at most one.
type Replication struct {
	PairID    string    `json:"cluster_pair,omitempty"`
	RPO       Period    `json:"recovery_point_objective"`
	Retention Retention `json:"snapshot_retention"`
	UseSeed   *bool     `json:"use_replica_seed,omitempty"`
	Storage   *Storage  `json:"storage_spec,omitempty"`
}

// Storage selects the datastore for new replicas.
type Storage struct {
	DatastoreID string `json:"target_datastore,omitempty"`
}

// DatastoreID returns the ID of the datastore for new replicas, or "" if the appliance chooses the datastore.
func (r Replication) DatastoreID() string {
	if r.Storage == nil {
		return ""
	}
	return r.Storage.DatastoreID
}

// Retention determines which replicas the target keeps.
type Retention struct {
	ShortTerm ShortTerm `json:"short_term"`
	LongTerm  *LongTerm `json:"long_term,omitempty"`
}

// ShortTerm keeps the latest KeepLast replicas. The minimum is 1.
type ShortTerm struct {
	KeepLast int64 `json:"keep_last"`
}

// LongTerm keeps replicas by calendar period. It requires release 9.1, and at least one field must be set.
type LongTerm struct {
	Hourly  *KeepHourly  `json:"hourly,omitempty"`
	Daily   *KeepDaily   `json:"daily,omitempty"`
	Weekly  *KeepWeekly  `json:"weekly,omitempty"`
	Monthly *KeepMonthly `json:"monthly,omitempty"`
}

// KeepHourly keeps one replica per hour.
type KeepHourly struct {
	Retention Period `json:"retention"`
}

// KeepDaily keeps one replica per day, taken at Hour (0 to 23).
type KeepDaily struct {
	Hour      int64  `json:"hour"`
	Retention Period `json:"retention"`
}

// KeepWeekly keeps one replica per week. Day is MONDAY to SUNDAY.
type KeepWeekly struct {
	Hour      int64  `json:"hour"`
	Day       string `json:"day_of_week"`
	Retention Period `json:"retention"`
}

// KeepMonthly keeps one replica per month. Day is 1 to 31.
type KeepMonthly struct {
	Hour      int64  `json:"hour"`
	Day       int64  `json:"day_of_month"`
	Retention Period `json:"retention"`
}

func (r Replication) usesSeed() bool { return r.UseSeed != nil && *r.UseSeed }

// Equal reports whether r and s are equivalent policies.
func (r Replication) Equal(s Replication) bool {
	return r.PairID == s.PairID && r.RPO.Equal(s.RPO) && r.Retention.ShortTerm == s.Retention.ShortTerm &&
		r.Retention.LongTerm.equal(s.Retention.LongTerm) && r.DatastoreID() == s.DatastoreID() &&
		r.usesSeed() == s.usesSeed()
}

// isEmpty reports whether nothing is kept.
func (l *LongTerm) isEmpty() bool { return l == nil || *l == LongTerm{} }

// equal reports whether l and m keep the same replicas. nil is equal to a LongTerm without fields.
func (l *LongTerm) equal(m *LongTerm) bool {
	if l == nil || m == nil {
		return l.isEmpty() && m.isEmpty()
	}
	keep := func(l *LongTerm) (at [4]any, kept [4]*Period) {
		if l.Hourly != nil {
			at[0] = true
			kept[0] = &l.Hourly.Retention
		}
		if l.Daily != nil {
			at[1] = l.Daily.Hour
			kept[1] = &l.Daily.Retention
		}
		if l.Weekly != nil {
			at[2] = [2]any{l.Weekly.Hour, l.Weekly.Day}
			kept[2] = &l.Weekly.Retention
		}
		if l.Monthly != nil {
			at[3] = [2]any{l.Monthly.Hour, l.Monthly.Day}
			kept[3] = &l.Monthly.Retention
		}
		return at, kept
	}
	at, kept := keep(l)
	as, keeps := keep(m)
	return at == as && slices.EqualFunc(kept[:], keeps[:], equalPeriods)
}
