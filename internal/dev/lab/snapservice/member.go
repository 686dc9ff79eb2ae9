package snapservice

import (
	"errors"
	"net/http"
	"path"
	"slices"
	"time"

	"terraform-provider-vsla/internal/dev/lab/vcsim"
)

func (a *Appliance) clusterVMs(cluster string) (all []vcsim.VM, eligible map[string]bool) {
	names := map[string]string{}
	for _, c := range a.config.VCenter.Clusters() {
		names[c.Name] = c.ID
	}
	eligible = map[string]bool{}
	for _, vm := range a.config.VCenter.VMs() {
		all = append(all, vm)
		eligible[vm.ID] = names[vm.Cluster] == cluster && !vm.Template
	}
	return all, eligible
}

func (a *Appliance) matchTargets(t Targets) map[string]bool {
	found := map[string]bool{}
	for _, id := range t.VMs {
		found[id] = true
	}
	for _, vm := range a.config.VCenter.VMs() {
		for _, pattern := range t.Patterns {
			if ok, err := path.Match(pattern, vm.Name); ok && err == nil {
				found[vm.ID] = true
			}
		}
		for _, rule := range t.Rules {
			carries := func(tag string) bool { return slices.Contains(a.config.VCenter.Tags().Objects(tag), vm.ID) }
			lacks := func(tag string) bool { return !carries(tag) }
			if (rule.Operator == "AND" && !slices.ContainsFunc(rule.Tags, lacks)) ||
				(rule.Operator == "OR" && slices.ContainsFunc(rule.Tags, carries)) {
				found[vm.ID] = true
			}
		}
	}
	return found
}

func (a *Appliance) updateMembers(g *Group) {
	all, eligible := a.clusterVMs(g.Cluster)
	found := a.matchTargets(g.Info.Targets)
	g.Info.VMs = []string{}
	for _, vm := range all {
		if !found[vm.ID] || !eligible[vm.ID] {
			delete(g.joined, vm.ID)
			continue
		}
		g.Info.VMs = append(g.Info.VMs, vm.ID)
		if _, known := g.joined[vm.ID]; !known {
			g.joined[vm.ID] = a.now
		}
	}
}

func (a *Appliance) groupsOf(vm string) []string {
	ids := []string{}
	for _, g := range a.groups {
		if slices.Contains(g.Info.VMs, vm) {
			ids = append(ids, g.ID)
		}
	}
	return ids
}

func (a *Appliance) computeMembers(r *http.Request) (any, error) {
	var s struct {
		Cluster string `json:"cluster_id"`
		Group   string `json:"protection_group"`
		Create  *spec  `json:"create_spec"`
		Update  *spec  `json:"update_spec"`
	}
	if err := read(r, &s); err != nil {
		return nil, err
	}
	r.SetPathValue("cluster", s.Cluster)
	r.SetPathValue("pg", s.Group)
	requested, before := s.Create, []string{}
	if s.Update != nil {
		g, err := a.find(r)
		if err != nil || s.Create != nil {
			return nil, newRefusal("INVALID_ARGUMENT", "The group is unknown, or both specifications are set.")
		}
		requested, before = s.Update, g.Info.VMs
	}
	_, err := a.cluster(r)
	if err != nil || requested == nil || requested.Targets == nil || (s.Create != nil && s.Group != "") {
		return nil, newRefusal("INVALID_ARGUMENT", "The specification is not valid.")
	}
	included, excluded := a.candidates(s.Cluster, *requested.Targets, before)
	return map[string]any{"included_vms": included, "excluded_vms": excluded}, nil
}

func (a *Appliance) candidates(cluster string, targets Targets, before []string) (included, excluded []any) {
	all, eligible := a.clusterVMs(cluster)
	found := a.matchTargets(targets)
	included, excluded = []any{}, []any{}
	for _, vm := range all {
		is, was := found[vm.ID], slices.Contains(before, vm.ID)
		change, reason := "ADD", "New member."
		switch {
		case a.hidden[vm.ID] || (!is && !was):
			continue
		case is && !eligible[vm.ID]:
			change, reason = "EXCLUDE", "Not in this cluster, or a template."
		case is && was:
			change, reason = "EXISTING", "Member already."
		case was:
			change, reason = "REMOVE", "The rules no longer match.\x1b[31m"
		}
		candidate := map[string]any{
			"vm": vm.ID, "vm_name": vm.Name, "protection_groups": a.groupsOf(vm.ID),
			"membership_change_type": change, "membership_change_reasons": newMessages(reason),
		}
		if change == "ADD" || change == "EXISTING" {
			included = append(included, candidate)
		} else {
			excluded = append(excluded, candidate)
		}
	}
	return included, excluded
}

