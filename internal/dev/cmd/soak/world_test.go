//go:build unix

package main

import (
	"maps"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/lab/tagging"
)

// planted is a configuration, the server that has it and the state that records it.
type planted struct {
	want    estate
	foreign map[string]bool
	store   *tagging.Store
	tags    map[string]string // ids by path
	state   string
}

func vm(id string) tagging.Object { return tagging.Object{Type: "VirtualMachine", ID: id} }

func plant(t *testing.T) *planted {
	t.Helper()
	p := &planted{
		want: estate{
			Tiers:   map[string]tier{"gold": {Description: "best", VMs: []string{"vm-1", "vm-2"}, Ownership: additive}},
			Labels:  map[string]string{"linux": ""},
			Objects: map[string]object{"vm-1": {Labels: []string{"linux"}, Ownership: additive}},
		},
		foreign: map[string]bool{},
		store:   tagging.New("0000", func(tagging.Object) bool { return true }),
		tags:    map[string]string{},
	}
	id := func(id string, err error) string {
		t.Helper()
		require.NoError(t, err)
		return id
	}
	tiers := id(p.store.AddCategory(tagging.Category{Name: "tier", Cardinality: "SINGLE"}))
	labels := id(p.store.AddCategory(tagging.Category{Name: "label", Cardinality: "MULTIPLE"}))
	p.tags["gold"] = id(p.store.AddTag(tagging.Tag{Name: "gold", CategoryID: tiers, Description: "best"}))
	p.tags["linux"] = id(p.store.AddTag(tagging.Tag{Name: "linux", CategoryID: labels}))
	for tag, vms := range map[string][]string{"gold": {"vm-1", "vm-2"}, "linux": {"vm-1"}} {
		for _, id := range vms {
			require.NoError(t, p.store.Attach(p.tags[tag], vm(id)))
		}
	}
	p.state = strings.NewReplacer(
		"TIERS", tiers, "LABELS", labels, "GOLD", p.tags["gold"], "LINUX", p.tags["linux"],
	).Replace(`{"resources": [
		{"type": "vsla_tag_category", "instances": [
			{"attributes": {"id": "TIERS", "name": "tier", "cardinality": "SINGLE"}},
			{"attributes": {"id": "LABELS", "name": "label", "cardinality": "MULTIPLE"}}]},
		{"type": "vsla_tag", "instances": [
			{"attributes": {"id": "GOLD", "name": "gold", "description": "best", "category_id": "TIERS"}}]},
		{"type": "vsla_tags", "instances": [
			{"attributes": {"id": "LABELS", "category_id": "LABELS", "tags": {"linux": ""}, "ids": {"linux": "LINUX"}}}]},
		{"type": "vsla_tag_association", "instances": [
			{"attributes": {"id": "GOLD/VirtualMachine", "tag_id": "GOLD", "object_ids": ["vm-1", "vm-2"]}}]},
		{"type": "vsla_object_tags", "instances": [
			{"attributes": {"id": "VirtualMachine/vm-1", "object_id": "vm-1", "tag_ids": ["LINUX"]}}]}]}`)
	return p
}

func (p *planted) differences(t *testing.T) []string {
	t.Helper()
	state, err := recorded([]byte(p.state))
	require.NoError(t, err)
	return differences(configured(&p.want), p.foreign, served(p.store, nil, nil), state)
}

