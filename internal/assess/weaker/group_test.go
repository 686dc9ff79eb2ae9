package weaker_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"terraform-provider-vsla/internal/assess/weaker"
)

// TestFind_members moves a member of a group that has an RPO of 15 minutes, keeps 2 replicas and makes a snapshot every
// hour for 2 days.
func TestFind_members(t *testing.T) {
	t.Parallel()
	const keeps = `"replication": {"cluster_pair_id": "p", "rpo_minutes": %d, "keep_last": %d},
		"snapshot_policies": {%q: {"every_hours": %d, "keep_days": 2}}`
	gold := fmt.Sprintf(keeps, 15, 2, "hourly", 1)
	moves := change("vsla_protection_group.gold", update,
		`{"member_vm_ids": ["vm-1", "vm-2"], `+gold+`}`, `{"vm_ids": ["vm-1"], "removes": ["vm-2"], `+gold+`}`)
	joins := func(what string) string {
		return change("vsla_protection_group.silver", update,
			`{"member_vm_ids": [], `+what+`}`, `{"vm_ids": ["vm-2"], "removes": [], `+what+`}`)
	}
	for name, test := range map[string]struct{ silver, code string }{
		"as good":             {joins(gold), ""},
		"another name":        {joins(fmt.Sprintf(keeps, 15, 2, "often", 1)), ""},
		"a longer RPO":        {joins(fmt.Sprintf(keeps, 16, 2, "hourly", 1)), weaker.Protection},
		"a paused group":      {joins(gold + `, "paused": true`), weaker.Protection},
		"fewer replicas":      {joins(fmt.Sprintf(keeps, 15, 1, "hourly", 1)), weaker.Protection},
		"fewer snapshots":     {joins(fmt.Sprintf(keeps, 15, 2, "hourly", 2)), weaker.Protection},
		"no replication":      {joins(`"replication": null`), weaker.Protection},
		"no group":            {change("vsla_tag.a", noChange, "{}", "{}"), weaker.Removed},
		"a group that is new": {change("vsla_protection_group.new", `"create"`, "null", `{"vm_ids": ["vm-2"], `+gold+`}`), ""},
	} {
		var codes []string
		for _, f := range find(t, "", moves, test.silver) {
			codes = append(codes, f.Code)
			assert.Equal(t, f.Code == weaker.Protection, f.VM == "vm-2", name)
		}
		assert.Equal(t, test.code, strings.Join(codes, " "), name)
	}
}
