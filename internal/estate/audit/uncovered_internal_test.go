package audit

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"terraform-provider-vsla/internal/vsphere"
)

// TestUncovered_classify verifies that a clone, which inherits the extra configuration of its source VM, counts as
// uncovered, and that nothing is claimed about VMs that only might be replicated.
func TestUncovered_classify(t *testing.T) {
	t.Parallel()
	marks := map[string]vsphere.VMFlags{
		"original":   {ReplicationDestination: "192.0.2.1", ReplicationID: "GID-1"},
		"clone":      {ExtraConfigOnly: true, ReplicationID: "GID-1"},
		"elsewhere":  {ReplicationDestination: "192.0.2.1", ReplicationID: "GID-2"},
		"suspected":  {ExtraConfigOnly: true, ReplicationID: "GID-3"},
		"unreadable": {Unreadable: true},
		"plain":      {},
		"vcls":       {ClusterService: true},
	}
	var candidates []vsphere.VMReference
	for _, id := range []string{"clone", "deleted", "elsewhere", "plain", "suspected", "unreadable", "vcls"} {
		candidates = append(candidates, vsphere.VMReference{ID: id})
	}
	var found Uncovered
	found.classify(candidates, marks)
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
