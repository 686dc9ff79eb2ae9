package snapservice

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"
)

const pollInterval = 5 * time.Second

// Task is an appliance task.
type Task struct {
	// Status is PENDING, RUNNING, BLOCKED, SUCCEEDED, FAILED, or a value added by a later release.
	Status string `json:"status"`
	// Progress is the number of completed units and the total. It may be nil.
	Progress *struct {
		Total     int64 `json:"total"`
		Completed int64 `json:"completed"`
	} `json:"progress"`
	Error  *wireError      `json:"error"`
	Result json.RawMessage `json:"result"`
	Target *struct {
		ID   string `json:"id"`
		Type string `json:"type"`
	} `json:"target"`
}

// hasEnded returns false for a blocked task, which can still continue.
func (t Task) hasEnded() bool { return t.Status == "SUCCEEDED" || t.Status == "FAILED" }

func (t Task) groupID() string {
	var id string
	if json.Unmarshal(t.Result, &id) == nil && id != "" {
		return id
	}
	if t.Target != nil && t.Target.Type == "com.vmware.snapservice.protection_group" {
		return t.Target.ID
	}
	return ""
}

// failure returns the error of a failed task, or nil. If the task has no error field, its result contains the reason.
func (c *Client) failure(id string, t Task) error {
	if t.Status != "FAILED" {
		return nil
	}
	reason := string(t.Result)
	if t.Error != nil {
		reason = t.Error.Type + ": " + t.Error.text()
	}
	return fmt.Errorf("task %s: %w: %s", c.clean(id), ErrTask, c.clean(reason))
}

type pollResult struct {
	readAt time.Time
	tasks  map[string]Task
}

// waitForTask polls a task until it ends or limit has passed. Concurrent callers share the poll requests. Errors:
// ErrTask, ErrTaskLost, ErrTimeout.
func (c *Client) waitForTask(ctx context.Context, id string, limit time.Duration, progress func(string)) (Task, error) {
	c.countWaiter(id, 1)
	defer c.countWaiter(id, -1)
	last := ""
	for waited := time.Duration(0); ; waited += pollInterval {
		if waited >= limit {
			return Task{}, fmt.Errorf("task %s (%s): %w", c.clean(id), last, ErrTimeout)
		}
		if err := c.config.Sleep(ctx, pollInterval); err != nil {
			return Task{}, fmt.Errorf("wait for task %s: %w: %w", c.clean(id), ErrUncertain, err)
		}
		t, err := c.task(ctx, id)
		if err != nil {
			return Task{}, err
		}
		if t.Status != last && progress != nil {
			progress(Printable(t.Status))
		}
		if last = Printable(t.Status); t.hasEnded() {
			return t, c.failure(id, t)
		}
	}
}

func (c *Client) countWaiter(id string, n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.waiters[id] += n; c.waiters[id] == 0 {
		delete(c.waiters, id)
	}
}

func (c *Client) task(ctx context.Context, id string) (Task, error) {
	now := c.config.Now()
	p, err := c.pollCache.GetIf(ctx, "", c.pollTasks, func(p *pollResult) bool {
		_, has := p.tasks[id]
		return has && now.Sub(p.readAt) < pollInterval
	})
	if err != nil {
		return Task{}, err
	}
	if t, has := p.tasks[id]; has {
		return t, nil
	}
	var t Task
	err = c.call(ctx, request{operation: getTask, ids: []string{id}}, &t)
	if errors.Is(err, ErrNotFound) {
		return t, fmt.Errorf("task %s: %w", c.clean(id), ErrTaskLost)
	}
	return t, err
}

func (c *Client) pollTasks(ctx context.Context) (*pollResult, error) {
	c.mu.Lock()
	ids := slices.Sorted(maps.Keys(c.waiters))
	c.mu.Unlock()
	p := &pollResult{readAt: c.config.Now(), tasks: make(map[string]Task, len(ids))}
	var result struct {
		Items []struct {
			ID   string `json:"task"`
			Info Task   `json:"info"`
		} `json:"items"`
	}
	if err := c.call(ctx, request{operation: listTasks, query: url.Values{"tasks": ids}}, &result); err != nil {
		return nil, err
	}
	for _, item := range result.Items {
		p.tasks[item.ID] = item.Info
	}
	return p, nil
}

