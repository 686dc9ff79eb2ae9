package snapservice

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"terraform-provider-vsla/internal/transport"
)

// Group states. Only active and paused groups can be changed.
const (
	Active  = "ACTIVE"
	Paused  = "PAUSED"
	Deleted = "MARKED_FOR_DELETE"
)

// Maximum ages of a shared listing. Shared is for ordinary reads, and Recent is for polling. Fresh forces a new
// listing.
const (
	Shared               = time.Minute
	Recent               = 10 * time.Second
	Fresh  time.Duration = -1
)

// Rule selects the VMs that have all of the tags or any of them, depending on Operator.
type Rule struct {
	Tags     []string `json:"tags"`
	Operator string   `json:"operator"`
}

// Operators of a Rule.
const (
	AllTags = "AND"
	AnyTag  = "OR"
)

// Targets selects the members of a group. A write replaces all criteria.
type Targets struct {
	VMs      []string `json:"vms,omitempty"`
	Patterns []string `json:"vm_name_patterns,omitempty"`
	Rules    []Rule   `json:"tag_rules,omitempty"`
}

// Equal reports whether t and u are equal. It ignores duplicates, the order of VMs, patterns and tags, and the operator
// of a rule with a single tag.
func (t Targets) Equal(u Targets) bool {
	return equalSets(t.VMs, u.VMs) && equalSets(t.Patterns, u.Patterns) &&
		slices.EqualFunc(t.Rules, u.Rules, func(a, b Rule) bool {
			return equalSets(a.Tags, b.Tags) && (a.Operator == b.Operator || len(a.Tags) == 1)
		})
}

func equalSets(a, b []string) bool {
	sorted := func(list []string) []string {
		list = slices.Clone(list)
		slices.Sort(list)
		return slices.Compact(list)
	}
	return slices.Equal(sorted(a), sorted(b))
}

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

// Equal reports whether r and s are equivalent policies.
func (r Replication) Equal(s Replication) bool {
	return r.PairID == s.PairID && r.RPO.Equal(s.RPO) && r.Retention.ShortTerm == s.Retention.ShortTerm &&
		r.Retention.LongTerm.equal(s.Retention.LongTerm) && r.DatastoreID() == s.DatastoreID() &&
		(r.UseSeed != nil && *r.UseSeed) == (s.UseSeed != nil && *s.UseSeed)
}

func (l *LongTerm) equal(m *LongTerm) bool {
	if l == nil || m == nil {
		return (l == nil || *l == LongTerm{}) && (m == nil || *m == LongTerm{})
	}
	keep := func(l *LongTerm) (at [4]any, kept [4]*Period) {
		if l.Hourly != nil {
			at[0], kept[0] = true, &l.Hourly.Retention
		}
		if l.Daily != nil {
			at[1], kept[1] = l.Daily.Hour, &l.Daily.Retention
		}
		if l.Weekly != nil {
			at[2], kept[2] = [2]any{l.Weekly.Hour, l.Weekly.Day}, &l.Weekly.Retention
		}
		if l.Monthly != nil {
			at[3], kept[3] = [2]any{l.Monthly.Hour, l.Monthly.Day}, &l.Monthly.Retention
		}
		return at, kept
	}
	at, kept := keep(l)
	as, keeps := keep(m)
	return at == as && slices.EqualFunc(kept[:], keeps[:], equalPeriods)
}

// Group is a protection group of a cluster.
type Group struct {
	ID          string           `json:"-"`
	Name        string           `json:"name"`
	Status      string           `json:"status"`
	GUID        string           `json:"guid"`
	Locked      bool             `json:"locked"`
	Targets     Targets          `json:"target_entities"`
	Members     []string         `json:"vms"`
	Snapshots   []SnapshotPolicy `json:"snapshot_policies"`
	Replication []Replication    `json:"replication_policies"`
	SnapshotIDs []string         `json:"snapshots"`
}

// IsWritable reports whether the group's state allows changes. It does not check Locked.
func (g Group) IsWritable() bool { return g.Status == Active || g.Status == Paused }

func (g Group) sorted() Group {
	slices.Sort(g.Members)
	return g
}

type listing struct {
	readAt time.Time
	groups []Group
}

// Groups returns a cluster's groups, including deleted groups that still have snapshots. It uses the shared listing if
// that is at most maxAge old, and reads a new one otherwise. Errors: ErrNotFound if the cluster does not exist.
func (c *Client) Groups(ctx context.Context, cluster string, maxAge time.Duration) ([]Group, error) {
	l, err := c.groups.GetIf(ctx, cluster, func(ctx context.Context) (*listing, error) {
		return c.readGroups(ctx, cluster)
	}, func(l *listing) bool { return c.config.Now().Sub(l.readAt) <= maxAge })
	if err != nil {
		return nil, err
	}
	return l.groups, nil
}

