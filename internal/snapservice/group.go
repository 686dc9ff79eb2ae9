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

// listing contains the groups of a cluster.
type listing struct {
	readAt time.Time
	groups []Group
}

// Groups returns a cluster's groups, including deleted groups that still have snapshots. It uses the shared listing if
// that is at most maxAge old, and reads a new one otherwise. Errors: ErrNotFound if the cluster does not exist.
func (c *Client) Groups(ctx context.Context, cluster string, maxAge time.Duration) ([]Group, error) {
	read := func(ctx context.Context) (*listing, error) { return c.readGroups(ctx, cluster) }
	isRecent := func(l *listing) bool { return c.config.Now().Sub(l.readAt) <= maxAge }
	l, err := c.groups.GetIf(ctx, cluster, read, isRecent)
	if err != nil {
		return nil, err
	}
	return l.groups, nil
}

// readGroups lists the groups of a cluster.
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

// markKnown records that a group of the cluster has existed.
func (c *Client) markKnown(cluster, id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.knownGroups[cluster] == nil {
		c.knownGroups[cluster] = make(map[string]bool)
	}
	c.knownGroups[cluster][id] = true
}

// dropCaches drops what a write to the cluster may have changed.
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

// readGroup reads a group by ID. If the response does not come from the API, the error is not ErrNotFound.
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
	if err != nil {
		return nil, err
	}
	all := make(map[string][]Group, len(clusters))
	for _, cluster := range clusters {
		all[cluster], err = c.Groups(ctx, cluster, Shared)
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

// UsesTag reports whether a rule of the group contains the tag. It returns false for a deleted group.
func (g Group) UsesTag(tag string) bool {
	return g.Status != Deleted && slices.ContainsFunc(g.Targets.Rules, func(r Rule) bool {
		return slices.Contains(r.Tags, tag)
	})
}
