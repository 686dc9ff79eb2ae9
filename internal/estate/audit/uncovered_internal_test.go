package audit

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"terraform-provider-vsla/internal/vsphere"
)

// TestUncovered_sort checks clones with the replication ID of another VM, unreadable configurations and VMs deleted
// meanwhile.
func TestUncovered_sort(t *testing.T) {
	t.Parallel()
	marks := map[string]vsphere.VMMarks{
		"original":   {ReplicationDestination: "192.0.2.1", ReplicationID: "GID-1"}, // replicated by the pairing
		"clone":      {Suspected: true, ReplicationID: "GID-1"},
		"elsewhere":  {ReplicationDestination: "192.0.2.1", ReplicationID: "GID-2"},
		"suspected":  {Suspected: true, ReplicationID: "GID-3"},
		"unreadable": {Unreadable: true},
		"plain":      {},
		"vcls":       {ClusterService: true},
	}
	var candidates []vsphere.VMReference
	for _, id := range []string{"clone", "deleted", "elsewhere", "plain", "suspected", "unreadable", "vcls"} {
		candidates = append(candidates, vsphere.VMReference{ID: id})
	}
	var found Uncovered
	found.sort(candidates, marks)
	for name, test := range map[string]struct {
		got  []vsphere.VMReference
		want []string
	}{
		"uncovered": {found.VMs, []string{"clone", "plain"}},
		"elsewhere": {found.ReplicatedElsewhere, []string{"elsewhere"}},
		"unknown":   {found.Unknown, []string{"suspected", "unreadable"}},
	} {
		assert.Equal(t, test.want, IDs(test.got), name)
	}
}
