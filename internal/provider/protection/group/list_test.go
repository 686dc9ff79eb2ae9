package group_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/acctest"
	lab "terraform-provider-vsla/internal/dev/lab/snapservice"
)

func TestListGroups(t *testing.T) {
	t.Parallel()
	p := start(t, lab.Switches{})
	p.Add(p.Cluster(0), lab.Info{Name: "deleted", Status: "MARKED_FOR_DELETE"})
	p.Add(p.Cluster(1), lab.Info{Name: "elsewhere"})
	id := p.Add(p.Cluster(0), lab.Info{Name: "gold", Locked: true, Targets: lab.Targets{VMs: []string{p.VM(0)}}})
	p.AddSnapshots(p.Groups()[0].ID, 1) // a deleted group remains until its snapshots expire
	found, err := p.Query(t, "vsla_protection_group", map[string]string{"cluster_id": p.Cluster(0)}, 100)
	require.NoError(t, err)
	require.Len(t, found, 1)
	require.Equal(t, id, acctest.StringValue(t, found[0].Identity, "protection_group_id"))
	assert.Equal(t, "gold", found[0].Name)
	assert.Equal(t, "ACTIVE", acctest.StringValue(t, found[0].Resource, "status"))
}
