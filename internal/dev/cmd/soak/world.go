//go:build unix

package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"terraform-provider-vsla/internal/dev/lab/gateway"
	"terraform-provider-vsla/internal/dev/lab/snapservice"
	"terraform-provider-vsla/internal/dev/lab/tagging"
)

// world has the attributes of objects by name.
type world struct {
	things map[string]string
	// ids are the ids of objects; empty for a configuration.
	ids map[string]string
}

func newWorld() world { return world{things: map[string]string{}, ids: map[string]string{}} }

func (w world) add(name, value, id string) {
	w.things[name] = value
	if id != "" {
		w.ids[name] = id
	}
}

func carries(tag, vm string) string { return "tag " + tag + " on " + vm }

// configured returns the world of a configuration, nil for none.
func configured(e *estate) world {
	w := newWorld()
	if e == nil {
		return w
	}
	w.add("category tier", "SINGLE", "")
	w.add("category label", "MULTIPLE", "")
	for name, t := range e.Tiers {
		w.add("tag tier/"+name, t.Description, "")
		for _, vm := range t.VMs {
			w.add(carries("tier/"+name, vm), "", "")
		}
	}
	for name, description := range e.Labels {
		w.add("tag label/"+name, description, "")
	}
	for vm, o := range e.Objects {
		for _, name := range o.Labels {
			w.add(carries("label/"+name, vm), "", "")
		}
	}
	for vm, r := range e.Replications {
		w.add("replication of "+vm, settings(r.RPO, r.Compression, r.Paused), "")
	}
	for name, g := range e.Groups {
		w.group(name, g, "")
	}
	return w
}

func settings(rpo int64, compression, paused bool) string {
	return fmt.Sprintf("RPO %d min, compression %t, paused %t", rpo, compression, paused)
}

func (w world) group(name string, g protectionGroup, id string) {
	w.add("group "+name, fmt.Sprintf("RPO %d min, keep %d, paused %t, VMs %s",
		g.RPO, g.KeepLast, g.Paused, strings.Join(slices.Sorted(slices.Values(g.VMs)), " ")), id)
}

// served returns the world of the servers; appliances may be nil.
func served(s *tagging.Store, g *gateway.Gateway, p *snapservice.Appliance) world {
	w := newWorld()
	categories := map[string]string{}
	for _, c := range s.Categories() {
		categories[c.ID] = c.Name
		w.add("category "+c.Name, c.Cardinality, c.ID)
	}
	for _, t := range s.Tags() {
		path := categories[t.CategoryID] + "/" + t.Name
		w.add("tag "+path, t.Description, t.ID)
		for _, vm := range s.Objects(t.ID) {
			w.add(carries(path, vm), "", "")
		}
	}
	if g != nil {
		for _, r := range g.Replications() {
			w.add("replication of "+moid(r.VM), settings(r.RPOMinutes, r.Compression, r.Paused), r.ID)
		}
	}
	if p == nil {
		return w
	}
	for _, g := range p.Groups() {
		if g.Info.Status == "MARKED_FOR_DELETE" {
			continue
		}
		was := protectionGroup{VMs: g.Info.Targets.VMs, Paused: g.Info.Status == "PAUSED"}
		for _, r := range g.Info.Replication {
			was.RPO, was.KeepLast = r.RPO.Duration, r.Retention.Short.KeepLast
		}
		w.group(g.Info.Name, was, g.ID)
	}
	return w
}

func moid(vm string) string {
	if parts := strings.Split(vm, ":"); len(parts) == 3 {
		return parts[1]
	}
	return vm
}

// instance has the attributes of all resource types.
type instance struct {
	Status     string `json:"status"`
	Attributes struct {
		ID            string            `json:"id"`
		Name          string            `json:"name"`
		Cardinality   string            `json:"cardinality"`
		Description   string            `json:"description"`
		CategoryID    string            `json:"category_id"`
		TagID         string            `json:"tag_id"`
		ObjectIDs     []string          `json:"object_ids"`
		ObjectID      string            `json:"object_id"`
		TagIDs        []string          `json:"tag_ids"`
		Tags          map[string]string `json:"tags"`
		IDs           map[string]string `json:"ids"`
		VMID          string            `json:"vm_id"`
		ReplicationID string            `json:"replication_id"`
		RPO           int64             `json:"rpo_minutes"`
		Compression   bool              `json:"network_compression"`
		Paused        *bool             `json:"paused"`
		VMIDs         []string          `json:"vm_ids"`
		GroupID       string            `json:"protection_group_id"`
		Replication   struct {
			RPO      int64 `json:"rpo_minutes"`
			KeepLast int64 `json:"keep_last"`
		} `json:"replication"`
	} `json:"attributes"`
}

