package snapservice

import (
	"net/http"
	"path"
	"slices"

	"terraform-provider-vsla/internal/dev/lab/vcsim"
)

// local returns the VMs of a cluster, and whether each can be a member.
func (a *Appliance) local(cluster string) (all []vcsim.VM, able map[string]bool) {
	names := map[string]string{}
	for _, c := range a.config.VCenter.Clusters() {
		names[c.Name] = c.ID
	}
	able = map[string]bool{}
	for _, vm := range a.config.VCenter.VMs() {
		all = append(all, vm)
		able[vm.ID] = names[vm.Cluster] == cluster && !vm.Template
	}
	return all, able
}

// match returns the IDs of the VMs in any cluster that match one of the rules.
func (a *Appliance) match(t Targets) map[string]bool {
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

// join updates the members of a group.
func (a *Appliance) join(g *Group) {
	all, able := a.local(g.Cluster)
	found := a.match(g.Info.Targets)
	g.Info.VMs = []string{}
	for _, vm := range all {
		if !found[vm.ID] || !able[vm.ID] {
			delete(g.joined, vm.ID)
			continue
		}
		g.Info.VMs = append(g.Info.VMs, vm.ID)
		if _, known := g.joined[vm.ID]; !known {
			g.joined[vm.ID] = a.now
		}
	}
}

// groupsOf returns the IDs of the groups of a VM.
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
	if a.preview != nil {
		a.preview()
	}
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
	asked, before := s.Create, []string{}
	if s.Update != nil {
		g, err := a.find(r)
		if err != nil || s.Create != nil {
			return nil, refuse("INVALID_ARGUMENT", "The group is unknown, or both specifications are set.")
		}
		asked, before = s.Update, g.Info.VMs
	}
	if _, err := a.cluster(r); err != nil || asked == nil || asked.Targets == nil || (s.Create != nil && s.Group != "") {
		return nil, refuse("INVALID_ARGUMENT", "The specification is not valid.")
	}
	included, excluded := a.candidates(s.Cluster, *asked.Targets, before)
	return map[string]any{"included_vms": included, "excluded_vms": excluded}, nil
}

// candidates returns the VMs that a group with these rules would include and exclude.
func (a *Appliance) candidates(cluster string, targets Targets, before []string) (included, excluded []any) {
	all, able := a.local(cluster)
	found := a.match(targets)
	included, excluded = []any{}, []any{}
	for _, vm := range all {
		is, was := found[vm.ID], slices.Contains(before, vm.ID)
		change, reason := "ADD", "New member."
		switch {
		case a.hidden[vm.ID] || (!is && !was):
			continue
		case is && !able[vm.ID]:
			change, reason = "EXCLUDE", "Not in this cluster, or a template."
		case is && was:
			change, reason = "EXISTING", "Member already."
		case was:
			change, reason = "REMOVE", "The rules no longer match.\x1b[31m"
		}
		candidate := map[string]any{
			"vm": vm.ID, "vm_name": vm.Name, "protection_groups": a.groupsOf(vm.ID),
			"membership_change_type": change, "membership_change_reasons": texts(reason),
		}
		if change == "ADD" || change == "EXISTING" {
			included = append(included, candidate)
		} else {
			excluded = append(excluded, candidate)
		}
	}
	return included, excluded
}
