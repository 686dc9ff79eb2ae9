package audit

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/snapservice"
	"terraform-provider-vsla/internal/vsphere"
)

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

func TestResolveTags(t *testing.T) {
	t.Parallel()
	n := NamedScope{Scope: Scope{Tiers: map[string]Tier{}}, Category: "sla", TagNames: map[string]string{}}
	ids := map[string]string{}
	for i := range 10 {
		tier := fmt.Sprint("tier-", i)
		n.Tiers[tier] = Tier{RPOMinutes: 15}
		n.TagNames[tier] = "tag-" + tier
		ids["tag-"+tier] = "urn:" + tier
	}
	given := maps.Clone(n.Tiers)
	scope, err := n.resolveTags(ids)
	want := (Tier{TagID: "urn:tier-3", RPOMinutes: 15})
	require.NoError(t, err)
	assert.Equal(t, want, scope.Tiers["tier-3"])
	assert.Equal(t, given, n.Tiers)
	for range 20 {
		_, err := n.resolveTags(nil)
		blamed, ok := errors.AsType[*ArgumentError](err)
		require.True(t, ok, "got %v at %v, want tiers[\"tier-0\"].tag", err, blamed)
		require.Equal(t, `tiers["tier-0"].tag`, blamed.Path.String(), "%+v", err)
	}
}

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