func (c *Client) readGroups(ctx context.Context, cluster string) (*listing, error) {
	if _, err := c.CheckVCenter(ctx); err != nil {
		return nil, err
	}
	l := &listing{readAt: c.config.Now()}
	var result struct {
		Items transport.List[struct {
			ID   string `json:"pg"`
			Info Group  `json:"info"`
		}] `json:"items"`
	}
	if err := c.call(ctx, request{operation: listGroups, ids: []string{cluster}}, &result); err != nil {
		return nil, err
	}
	for _, item := range result.Items {
		item.Info.ID = item.ID
		l.groups = append(l.groups, item.Info.sorted())
		c.markKnown(cluster, item.ID)
	}
	return l, nil
}

func (c *Client) markKnown(cluster, id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.knownGroups[cluster] == nil {
		c.knownGroups[cluster] = make(map[string]bool)
	}
	c.knownGroups[cluster][id] = true
}

func (c *Client) dropCaches(cluster string) {
	c.groups.DropIf(cluster, func(*listing) bool { return true })
	c.previews.Drop()
	c.vms.Drop()
}

// Group returns a group from the shared listing. If the listing lacks the group, Group reads it by ID, so ErrNotFound
// means that it does not exist.
func (c *Client) Group(ctx context.Context, cluster, id string) (Group, error) {
	groups, err := c.Groups(ctx, cluster, Shared)
	if err != nil {
		if errors.Is(err, ErrNotFound) { // the cluster was not found, so the group may still exist
			err = fmt.Errorf("%w: cluster %s: %s", ErrUnavailable, cluster, err.Error())
		}
		return Group{}, err
	}
	for _, g := range groups {
		if g.ID == id {
			return g, nil
		}
	}
	return c.readGroup(ctx, cluster, id)
}

func (c *Client) readGroup(ctx context.Context, cluster, id string) (Group, error) {
	var g Group
	err := c.call(ctx, request{operation: getGroup, ids: []string{cluster, id}}, &g)
	if apiErr, ok := transport.AsAPIError(err); ok && apiErr.Status == http.StatusNotFound && apiErr.Type == "" {
		return g, fmt.Errorf("group %s: %w: %s", id, ErrUnavailable, err.Error())
	}
	g.ID = id
	return g.sorted(), err
}

// ReadWritable reads a group, bypassing the cache, and returns an error if the group cannot be changed. Errors:
// ErrNotFound, ErrUnsupported for a locked group, ErrState.
func (c *Client) ReadWritable(ctx context.Context, cluster, id string) (Group, error) {
	if _, err := c.CheckVCenter(ctx); err != nil {
		return Group{}, err
	}
	g, err := c.readGroup(ctx, cluster, id)
	switch {
	case err != nil:
		return g, err
	case g.Locked:
		return g, fmt.Errorf("group %s: %w: it is locked", c.clean(g.Name), ErrUnsupported)
	case !g.IsWritable():
		return g, fmt.Errorf("group %s: %w: %s", c.clean(g.Name), ErrState, c.clean(g.Status))
	}
	return g, nil
}

// AllGroups returns the groups of all clusters in the local site, by cluster ID. It includes deleted groups that still
// have snapshots. Errors: ErrUnavailable if the appliance lists no clusters.
func (c *Client) AllGroups(ctx context.Context) (map[string][]Group, error) {
	clusters, err := c.clusters.Get(ctx, "", func(ctx context.Context) ([]string, error) {
		if _, err := c.CheckVCenter(ctx); err != nil {
			return nil, err
		}
		var result struct {
			Items transport.List[struct {
				ID string `json:"cluster"`
			}] `json:"items"`
		}
		err := c.call(ctx, request{operation: listClusters, ids: []string{localSite}}, &result)
		ids := make([]string, 0, len(result.Items))
		for _, item := range result.Items {
			ids = append(ids, item.ID)
		}
		if err == nil && len(ids) == 0 {
			// The appliance itself runs on a cluster, so the account probably lacks permission to see it.
			err = fmt.Errorf("list the clusters: %w: the appliance lists no clusters of the local site", ErrUnavailable)
		}
		return ids, err
	})
	all := make(map[string][]Group, len(clusters))
	for _, cluster := range clusters {
		if err != nil {
			break
		}
		all[cluster], err = c.Groups(ctx, cluster, Shared)
	}
	return all, err
}

// UsesTag reports whether a rule of the group contains the tag. It returns false for a deleted group.
func (g Group) UsesTag(tag string) bool {
	return g.Status != Deleted && slices.ContainsFunc(g.Targets.Rules, func(r Rule) bool {
		return slices.Contains(r.Tags, tag)
	})
}
