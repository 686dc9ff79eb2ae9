package snapservice

import (
	"net/http"
	"slices"
	"time"
)

// Period is a duration with its unit.
type Period struct {
	Unit     string `json:"unit"`
	Duration int64  `json:"duration"`
}

// Rule is a membership rule based on tags.
type Rule struct {
	Operator string   `json:"operator"`
	Tags     []string `json:"tags"`
}

// Targets are the membership rules of a group.
type Targets struct {
	VMs      []string `json:"vms,omitempty"`
	Patterns []string `json:"vm_name_patterns,omitempty"`
	Rules    []Rule   `json:"tag_rules,omitempty"`
}

// Policy is a local snapshot policy.
type Policy struct {
	Name     string `json:"name"`
	Schedule struct {
		Unit     string `json:"unit"`
		Interval int64  `json:"interval"`
	} `json:"schedule"`
	Retention Period `json:"retention"`
}

// Replication is a replication policy.
type Replication struct {
	Pair      string `json:"cluster_pair,omitempty"`
	RPO       Period `json:"recovery_point_objective"`
	Retention struct {
		Short struct {
			KeepLast int64 `json:"keep_last"`
		} `json:"short_term"`
		Long map[string]any `json:"long_term,omitempty"`
	} `json:"snapshot_retention"`
	Seed    *bool             `json:"use_replica_seed,omitempty"`
	Storage map[string]string `json:"storage_spec,omitempty"`
}

// Group is a protection group.
type Group struct {
	ID, Cluster string
	Info        Info
	snapshots   map[string]time.Time // expiry time by snapshot ID; zero means never
	joined      map[string]time.Time // join time by VM ID
	hide        int
}

// Info is a group as returned by the API.
type Info struct {
	Name        string        `json:"name"`
	Status      string        `json:"status"`
	GUID        string        `json:"guid"`
	Locked      bool          `json:"locked"`
	Targets     Targets       `json:"target_entities"`
	VMs         []string      `json:"vms"`
	Policies    []Policy      `json:"snapshot_policies"`
	Replication []Replication `json:"replication_policies"`
	Snapshots   []string      `json:"snapshots"`
}

type spec struct {
	Name        *string        `json:"name"`
	Targets     *Targets       `json:"target_entities"`
	Policies    *[]Policy      `json:"snapshot_policies"`
	Replication *[]Replication `json:"replication_policies"`
	Locked      *bool          `json:"locked"`
}

func (a *Appliance) check(s spec) error {
	switch {
	case s.Name != nil && *s.Name == "":
		return newRefusal("INVALID_ARGUMENT", "The name is empty.")
	case s.Targets != nil && len(s.Targets.VMs)+len(s.Targets.Patterns)+len(s.Targets.Rules) == 0:
		return newRefusal("INVALID_ARGUMENT", "There are no target entities.")
	case s.Targets != nil && len(s.Targets.Rules) > 0 && a.is90():
		return newRefusal("UNEXPECTED_INPUT", "tag_rules")
	case s.Replication != nil && len(*s.Replication) > 1:
		return newRefusal("INVALID_ARGUMENT", "There is more than one replication policy.")
	case s.Replication != nil && len(*s.Replication) == 1 && (*s.Replication)[0].Pair == "":
		return newRefusal("INVALID_ARGUMENT", "The replication policy has no cluster pair.")
	}
	return nil
}

func (a *Appliance) cluster(r *http.Request) (string, error) {
	id := r.PathValue("cluster")
	for _, c := range a.config.VCenter.Clusters() {
		if c.ID == id {
			return id, nil
		}
	}
	return "", newRefusal("NOT_FOUND", "There is no cluster "+id+".")
}

func (a *Appliance) find(r *http.Request) (*Group, error) {
	cluster, err := a.cluster(r)
	if err != nil {
		return nil, err
	}
	for _, g := range a.groups {
		if g.ID != r.PathValue("pg") || g.Cluster != cluster {
			continue
		}
		g.hide--
		if g.hide >= 0 {
			break
		}
		return g, nil
	}
	return nil, newRefusal("NOT_FOUND", "There is no protection group "+r.PathValue("pg")+".")
}

func (a *Appliance) visibleInfo(g *Group) Info {
	info := g.Info
	info.VMs = slices.DeleteFunc(slices.Clone(info.VMs), func(id string) bool { return a.hidden[id] })
	info.Snapshots = make([]string, 0, len(g.snapshots))
	for id := range g.snapshots {
		info.Snapshots = append(info.Snapshots, id)
	}
	slices.Sort(info.Snapshots)
	if info.Policies == nil {
		info.Policies = []Policy{}
	}
	if info.Replication == nil {
		info.Replication = []Replication{}
	}
	if a.config.Switches.PeriodsInHours {
		info.Policies = slices.Clone(info.Policies)
		info.Replication = slices.Clone(info.Replication)
		for i := range info.Policies {
			toHours(&info.Policies[i].Retention)
		}
		for i := range info.Replication {
			toHours(&info.Replication[i].RPO)
		}
	}
	return info
}

func toHours(p *Period) {
	switch {
	case p.Unit == "MINUTE" && p.Duration%60 == 0:
		*p = Period{Unit: "HOUR", Duration: p.Duration / 60}
	case p.Unit == "DAY":
		*p = Period{Unit: "HOUR", Duration: p.Duration * 24}
	}
}