// TestDifferences plants one difference at a time: it is found, and nothing else is.
func TestDifferences(t *testing.T) {
	t.Parallel()
	require.Empty(t, plant(t).differences(t))
	for name, test := range map[string]struct {
		change func(*planted) error
		want   []string
	}{
		"a tag was detached": {
			func(p *planted) error { return p.store.Detach(p.tags["gold"], vm("vm-2")) },
			[]string{"the server: no tag tier/gold on vm-2"},
		},
		"another VM was tagged": {
			func(p *planted) error { return p.store.Attach(p.tags["gold"], vm("vm-3")) },
			[]string{"the server: unexpected tag tier/gold on vm-3"},
		},
		"a tag was described": {
			func(p *planted) error { return p.store.Describe(p.tags["gold"], "worst") },
			[]string{`the server: tag tier/gold is "worst", want "best"`},
		},
		"a tag is left": {
			func(p *planted) error {
				_, err := p.store.AddTag(tagging.Tag{Name: "orphan", CategoryID: p.store.Categories()[0].ID})
				return err
			},
			[]string{"the server: unexpected tag label/orphan"},
		},
		"what others tagged is gone": {
			func(p *planted) error { p.foreign["tag tier/gold on vm-4"] = true; return nil },
			[]string{"the server: no tag tier/gold on vm-4"},
		},
		"state lost an object": {
			func(p *planted) error { p.state = strings.Replace(p.state, `"vm-1", "vm-2"`, `"vm-1"`, 1); return nil },
			[]string{"state: no tag tier/gold on vm-2"},
		},
		"state has the id of another tag": {
			func(p *planted) error {
				p.state = strings.ReplaceAll(p.state, p.tags["linux"], "urn:other")
				return nil
			},
			[]string{`ids in state: tag label/linux is "urn:other", want "` + "%LINUX" + `"`},
		},
		"state is tainted": {
			func(p *planted) error {
				p.state = strings.Replace(p.state, `{"attributes": {"id": "VirtualMachine/vm-1"`,
					`{"status": "tainted", "attributes": {"id": "VirtualMachine/vm-1"`, 1)
				return nil
			},
			[]string{"state: unexpected tainted vsla_object_tags VirtualMachine/vm-1"},
		},
		"the configuration asks for a replication": {
			func(p *planted) error { p.want.Replications = map[string]replication{"vm-1": {RPO: 15}}; return nil },
			[]string{"the server: no replication of vm-1", "state: no replication of vm-1"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := plant(t)
			require.NoError(t, test.change(p))
			for i, line := range test.want {
				test.want[i] = strings.ReplaceAll(line, "%LINUX", p.tags["linux"])
			}
			assert.Equal(t, test.want, p.differences(t))
		})
	}
}

func TestRecorded_destroyed(t *testing.T) {
	t.Parallel()
	state, err := recorded([]byte(`{"resources": []}`))
	require.NoError(t, err)
	assert.Empty(t, differences(configured(nil), nil, newWorld(), state))
	left := plant(t)
	assert.Len(t, differences(configured(nil), nil, served(left.store, nil, nil), state), 7)
	_, err = recorded(nil)
	assert.Error(t, err, "an empty state file is read")
}

// TestKept: what others have tagged stays where the configuration does not claim it.
func TestKept(t *testing.T) {
	t.Parallel()
	e := estate{
		Tiers: map[string]tier{
			"gold":   {VMs: []string{"vm-1"}, Ownership: additive},
			"silver": {VMs: []string{"vm-2"}, Ownership: exclusive},
		},
		Labels: map[string]string{"linux": "", "test": ""},
		Objects: map[string]object{
			"vm-1": {Labels: []string{"test"}, Ownership: category},
			"vm-2": {Labels: []string{"test"}, Ownership: additive},
		},
	}
	foreign := map[string]bool{
		"tag tier/gold on vm-3":   true,
		"tag label/linux on vm-2": true,
		"tag label/linux on vm-3": true,
	}
	all := maps.Clone(foreign)
	for _, name := range []string{
		"tag tier/gold on vm-1",    // the configuration's own
		"tag tier/gold on vm-2",    // is in another tier
		"tag tier/silver on vm-3",  // exclusive
		"tag label/linux on vm-1",  // its category is owned
		"tag label/gone on vm-3",   // the tag is deleted
		"tag tier/retired on vm-4", // the tier is deleted
	} {
		all[name] = true
	}
	assert.Equal(t, foreign, kept(&e, all))
	assert.Empty(t, kept(nil, all))
}
