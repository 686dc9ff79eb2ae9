package source_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/whatif"
	"terraform-provider-vsla/internal/whatif/source"
)

const vms = `VM,In Use MiB,Cluster,Folder,VM ID,SLA,HW version,Owner (app)
web-1,10240,C1,/DC/vm/prod/web,vm-1,gold,19,x
sql-1,10240,C1,/DC/vm/prod/db,vm-2,gold,19,
web-2,10240,C2,/DC/vm/test,vm-3,silver,13,x
`

func choices(a *source.Answer) (texts []string, chosen int) {
	chosen = -1
	for i, c := range a.Choices {
		texts = append(texts, c.Text)
		if c.Chosen {
			chosen = i
		}
	}
	return texts, chosen
}

func tierNames(m *whatif.Model) map[string]int {
	counts := map[string]int{}
	tiers, _ := m.Plan["tiers"].(map[string]any)
	for name, tier := range tiers {
		one, _ := tier.(map[string]any)
		vms, _ := one["virtual_machines"].(map[string]any)
		counts[name] = len(vms)
	}
	return counts
}

func TestReader(t *testing.T) {
	t.Parallel()
	var r source.Reader
	a, err := r.Read("vms.csv", []byte(vms))
	require.NoError(t, err)
	texts, chosen := choices(a)
	assert.Equal(t, []string{"SLA", "Cluster", "Folder", "All VMs"}, texts)
	assert.Equal(t, 0, chosen)
	assert.Equal(t, 3, a.VMs)
	for choice, want := range []map[string]int{
		0: {"gold": 2, "silver": 1},
		1: {"C1": 2, "C2": 1},
		2: {"/DC/vm/prod": 2, "/DC/vm/test": 1},
	} {
		a, err := r.Group(choice)
		require.NoError(t, err, choice)
		_, chosen := choices(a)
		assert.Equal(t, choice, chosen)
		assert.Equal(t, want, tierNames(a.Model), choice)
		assert.Equal(t, []string{"other"}, a.Model.Empty, choice)
		_, err = whatif.Open(a.Model)
		require.NoError(t, err, choice)
	}
	a, err = r.Group(3)
	require.NoError(t, err)
	assert.Equal(t, map[string]int{"estate": 3}, tierNames(a.Model))
	assert.Empty(t, a.Model.Empty)
	_, err = r.Group(4)
	assert.EqualError(t, err, "there is no such choice")
}

// TestReader_tiers checks that a tiers file applies to the inventory before and after it, until a choice is made.
func TestReader_tiers(t *testing.T) {
	t.Parallel()
	with := func(name string) []byte {
		return []byte("throughput_mbps: 1\ntiers: [{name: " + name + ", match: {}, rpo_minutes: 60, " +
			"daily_change_percent: 5, change: {column: Rate}}]\n")
	}
	var r source.Reader
	a, err := r.Read("a.yaml", with("a"))
	require.NoError(t, err)
	assert.Nil(t, a)
	_, err = r.Read("vms.csv", []byte(vms))
	require.Error(t, err)
	assert.Contains(t, err.Error(), `no column "Rate"`)
	a, err = r.Read("vms.csv", []byte("VM,In Use MiB,Rate\nx,1,5\n"))
	require.NoError(t, err)
	assert.Equal(t, map[string]int{"a": 1}, tierNames(a.Model))
	a, err = r.Read("b.yml", with("b"))
	require.NoError(t, err)
	assert.Equal(t, map[string]int{"b": 1}, tierNames(a.Model))
	_, chosen := choices(a)
	assert.Equal(t, -1, chosen)
	_, err = r.Read("c.yaml", []byte("tiers: 1\n"))
	require.Error(t, err)
	a, err = r.Read("vms.csv", []byte("VM,In Use MiB,Rate\nx,1,5\ny,1,5\n"))
	require.NoError(t, err)
	assert.Equal(t, map[string]int{"b": 2}, tierNames(a.Model))
	a, err = r.Group(0)
	require.NoError(t, err)
	assert.Equal(t, map[string]int{"estate": 2}, tierNames(a.Model))
}

func TestReader_problems(t *testing.T) {
	t.Parallel()
	var r source.Reader
	_, err := r.Group(0)
	require.EqualError(t, err, "there is no such choice")
	_, err = r.Read("x.csv", []byte("VM,In Use MiB,Template\na,1,True\n"))
	require.EqualError(t, err, "x.csv: the file contains no VMs")
	a, err := r.Read("x.csv", []byte("Server,Used TB\na,1\n"))
	require.NoError(t, err)
	assert.Contains(t, a.Model.Notes, "The column Used TB is read as used_tib.")
}
