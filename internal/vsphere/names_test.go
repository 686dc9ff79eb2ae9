package vsphere_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/lab/vcsim"
)

func TestObjectNames(t *testing.T) {
	t.Parallel()
	lab, c, _ := startLab(t, vcsim.Config{VMs: 2})
	lab.Traffic().Reset()
	hosts, err := c.ObjectNames(t.Context(), "HostSystem")
	require.NoError(t, err)
	assert.Equal(t, []string{"DC0_C0_H0", "DC0_C1_H0"}, slices.Sorted(maps.Values(hosts)))
	assert.Equal(t, 1, lab.Traffic().Count("soap:RetrievePropertiesEx"))
	clusters, err := c.ObjectNames(t.Context(), "ClusterComputeResource")
	require.NoError(t, err)
	assert.Len(t, clusters, 2)
}
