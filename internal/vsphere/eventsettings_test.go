package vsphere_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/lab/vcsim"
)

func TestConfiguredRPOs(t *testing.T) {
	t.Parallel()
	v, c, _ := startLab(t, vcsim.Config{VMs: 4, Inaccessible: 4})
	var ids []string
	for _, vm := range v.VMs() {
		ids = append(ids, vm.ID)
	}
	for i, rpo := range []string{"15", "", "soon"} {
		require.NoError(t, v.SetExtraConfig(ids[i], map[string]string{"hbr_filter.rpo": rpo}))
	}
	got, err := c.ConfiguredRPOs(t.Context(), ids)
	require.NoError(t, err)
	require.Len(t, got, 1)
	assert.InDelta(t, 15, got[ids[0]], 0)
	assert.Equal(t, 1, v.Traffic().Count("soap:RetrievePropertiesEx"))
}

// TestConfiguredRPOs_clone checks that a clone does not count as replicated, although it inherits the extra
// configuration of its source.
func TestConfiguredRPOs_clone(t *testing.T) {
	t.Parallel()
	v, c, _ := startLab(t, vcsim.Config{VMs: 4})
	ids := vmIDs(v)
	for _, id := range ids[:2] {
		err := v.SetExtraConfig(id, map[string]string{
			"hbr_filter.rpo": "15",
			"hbr_filter.gid": vcsim.ReplicationID(id),
		})
		require.NoError(t, err)
	}
	v.SetReplicated(ids[0], 30, 2000) // the replication settings take precedence
	for _, clone := range [][2]string{{ids[0], ids[2]}, {ids[1], ids[3]}} {
		require.NoError(t, v.CloneSettings(clone[0], clone[1]))
	}
	// It is unknown whether the second VM or its clone is replicated.
	got, err := c.ConfiguredRPOs(t.Context(), ids)
	require.NoError(t, err)
	require.Len(t, got, 1)
	assert.InDelta(t, 30, got[ids[0]], 0)
}
