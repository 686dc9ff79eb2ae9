package audit

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/snapservice"
)

// TestGroupReplications_deleted verifies that a deleted group, which remains until its snapshots expire, does not count
// towards the RPO of its former members.
func TestGroupReplications_deleted(t *testing.T) {
	t.Parallel()
	every := func(id, status string, minutes int64) snapservice.Group {
		return snapservice.Group{
			ID:     id,
			Status: status,
			Replication: []snapservice.Replication{
				{RPO: snapservice.Period{Unit: snapservice.Minute, Duration: minutes}},
			},
		}
	}
	var vm snapservice.VM
	const answer = `{"name": "db", "protection_groups": ["old", "new"],
		"remote_protection_info": {"outgoing_replications": [{"status": "OK"}]}}`
	require.NoError(t, json.Unmarshal([]byte(answer), &vm))
	groups := []snapservice.Group{every("old", snapservice.Deleted, 1440), every("new", snapservice.Active, 15)}
	got := groupReplications(groups, []snapservice.VM{vm}, false)
	require.Len(t, got, 1)
	assert.Equal(t, "OK", got[0].Status)
	assert.EqualValues(t, 15, got[0].RPOMinutes)
}
