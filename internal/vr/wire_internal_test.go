package vr

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/lab/vrcontract"
)

// TestWire_knowsEveryField compares the structs that are read and sent with the API's contract: a field that is
// misspelt, or that the contract has and the client neither reads nor lists, fails.
func TestWire_knowsEveryField(t *testing.T) {
	t.Parallel()
	contract := vrcontract.Load(t)
	type spec struct {
		wireSettings

		VMID     string `json:"vm_id"`
		TargetID string `json:"target_vc_id"`
	}
	for schema, test := range map[string]struct {
		of any
		// unread are fields that nothing needs; later are those of releases after the description's.
		unread, later []string
	}{
		"ReplicationInfo": {of: wireReplication{}, later: []string{"enhanced_replication"}},
		"Task": {
			of:     wireTask{},
			unread: []string{"description_id", "entity", "entity_name", "result", "queued_time", "start_time", "complete_time"},
		},
		"Pairing":                      {of: wirePairing{}},
		"ServerInfo":                   {of: wireServer{}, unread: []string{"certificates", "certificate_warnings"}},
		"VirtualMachine":               {of: wireVM{}, unread: []string{"managed_by_info", "vr_privilege_granted"}},
		"ConfigureReplicationSpec":     {of: spec{}, later: []string{"enhanced_replication"}},
		"ReconfigureReplicationSpec":   {of: wireSettings{}, later: []string{"enhanced_replication"}},
		"ConfigureReplicationVmDisk":   {of: wireDisk{}},
		"PairingSpec":                  {of: wireReconnection{}},
		"PairingSpecPairPscInfo":       {of: wirePeer{}},
		"DestinationDatastorePathData": {of: wireDatastorePath{}},
	} {
		documented := slices.Concat(test.later, contract.Fields(schema))
		known := append(fields(reflect.TypeOf(test.of)), test.unread...)
		slices.Sort(documented)
		slices.Sort(known)
		require.NotEqual(t, len(test.later), len(documented), schema)
		assert.Equal(t, known, documented, schema)
	}
}

func fields(of reflect.Type) []string {
	var names []string
	for f := range of.Fields() {
		if f.Anonymous {
			names = append(names, fields(f.Type)...)
			continue
		}
		names = append(names, strings.Split(f.Tag.Get("json"), ",")[0])
	}
	return names
}
