package audit

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/snapservice"
)

// TestOfGroups_deleted checks that groups marked for deletion are skipped.
func TestOfGroups_deleted(t *testing.T) {
	t.Parallel()
	every := func(id, status string, minutes int64) snapservice.Group {
		return snapservice.Group{ID: id, Status: status, Replication: []snapservice.Replication{
			{RPO: snapservice.Period{Unit: snapservice.Minute, Duration: minutes}},
		}}
	}
	var vm snapservice.VM
	const answer = `{"name": "db", "protection_groups": ["old", "new"],
		"remote_protection_info": {"outgoing_replications": [{"status": "OK"}]}}`
	require.NoError(t, json.Unmarshal([]byte(answer), &vm))
	groups := []snapservice.Group{every("old", snapservice.Deleted, 1440), every("new", snapservice.Active, 15)}
	got := ofGroups(groups, []snapservice.VM{vm}, false)
	assert.True(t, len(got) == 1 && got[0].Status == "OK" && got[0].RPOMinutes == 15,
		"got %+v, want one replication with status OK and an RPO of 15 minutes", got)
}
