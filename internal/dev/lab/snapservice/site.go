package snapservice

import (
	"net/http"
	"slices"
	"time"
)

// IDs of the simulated sites.
const (
	localSite   = "site-1"
	peerVCenter = "e0000000-0000-4000-8000-00000000ffff"
)

func (a *Appliance) about(*http.Request) (any, error) {
	return map[string]string{"version": a.config.Switches.Release}, nil
}

func (a *Appliance) sites(*http.Request) (any, error) {
	vc := a.config.VCenter
	if a.config.Other != nil {
		vc = a.config.Other
	}
	site := func(local bool, id, name, vcenter string) map[string]any {
		return map[string]any{
			"site": id,
			"summary": map[string]any{
				"local":             local,
				"name":              name,
				"in_use":            true,
				"pairing_summaries": []any{},
				"vcenter_info":      map[string]any{"host": name, "name": name, "vcenter": vcenter},
			},
		}
	}
	return items([]map[string]any{
		site(false, PeerSite, "recovery", peerVCenter),
		site(true, localSite, "protected", vc.InstanceUUID()),
	}), nil
}

func (a *Appliance) licenses(r *http.Request) (any, error) {
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
	member := func(site, vcenter, id, name string) map[string]string {
		return map[string]string{"site": site, "vcenter": vcenter, "cluster": id, "cluster_name": name}
	}
	only := r.URL.Query()["local_clusters"]
	var list []map[string]any
	for _, c := range a.config.VCenter.Clusters() {
		if len(only) > 0 && !slices.Contains(only, c.ID) {
			continue
		}
		list = append(list, map[string]any{
			"cluster_pair": pairPrefix + c.ID,
			"info": map[string]any{
				"local_cluster":     member(localSite, a.config.VCenter.InstanceUUID(), c.ID, c.Name),
				"peer_cluster":      member(PeerSite, peerVCenter, "domain-c99", PeerCluster),
				"connection_status": "OK",
				"in_use":            true,
			},
		})
	}
	return items(list), nil
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
			"name":                     vm.Name,
			"in_cluster":               true,
			"local_protection_enabled": false,
			"snapshot_count":           0,
			"protection_groups":        a.groupsOf(vm.ID),
		}
		if out := a.replications(vm.ID); out != nil {
			info["remote_protection_info"] = map[string]any{"outgoing_replications": out}
		}
		list = append(list, map[string]any{"vm": vm.ID, "info": info})
	}
	return items(list), nil
}

// replications returns the outgoing replication of a VM, or nil if no group replicates it.
func (a *Appliance) replications(vm string) []map[string]any {
	i := slices.IndexFunc(a.groups, func(g *Group) bool {
		return len(g.Info.Replication) > 0 && slices.Contains(g.Info.VMs, vm)
	})
	if i < 0 {
		return nil
	}
	g := a.groups[i]
	state, set := a.vms[vm]
	if !set {
		state = a.stateOf(vm, g)
	}
	out := map[string]any{
		"cluster_pair":       g.Info.Replication[0].Pair,
		"status":             state.Status,
		"replica_datastores": []string{"datastore-99"},
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

// stateOf returns the state of a VM that follows from the time since it joined its group and since the link was cut.
func (a *Appliance) stateOf(vm string, g *Group) VMState {
	state := VMState{Status: "OK"}
	if a.now.Before(g.joined[vm].Add(initialSync)) {
		state.Status = "INITIAL_FULL_SYNC"
	}
	rpo := g.Info.Replication[0].RPO
	late := a.now.Sub(a.linkDown) - time.Duration(rpo.Duration)*time.Minute
	if !a.linkDown.IsZero() && rpo.Unit == "MINUTE" && late > 0 {
		state.Violation = new(int64(late / time.Minute))
	}
	return state
}