type task struct {
	cluster, group string
	start, end     time.Time
	run            func() (any, error)
	done           bool
	result         any
	err            error
	blocked        bool
	ended          time.Time
}

func (a *Appliance) busy(cluster, group string) error {
	for _, t := range a.tasks {
		if t.done {
			continue
		}
		switch a.config.Switches.BusyScope {
		case "group":
			if t.group != group {
				continue
			}
		case "appliance":
		default:
			if t.cluster != cluster {
				continue
			}
		}
		return newRefusal("NOT_ALLOWED_IN_CURRENT_STATE", "Another operation is in progress.")
	}
	return nil
}

func (a *Appliance) begin(cluster, group string, run func() (any, error)) string {
	id := a.id("task")
	a.tasks[id] = &task{
		cluster: cluster, group: group, run: run, start: a.now, end: a.now.Add(taskTime + a.taskDelay),
		blocked: a.taskDelay > 0,
	}
	a.order = append(a.order, id)
	return id
}

func (a *Appliance) endTasks() {
	for _, id := range a.order {
		t := a.tasks[id]
		if t.done || a.now.Before(t.end) {
			continue
		}
		t.result, t.err = t.run()
		t.done, t.ended = true, a.now
	}
}

func (a *Appliance) info(t *task) map[string]any {
	status := "RUNNING"
	if t.blocked {
		status = "BLOCKED"
	}
	info := map[string]any{
		"cancelable": false, "description": newMessages("A task.")[0], "operation": "write", "service": "protection_groups",
		"user": "administrator", "start_time": t.start.Format(time.RFC3339),
		"progress": map[string]any{"completed": 0, "total": 100, "message": newMessages("In progress.")[0]},
	}
	if t.done {
		status = "SUCCEEDED"
		info["end_time"] = t.ended.Format(time.RFC3339)
		if t.result != nil {
			info["result"] = t.result
		}
	}
	if t.err != nil {
		status = "FAILED"
		var r *refusal
		if !errors.As(t.err, &r) {
			r = &refusal{"ERROR", newMessages(t.err.Error())}
		}
		info["error"] = r
	}
	if !a.config.Switches.NoTarget && t.done && t.err == nil {
		info["target"] = map[string]string{"id": t.group, "type": "com.vmware.snapservice.protection_group"}
	}
	info["status"] = status
	return info
}

func (a *Appliance) purged(t *task) bool { return a.config.Switches.PurgeTasks && t.done }

func (a *Appliance) getTask(r *http.Request) (any, error) {
	t := a.tasks[r.PathValue("task")]
	if t == nil || a.purged(t) {
		return nil, newRefusal("NOT_FOUND", "There is no such task.")
	}
	return a.info(t), nil
}

func (a *Appliance) listTasks(r *http.Request) (any, error) {
	ids := r.URL.Query()["tasks"]
	if len(ids) == 0 {
		return nil, newRefusal("INVALID_ARGUMENT", "Either tasks or services is required.")
	}
	var list []map[string]any
	for _, id := range ids {
		if t := a.tasks[id]; t != nil && !a.purged(t) {
			list = append(list, map[string]any{"task": id, "info": a.info(t)})
		}
	}
	return items(list), nil
}

func (a *Appliance) about(*http.Request) (any, error) {
	return map[string]string{"version": a.config.Switches.Release}, nil
}

func (a *Appliance) sites(*http.Request) (any, error) {
	vc := a.config.VCenter
	if a.config.Other != nil {
		vc = a.config.Other
	}
	site := func(local bool, id, name, vcenter string) map[string]any {
		return map[string]any{"site": id, "summary": map[string]any{
			"local": local, "name": name, "in_use": true, "pairing_summaries": []any{},
			"vcenter_info": map[string]any{"host": name, "name": name, "vcenter": vcenter},
		}}
	}
	return items([]map[string]any{
		site(false, PeerSite, "recovery", "e0000000-0000-4000-8000-00000000ffff"),
		site(true, "site-1", "protected", vc.InstanceUUID()),
	}), nil
}

