package actions_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/dev/lab/gateway"
)

// TestLinkTest verifies that the action measures the throughput unless it is told not to, and only tests the mappings
// of the given cluster.
func TestLinkTest(t *testing.T) {
	t.Parallel()
	s := acctest.StartSites(t, 1, gateway.Switches{Latest: gateway.Latest{Mappings: true}})
	_, failed := invoke(t, s, "link_test", "", map[string]any{"throughput": false})
	require.Empty(t, failed)
	assert.Zero(t, s.Mappings()[0].Throughput)
	assert.NotZero(t, s.Mappings()[0].TestedAt)
	progress, failed := invoke(t, s, "link_test", "", nil)
	require.Empty(t, failed)
	assert.Equal(t, "done", progress[len(progress)-1])
	assert.EqualValues(t, 100, s.Mappings()[0].Throughput) // DefaultLink is 12.5e6 bytes/s, which are 100 Mbit/s
	sources := s.Protected.Clusters()
	target := s.Recovery.Clusters()[0].ID
	s.SetMappings(
		gateway.Mapping{Source: sources[0].ID, Target: target, Status: "NA"},
		gateway.Mapping{Source: sources[1].ID, Target: target, Status: "NA"},
	)
	_, failed = invoke(t, s, "link_test", "", map[string]any{"source_cluster_id": sources[1].ID})
	require.Empty(t, failed)
	assert.Zero(t, s.Mappings()[0].TestedAt)
	assert.NotZero(t, s.Mappings()[1].TestedAt)
	_, failed = invoke(t, s, "link_test", "", map[string]any{"target_cluster_id": "domain-c999"})
	assert.Contains(t, failed, "no replication mapping")
}