func (a *Appliance) list(r *http.Request) (any, error) {
	cluster, err := a.cluster(r)
	if err != nil {
		return nil, err
	}
	var list []map[string]any
	names := r.URL.Query()["names"]
	for _, g := range a.groups {
		isNamed := len(names) == 0 || slices.Contains(names, g.Info.Name)
		if g.Cluster != cluster || !isNamed {
			continue
		}
		g.hide--
		if g.hide < 0 {
			list = append(list, map[string]any{"pg": g.ID, "info": a.visibleInfo(g)})
		}
	}
	return items(list), nil
}

func (a *Appliance) get(r *http.Request) (any, error) {
	g, err := a.find(r)
	if err != nil {
		return nil, err
	}
	return a.visibleInfo(g), nil
}

func (a *Appliance) create(r *http.Request) (any, error) {
	cluster, err := a.cluster(r)
	if err != nil {
		return nil, err
	}
	var s spec
	if err := decode(r, &s); err != nil {
		return nil, err
	}
	if err := a.checkCreate(cluster, s); err != nil {
		return nil, err
	}
	g := &Group{
		ID:        a.id("pg"),
		Cluster:   cluster,
		snapshots: map[string]time.Time{},
		joined:    map[string]time.Time{},
		hide:      a.config.Switches.HideReads,
	}
	g.Info.GUID = "guid-" + g.ID
	g.Info.Status = "ACTIVE"
	g.apply(s)
	failing := a.failCreates
	return a.begin(cluster, g.ID, func() (any, error) {
		a.groups = append(a.groups, g)
		a.updateMembers(g)
		if failing {
			return nil, newRefusal("ERROR", "The create failed half way.")
		}
		switch a.config.Switches.TaskResult {
		case "none":
			return nil, nil //nolint:nilnil // a result is optional
		case "object":
			return map[string]string{"pg": g.ID}, nil
		}
		return g.ID, nil
	}), nil
}

func (a *Appliance) checkCreate(cluster string, s spec) error {
	if err := a.check(s); err != nil {
		return err
	}
	if s.Name == nil || s.Targets == nil {
		return newRefusal("INVALID_ARGUMENT", "Name and target entities are required.")
	}
	for _, g := range a.groups {
		marked := g.Info.Status == "MARKED_FOR_DELETE" && !a.config.Switches.KeepName
		if g.Cluster == cluster && g.Info.Name == *s.Name && !marked {
			return newRefusal("INVALID_ARGUMENT", "The name is taken.")
		}
	}
	return a.busy(cluster, "")
}

func (g *Group) apply(s spec) {
	if s.Name != nil {
		g.Info.Name = *s.Name
	}
	if s.Targets != nil {
		g.Info.Targets = *s.Targets
	}
	if s.Policies != nil {
		g.Info.Policies = *s.Policies
	}
	if s.Replication != nil {
		g.Info.Replication = *s.Replication
	}
	if s.Locked != nil {
		g.Info.Locked = *s.Locked
	}
}

func (a *Appliance) writableGroup(r *http.Request) (*Group, error) {
	g, err := a.find(r)
	switch {
	case err != nil:
		return nil, err
	case g.Info.Locked:
		return nil, newRefusal("UNSUPPORTED", "The protection group is locked.")
	case g.Info.Status != "ACTIVE" && g.Info.Status != "PAUSED":
		return nil, newRefusal("NOT_ALLOWED_IN_CURRENT_STATE", "The protection group is "+g.Info.Status+".")
	}
	return g, a.busy(g.Cluster, g.ID)
}

func (a *Appliance) updateGroup(r *http.Request) (any, error) {
	g, err := a.writableGroup(r)
	if err != nil {
		return nil, err
	}
	var s spec
	if err := decode(r, &s); err != nil {
		return nil, err
	}
	if err := a.check(s); err != nil {
		return nil, err
	}
	return a.begin(g.Cluster, g.ID, func() (any, error) {
		g.apply(s)
		a.updateMembers(g)
		return g.ID, nil
	}), nil
}

func (a *Appliance) remove(r *http.Request) (any, error) {
	g, err := a.writableGroup(r)
	if err != nil {
		return nil, err
	}
	force := r.URL.Query().Get("force") == "true"
	return a.begin(g.Cluster, g.ID, func() (any, error) {
		if force {
			clear(g.snapshots)
		}
		g.Info.Status = "MARKED_FOR_DELETE"
		return g.ID, nil
	}), nil
}

// periodDuration converts a period to a duration. A month has 30 days.
func periodDuration(p Period) time.Duration {
	hours := map[string]int64{"HOUR": 1, "DAY": 24, "WEEK": 168, "MONTH": 720, "YEAR": 8760}
	return time.Duration(hours[p.Unit]*p.Duration) * time.Hour
}

func (a *Appliance) update() {
	a.endTasks()
	for _, g := range a.groups {
		a.updateMembers(g)
		for id, expiry := range g.snapshots {
			if !expiry.IsZero() && !a.now.Before(expiry) {
				delete(g.snapshots, id)
			}
		}
	}
	a.groups = slices.DeleteFunc(a.groups, func(g *Group) bool {
		return g.Info.Status == "MARKED_FOR_DELETE" && len(g.snapshots) == 0
	})
}