func (a *Appliance) licences(r *http.Request) (any, error) {
	if r.PathValue("site") != PeerSite {
		return items([]any{}), nil
	}
	return items([]any{map[string]any{"info": map[string]any{
		"license_type":     "VLR",
		"vlr_license_info": map[string]any{"vlr_license_type": "TERM_BASED", "operational_mode": "OPERATIONAL"},
	}}}), nil
}

func (a *Appliance) clusters(*http.Request) (any, error) {
	var list []map[string]any
	for _, c := range a.config.VCenter.Clusters() {
		list = append(list, map[string]any{"cluster": c.ID, "info": map[string]any{"name": c.Name}})
	}
	return items(list), nil
}

func (a *Appliance) capabilities(r *http.Request) (any, error) {
	if _, err := a.cluster(r); err != nil {
		return nil, err
	}
	return map[string]any{
		"capabilities": []string{"snapshot", "replication", "tagging", "gfs", "immutable_snapshots"},
	}, nil
}

func (a *Appliance) pairs(r *http.Request) (any, error) {
	only := r.URL.Query()["local_clusters"]
	var list []map[string]any
	for _, c := range a.config.VCenter.Clusters() {
		if len(only) > 0 && !slices.Contains(only, c.ID) {
			continue
		}
		member := func(site, vcenter, id, name string) map[string]string {
			return map[string]string{"site": site, "vcenter": vcenter, "cluster": id, "cluster_name": name}
		}
		list = append(list, map[string]any{"cluster_pair": pairPrefix + c.ID, "info": map[string]any{
			"local_cluster":     member("site-1", a.config.VCenter.InstanceUUID(), c.ID, c.Name),
			"peer_cluster":      member(PeerSite, "e0000000-0000-4000-8000-00000000ffff", "domain-c99", PeerCluster),
			"connection_status": "OK", "in_use": true,
		}})
	}
	return items(list), nil
}

// VMState is the replication state of a VM as set by SetVM.
type VMState struct {
	Status, ErrorType, Reason string
	// Violation is the duration of the RPO violation in minutes; nil means none.
	Violation *int64
}

const initialSync = 5 * time.Minute

func (a *Appliance) listVMs(r *http.Request) (any, error) {
	cluster, err := a.cluster(r)
	if err != nil {
		return nil, err
	}
	all, eligible := a.clusterVMs(cluster)
	var list []map[string]any
	for _, vm := range all {
		if !eligible[vm.ID] || a.hidden[vm.ID] {
			continue
		}
		info := map[string]any{
			"name": vm.Name, "in_cluster": true, "local_protection_enabled": false, "snapshot_count": 0,
			"protection_groups": a.groupsOf(vm.ID),
		}
		if out := a.replications(vm.ID); out != nil {
			info["remote_protection_info"] = map[string]any{"outgoing_replications": out}
		}
		list = append(list, map[string]any{"vm": vm.ID, "info": info})
	}
	return items(list), nil
}

func (a *Appliance) replications(vm string) []map[string]any {
	for _, g := range a.groups {
		if len(g.Info.Replication) == 0 || !slices.Contains(g.Info.VMs, vm) {
			continue
		}
		state, set := a.vms[vm]
		policy := g.Info.Replication[0]
		if !set {
			state.Status = "OK"
			if a.now.Before(g.joined[vm].Add(initialSync)) {
				state.Status = "INITIAL_FULL_SYNC"
			}
			late := a.now.Sub(a.linkDown) - time.Duration(policy.RPO.Duration)*time.Minute
			if !a.linkDown.IsZero() && policy.RPO.Unit == "MINUTE" && late > 0 {
				state.Violation = new(int64(late / time.Minute))
			}
		}
		out := map[string]any{
			"cluster_pair": policy.Pair, "status": state.Status, "replica_datastores": []string{"datastore-99"},
		}
		if state.ErrorType != "" {
			out["error_type"] = state.ErrorType
			out["errors"] = []any{map[string]any{"messages": newMessages(state.Reason)}}
		}
		if state.Violation != nil && !a.is90() {
			out["rpo_violation"] = Period{"MINUTE", *state.Violation}
		}
		return []map[string]any{out}
	}
	return nil
}