type stateFile struct {
	Resources []struct {
		Type      string     `json:"type"`
		Instances []instance `json:"instances"`
	} `json:"resources"`
}

// recorded returns the world of a state file, with tainted resources under names of their own.
func recorded(content []byte) (world, error) {
	r := recorder{world: newWorld(), names: map[string]string{}}
	var file stateFile
	if err := json.Unmarshal(content, &file); err != nil {
		return r.world, fmt.Errorf("read the state: %w", err)
	}
	// Names of tags need their categories, associations their tags.
	for _, kind := range []string{
		"vsla_tag_category", "vsla_tag", "vsla_tags", "vsla_tag_association", "vsla_object_tags", "vsla_replication",
		"vsla_protection_group",
	} {
		for _, resource := range file.Resources {
			if resource.Type != kind {
				continue
			}
			for _, i := range resource.Instances {
				r.record(kind, i)
			}
		}
	}
	return r.world, nil
}

type recorder struct {
	world
	names map[string]string // of categories and tags, by id
}

func (r recorder) record(kind string, i instance) {
	a := i.Attributes
	if i.Status == "tainted" {
		r.add("tainted "+kind+" "+a.ID, "", "")
	}
	switch kind {
	case "vsla_tag_category":
		r.names[a.ID] = a.Name
		r.add("category "+a.Name, a.Cardinality, a.ID)
	case "vsla_tag":
		r.tag(a.CategoryID, a.Name, a.Description, a.ID)
	case "vsla_tags":
		for name, description := range a.Tags {
			r.tag(a.CategoryID, name, description, a.IDs[name])
		}
	case "vsla_tag_association":
		for _, vm := range a.ObjectIDs {
			r.on(a.TagID, vm)
		}
	case "vsla_object_tags":
		for _, id := range a.TagIDs {
			r.on(id, a.ObjectID)
		}
	case "vsla_replication":
		r.add("replication of "+moid(a.VMID), settings(a.RPO, a.Compression, paused(a.Paused)), a.ReplicationID)
	case "vsla_protection_group":
		r.group(a.Name, protectionGroup{
			VMs: a.VMIDs, RPO: a.Replication.RPO, KeepLast: a.Replication.KeepLast, Paused: paused(a.Paused),
		}, a.GroupID)
	}
}

func paused(a *bool) bool { return a != nil && *a }

func (r recorder) tag(categoryID, name, description, id string) {
	r.names[id] = r.names[categoryID] + "/" + name
	r.add("tag "+r.names[id], description, id)
}

func (r recorder) on(tagID, vm string) {
	r.add(carries(cmp.Or(r.names[tagID], "with id "+tagID), vm), "", "")
}

// differences compares the server with configuration and foreign tags, and state with the configuration and the
// server's ids.
func differences(want world, foreign map[string]bool, server, state world) []string {
	expected := maps.Clone(want.things)
	for name := range foreign {
		expected[name] = ""
	}
	found := compare("the server", expected, server.things)
	found = append(found, compare("state", want.things, state.things)...)
	ids := maps.Clone(server.ids)
	maps.DeleteFunc(ids, func(name, _ string) bool { _, known := state.things[name]; return !known })
	return append(found, compare("ids in state", ids, state.ids)...)
}

// compare returns a line for each missing, different or unexpected name.
func compare(where string, want, got map[string]string) []string {
	var found []string
	for _, name := range slices.Sorted(maps.Keys(want)) {
		switch value, there := got[name]; {
		case !there:
			found = append(found, fmt.Sprintf("%s: no %s", where, name))
		case value != want[name]:
			found = append(found, fmt.Sprintf("%s: %s is %q, want %q", where, name, value, want[name]))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(got)) {
		if _, expected := want[name]; !expected {
			found = append(found, fmt.Sprintf("%s: unexpected %s", where, name))
		}
	}
	return found
}
