package judge

import (
	"maps"
	"regexp"
	"slices"

	"terraform-provider-vsla/internal/gate/finding"
	"terraform-provider-vsla/internal/gate/tfplan"
)

type listedVM struct {
	Name text   `json:"name"`
	Used figure `json:"used_gib"`
}

// inventory contains the VMs that the data sources of a plan list.
type inventory struct {
	vms map[string]listedVM
	// ids contains the IDs of the VMs with a name.
	ids map[string][]string
}

// source is a data source of VMs.
type source struct {
	address string
	values  map[string]any
	vms     map[string]listedVM
}

// inaccessible returns the IDs or names of VMs that match the filters, and that the data source omits.
func (s source) inaccessible() []string {
	var ids []string
	values, _ := s.values["inaccessible"].([]any)
	for _, value := range values {
		if id, ok := value.(string); ok {
			ids = append(ids, id)
		}
	}
	return ids
}

func (j *judge) readInventory() {
	j.inventory = inventory{vms: map[string]listedVM{}, ids: map[string][]string{}}
	for _, s := range append(j.sources(typeVMs), j.sources(typeFile)...) {
		for _, id := range slices.Sorted(maps.Keys(s.vms)) {
			is := s.vms[id]
			if _, known := j.inventory.vms[id]; !known {
				j.inventory.ids[is.Name.V] = append(j.inventory.ids[is.Name.V], id)
			}
			j.inventory.vms[id] = is
		}
	}
}

func (j *judge) sources(kind string) []source {
	var found []source
	for _, r := range j.plan.Results(kind) {
		is, err := tfplan.Decode[struct {
			VMs     tfplan.Value[map[string]listedVM] `json:"virtual_machines"`
			Summary tfplan.Value[bool]                `json:"summary_only"`
		}](r.Values)
		if err == nil && !is.VMs.Set && is.Summary.V {
			continue // lists no VMs
		}
		if err != nil || !is.VMs.Set {
			j.add(finding.Unknown, r.Address, r.Address, unreliable)
			continue
		}
		found = append(found, source{r.Address, r.Values, is.VMs.V})
	}
	return found
}

var idInKey = regexp.MustCompile(`^(.*) \((vm-[0-9]+)\)$`)

// member is a VM of a tier. ID is empty if the plan does not show it.
type member struct {
	id, name string
	size     figure
}

// membersOf returns the VMs that a tier lists, by the ID of the VM, by the ID in its key, or by its name.
func (j *judge) membersOf(t *tier) []member {
	var members []member
	for _, key := range slices.Sorted(maps.Keys(t.is.VMs.V)) {
		is := t.is.VMs.V[key]
		m := member{name: key, size: is.Size}
		found := idInKey.FindStringSubmatch(key)
		_, isID := j.inventory.vms[key]
		switch named := j.inventory.ids[key]; {
		case is.ID.Set:
			m.id = is.ID.V
		case isID:
			m.id = key
		case found != nil:
			m.name, m.id = found[1], found[2]
		case len(named) == 1:
			m.id = named[0]
		case len(named) > 1:
			j.add(finding.NotCounted, t.name, t.address, "lists %q, and several VMs have this name: state the id", key)
		}
		members = append(members, m)
	}
	return members
}
