package snapservice

import (
	"net/http"
	"path"
	"slices"

	"terraform-provider-vsla/internal/dev/lab/vcsim"
)

// clusterVMs returns all VMs, and which of them can be members of a group of the cluster.
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

// matchTargets returns the IDs of the VMs that match a group, in any cluster.
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
			switch rule.Operator {
			case "AND":
				found[vm.ID] = found[vm.ID] || !slices.ContainsFunc(rule.Tags, lacks)
			case "OR":
				found[vm.ID] = found[vm.ID] || slices.ContainsFunc(rule.Tags, carries)
			}
		}
	}
	return found
}

// updateMembers determines the members of a group again.
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
	if err := decode(r, &s); err != nil {
		return nil, err
	}
	r.SetPathValue("cluster", s.Cluster)
	r.SetPathValue("pg", s.Group)
	requested := s.Create
	before := []string{}
	if s.Update != nil {
		g, err := a.find(r)
		if err != nil || s.Create != nil {
			return nil, newRefusal("INVALID_ARGUMENT", "The group is unknown, or both specifications are set.")
		}
		requested = s.Update
		before = g.Info.VMs
	}
	_, err := a.cluster(r)
	namesCreated := s.Create != nil && s.Group != ""
	if err != nil || requested == nil || requested.Targets == nil || namesCreated {
		return nil, newRefusal("INVALID_ARGUMENT", "The specification is not valid.")
	}
	included, excluded := a.candidates(s.Cluster, *requested.Targets, before)
	return map[string]any{"included_vms": included, "excluded_vms": excluded}, nil
}

// candidates compares the VMs that match the targets with the members before.
func (a *Appliance) candidates(cluster string, targets Targets, before []string) (included, excluded []any) {
	all, eligible := a.clusterVMs(cluster)
	found := a.matchTargets(targets)
	included = []any{}
	excluded = []any{}
	for _, vm := range all {
		is := found[vm.ID]
		was := slices.Contains(before, vm.ID)
		change := "ADD"
		reason := "New member."
		isConcerned := is || was
		switch {
		case a.hidden[vm.ID] || !isConcerned:
			continue
		case is && !eligible[vm.ID]:
			change = "EXCLUDE"
			reason = "Not in this cluster, or a template."
		case is && was:
			change = "EXISTING"
			reason = "Member already."
		case was:
			change = "REMOVE"
			reason = "The rules no longer match.\x1b[31m"
		}
		candidate := map[string]any{
			"vm":                        vm.ID,
			"vm_name":                   vm.Name,
			"protection_groups":         a.groupsOf(vm.ID),
			"membership_change_type":    change,
			"membership_change_reasons": newMessages(reason),
		}
		if change == "ADD" || change == "EXISTING" {
			included = append(included, candidate)
		} else {
			excluded = append(excluded, candidate)
		}
	}
	return included, excluded
}