const localSite = "local-site"

type site struct {
	Local   bool
	VCenter struct {
		Name string `json:"name"`
		ID   string `json:"vcenter"`
	}
}

func (c *Client) sites(ctx context.Context) ([]site, error) {
	var result struct {
		Items []struct {
			Summary struct {
				Local   bool `json:"local"`
				VCenter struct {
					Name string `json:"name"`
					ID   string `json:"vcenter"`
				} `json:"vcenter_info"`
			} `json:"summary"`
		} `json:"items"`
	}
	if err := c.call(ctx, request{operation: listSites}, &result); err != nil {
		return nil, err
	}
	sites := make([]site, 0, len(result.Items))
	for _, item := range result.Items {
		sites = append(sites, site(item.Summary))
	}
	return sites, nil
}

// Reason contains messages from the appliance.
type Reason struct {
	Messages []Message `json:"messages"`
}

// Texts returns all messages in printable form.
func Texts(reasons ...[]Reason) []string {
	list := make([]string, 0)
	for _, part := range reasons {
		for _, r := range part {
			for _, m := range r.Messages {
				list = append(list, Printable(m.Default))
			}
		}
	}
	return list
}

// Member is one of the two clusters of a pair.
type Member struct {
	SiteID      string `json:"site"`
	VCenterID   string `json:"vcenter"`
	ClusterID   string `json:"cluster"`
	ClusterName string `json:"cluster_name"`
}

// Pair is a pair of clusters between which groups can be replicated. Status is OK, WARNING or ERROR.
type Pair struct {
	ID       string   `json:"-"`
	Local    Member   `json:"local_cluster"`
	Peer     Member   `json:"peer_cluster"`
	Status   string   `json:"connection_status"`
	Errors   []Reason `json:"connection_errors"`
	Warnings []Reason `json:"connection_warnings"`
}

// Pairs returns the cluster pairs of a local cluster, sorted by ID.
func (c *Client) Pairs(ctx context.Context, cluster string) ([]Pair, error) {
	return c.pairs.Get(ctx, cluster, func(ctx context.Context) ([]Pair, error) {
		if _, err := c.CheckVCenter(ctx); err != nil {
			return nil, err
		}
		var result struct {
			Items []struct {
				ID   string `json:"cluster_pair"`
				Info Pair   `json:"info"`
			} `json:"items"`
		}
		query := url.Values{"local_clusters": {cluster}}
		if err := c.call(ctx, request{operation: listPairs, query: query}, &result); err != nil {
			return nil, err
		}
		pairs := make([]Pair, 0, len(result.Items))
		for _, item := range result.Items {
			item.Info.ID = item.ID
			if item.Info.Local.ClusterID == cluster {
				pairs = append(pairs, item.Info)
			}
		}
		slices.SortFunc(pairs, func(a, b Pair) int { return strings.Compare(a.ID, b.ID) })
		return pairs, nil
	})
}

// LicenceModes returns the license modes of a site: OPERATIONAL, DEGRADED or SUSPENDED. If there are none, the site has
// no license and cannot be a replication target.
func (c *Client) LicenceModes(ctx context.Context, site string) ([]string, error) {
	return c.licences.Get(ctx, site, func(ctx context.Context) ([]string, error) {
		var result struct {
			Items []struct {
				Info struct {
					VLR *struct {
						Mode string `json:"operational_mode"`
					} `json:"vlr_license_info"`
				} `json:"info"`
			} `json:"items"`
		}
		if err := c.call(ctx, request{operation: listLicences, ids: []string{site}}, &result); err != nil {
			return nil, err
		}
		var modes []string
		for _, item := range result.Items {
			if item.Info.VLR != nil && item.Info.VLR.Mode != "" {
				modes = append(modes, item.Info.VLR.Mode)
			}
		}
		slices.Sort(modes)
		return slices.Compact(modes), nil
	})
}

