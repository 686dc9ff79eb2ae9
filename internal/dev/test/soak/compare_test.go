//go:build unix

package soak_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/stretchr/testify/require"
)

// compare checks that the servers contain exactly the configuration and the tags attached by other clients, and that
// the state contains every object and matches the configuration.
func (s *trial) compare(want *estate) {
	s.mu.Lock()
	defer s.mu.Unlock()
	maps.DeleteFunc(s.foreign, func(a association, _ bool) bool { return want.claims(a) })
	expected := want.lines()
	for a := range s.foreign {
		expected = append(expected, a.String())
	}
	served, ids := s.serverLines()
	slices.Sort(expected)
	slices.Sort(served)
	require.Equal(s, expected, served, "server")
	state, err := os.ReadFile(filepath.Join(s.dir, "terraform.tfstate"))
	require.NoError(s, err)
	if want == nil {
		require.NotContains(s, string(state), `"instances"`)
		return
	}
	for _, id := range ids {
		require.Contains(s, string(state), strconv.Quote(id))
	}
	require.Equal(s, 0, s.runHealthy("plan", "-refresh=false", "-detailed-exitcode"), "state is as configured")
}

// lines returns a line for each object and association in a configuration, or nil if there is no configuration.
func (e *estate) lines() []string {
	if e == nil {
		return nil
	}
	things := []string{"category tier SINGLE", "category label MULTIPLE"}
	for name, t := range e.Tiers {
		things = append(things, tagLine("tier", name, t.Description))
		for _, vm := range t.VMs {
			things = append(things, association{"tier", name, vm}.String())
		}
	}
	for name, description := range e.Labels {
		things = append(things, tagLine("label", name, description))
	}
	for vm, o := range e.Objects {
		for _, name := range o.Labels {
			things = append(things, association{"label", name, vm}.String())
		}
	}
	for vm, r := range e.Replications {
		things = append(things, r.line(vm))
	}
	for name, g := range e.Groups {
		things = append(things, g.line(name))
	}
	return things
}

func tagLine(category, name, description string) string {
	return fmt.Sprintf("tag %s/%s: %s", category, name, description)
}

func (r replication) line(vm string) string { return fmt.Sprintf("replication of %s: %+v", vm, r) }

func (g protectionGroup) line(name string) string { return fmt.Sprintf("group %s: %+v", name, g) }

// serverLines returns a line for each object and association on the servers, in the same format as estate.lines.
func (s *trial) serverLines() (things, ids []string) {
	store := s.lab.Tags()
	for _, c := range store.Categories() {
		things, ids = append(things, "category "+c.Name+" "+c.Cardinality), append(ids, c.ID)
	}
	for _, t := range store.Tags() {
		category := s.category(t).Name
		things, ids = append(things, tagLine(category, t.Name, t.Description)), append(ids, t.ID)
		for _, vm := range store.Objects(t.ID) {
			things = append(things, association{category, t.Name, vm}.String())
		}
	}
	if s.gateway != nil {
		for _, r := range s.gateway.Replications() {
			is := replication{r.RPOMinutes, r.Compression, r.Paused}
			things, ids = append(things, is.line(moid(r.VM))), append(ids, r.ID)
		}
	}
	if s.protection == nil {
		return things, ids
	}
	for _, g := range s.protection.Groups() {
		if g.Info.Status == "MARKED_FOR_DELETE" {
			continue
		}
		is := protectionGroup{VMs: slices.Sorted(slices.Values(g.Info.Targets.VMs)), Paused: g.Info.Status == "PAUSED"}
		for _, r := range g.Info.Replication {
			is.RPO, is.KeepLast = r.RPO.Duration, r.Retention.Short.KeepLast
		}
		things, ids = append(things, is.line(g.Info.Name)), append(ids, g.ID)
	}
	return things, ids
}

func moid(vm string) string {
	if parts := strings.Split(vm, ":"); len(parts) == 3 {
		return parts[1]
	}
	return vm
}
