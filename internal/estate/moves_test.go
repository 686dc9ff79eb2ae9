package estate_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/estate"
	"terraform-provider-vsla/internal/estate/inventoryfile"
)

// TestNewReview_poweredOff checks that the downtime of a plan is that of VMs that run: "old" is powered off, and its
// 1,024 GiB need 1,024 * 2^33 bit / 1,000 Mbit/s = 8,796 s, more than the promised 10 minutes.
func TestNewReview_poweredOff(t *testing.T) {
	t.Parallel()
	found, err := inventoryfile.Read(strings.NewReader(inventory+"old,poweredOff,1048576,\n"), inventoryfile.Options{})
	require.NoError(t, err)
	file, err := estate.ReadTiers("tiers.yaml", strings.NewReader(`size: used_gib
throughput_mbps: 1000
tiers: [{name: all, match: {}, rpo_minutes: 60, daily_change_percent: 5}]
migration: {max_downtime_minutes: 10, setup_seconds: 0}
`))
	require.NoError(t, err)
	r, err := estate.NewReview("inventory.csv", found, file)
	require.NoError(t, err)
	moves := values(t, r, "migration_plan", "all moves")
	assert.Equal(t, "meets", moves["verdict"])
	assert.NotEqual(t, "old", moves["worst_downtime_virtual_machine"])
	off, _ := moves["virtual_machines"].(map[string]any)["old"].(map[string]any)
	assert.Nil(t, off["downtime_seconds"])
}