// Capabilities of a cluster.
const (
	CanSnapshot  = "snapshot"
	CanReplicate = "replication"
	CanTag       = "tagging"
	CanLongTerm  = "gfs"
	CanImmutable = "immutable_snapshots"
)

// Capabilities returns the capabilities of a cluster. It requires release 9.1. Errors: ErrRelease.
func (c *Client) Capabilities(ctx context.Context, cluster string) ([]string, error) {
	return c.capabilities.Get(ctx, cluster, func(ctx context.Context) ([]string, error) {
		if _, err := c.CheckVCenter(ctx); err != nil {
			return nil, err
		}
		var result struct {
			Capabilities []string `json:"capabilities"`
		}
		err := c.call(ctx, request{operation: getCapability, ids: []string{localSite, cluster}}, &result)
		return result.Capabilities, c.asReleaseError(ctx, err)
	})
}

// Release returns the appliance's version.
func (c *Client) Release(ctx context.Context) (string, error) {
	return c.versions.Get(ctx, "", func(ctx context.Context) (string, error) {
		var result struct {
			Version string `json:"version"`
		}
		err := c.call(ctx, request{operation: getAbout}, &result)
		return Printable(result.Version), err
	})
}

// IsRelease90 reports whether the appliance runs release 9.0.
func (c *Client) IsRelease90(ctx context.Context) (bool, error) {
	version, err := c.Release(ctx)
	return version == "9.0" || strings.HasPrefix(version, "9.0."), err
}

// asReleaseError replaces the error with ErrRelease if the appliance runs release 9.0 and lacks the operation. It
// checks the version because the errors that release 9.0 returns are undocumented.
func (c *Client) asReleaseError(ctx context.Context, err error) error {
	if !errors.Is(err, ErrNoOperation) && !errors.Is(err, ErrNotFound) && !errors.Is(err, ErrInvalid) &&
		!errors.Is(err, ErrRelease) {
		return err
	}
	if old, failed := c.IsRelease90(ctx); failed == nil && old {
		return fmt.Errorf("%w: %s", ErrRelease, err.Error())
	}
	return err
}

// VM is a VM as listed by the appliance.
type VM struct {
	ID       string          `json:"-"`
	Name     string          `json:"name"`
	GroupIDs []string        `json:"protection_groups"`
	Remote   *vmReplications `json:"remote_protection_info"`
}

type vmReplications struct {
	Outgoing []VMReplication `json:"outgoing_replications"`
}

// VMReplication describes the replication of a VM to another cluster. The RPO is that of the VM's group. The API
// reports neither the time nor the progress of a sync.
type VMReplication struct {
	// Status is a vSphere Replication status, or a value added by a later release.
	Status     string   `json:"status"`
	ErrorType  string   `json:"error_type"`
	Errors     []Reason `json:"errors"`
	PairID     string   `json:"cluster_pair"`
	Datastores []string `json:"replica_datastores"`
	// Violation is nil while the RPO is met. The meaning of its duration is undocumented. Release 9.0 never returns it.
	Violation *Period `json:"rpo_violation"`
}

// Outgoing returns the VM's replications to other clusters.
func (v VM) Outgoing() []VMReplication {
	if v.Remote == nil {
		return nil
	}
	return v.Remote.Outgoing
}

// VMs returns the VMs of a cluster. It never filters by tag: the API expects tag rules in the body of a GET request,
// which proxies may drop, and the response would then contain all VMs.
func (c *Client) VMs(ctx context.Context, cluster string) ([]VM, error) {
	return c.vms.Get(ctx, cluster, func(ctx context.Context) ([]VM, error) {
		if _, err := c.CheckVCenter(ctx); err != nil {
			return nil, err
		}
		var result struct {
			Items []struct {
				ID   string `json:"vm"`
				Info VM     `json:"info"`
			} `json:"items"`
		}
		if err := c.call(ctx, request{operation: listVMs, ids: []string{cluster}}, &result); err != nil {
			return nil, err
		}
		vms := make([]VM, 0, len(result.Items))
		for _, item := range result.Items {
			item.Info.ID = item.ID
			vms = append(vms, item.Info)
		}
		return vms, nil
	})
}
