package vr

import (
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/lab/vrcontract"
	"terraform-provider-vsla/internal/transport"
)

func eachOptionChanged(t *testing.T, base Options) map[string]Options {
	t.Helper()
	changed := make(map[string]Options)
	for field := range reflect.TypeFor[Options]().Fields() {
		o := base
		v := reflect.ValueOf(&o).Elem().FieldByIndex(field.Index)
		switch {
		case v.CanInt():
			v.SetInt(v.Int() + 1)
		case v.CanUint():
			v.SetUint(uint64(FlagOn))
		case v.Kind() == reflect.Bool:
			v.SetBool(!v.Bool())
		default:
			t.Fatalf("%s is a %s", field.Name, v.Kind())
		}
		changed[field.Name] = o
	}
	return changed
}

// TestDisk_withoutKey verifies that a disk without a device key is named, and not taken for another disk.
func TestDisk_withoutKey(t *testing.T) {
	t.Parallel()
	var d Disk
	require.NoError(t, json.Unmarshal([]byte(`{"is_vm_home": true}`), &d))
	assert.EqualError(t, json.Unmarshal([]byte(`{"label": "Hard disk 2"}`), &d), `disk "Hard disk 2" has no device_key`)
}

func TestOptions_inverse(t *testing.T) {
	t.Parallel()
	reported := map[string]string{ // response names by request name, where they differ
		"quiesce_enabled":          "quiescing_enabled",
		"lwd_encryption_enabled":   "encryption_enabled",
		"auto_replicate_new_disks": "auto_replicate_new_disks_enabled",
	}
	base := Options{RPOMinutes: 15, PointInTime: true, InstancesPerDay: 3, InstanceDays: 5}
	for name, o := range eachOptionChanged(t, base) {
		if !o.PointInTime {
			o.InstancesPerDay = 0
			o.InstanceDays = 0
		}
		body, err := json.Marshal(Settings{Options: o}.toWire())
		require.NoError(t, err)
		var sent map[string]any
		require.NoError(t, json.Unmarshal(body, &sent))
		for from, to := range reported {
			sent[to] = sent[from]
			delete(sent, from)
		}
		body, err = json.Marshal(sent)
		require.NoError(t, err)
		var w wireReplication
		require.NoError(t, json.Unmarshal(body, &w))
		assert.Equal(t, o, w.domain().Options, name)
	}
}

func TestOptions_matches(t *testing.T) {
	t.Parallel()
	base := Options{RPOMinutes: 15, Encryption: FlagOff, Enhanced: FlagOff}
	for name, o := range eachOptionChanged(t, base) {
		require.False(t, base.Matches(o), "%s makes no difference", name)
		assert.False(t, o.Matches(base), "%s makes no difference", name)
	}
	open := base
	open.Enhanced = FlagUnset
	open.Encryption = FlagUnset
	assert.True(t, base.Matches(open), "a flag that is left open is a difference")
}

// TestWire_knowsEveryField compares the wire structs with the API contract. It fails for a misspelled field, and for a
// contract field that is neither used by the client nor listed as unread in the test.
func TestWire_knowsEveryField(t *testing.T) {
	t.Parallel()
	contract := vrcontract.Load(t)
	type spec struct {
		wireSettings

		VMID     string `json:"vm_id"`
		TargetID string `json:"target_vc_id"`
	}
	for schema, test := range map[string]struct {
		wire any
		// unread lists fields that the client does not use. later lists fields that are newer than the contract.
		unread []string
		later  []string
	}{
		"ReplicationInfo": {wire: wireReplication{}, later: []string{"enhanced_replication"}},
		"Task": {
			wire: wireTask{},
			unread: []string{
				"description_id",
				"entity",
				"entity_name",
				"result",
				"queued_time",
				"start_time",
				"complete_time",
			},
		},
		"Pairing":                      {wire: wirePairing{}},
		"ServerInfo":                   {wire: wireServer{}, unread: []string{"certificates", "certificate_warnings"}},
		"VirtualMachine":               {wire: wireVM{}, unread: []string{"managed_by_info", "vr_privilege_granted"}},
		"ConfigureReplicationSpec":     {wire: spec{}, later: []string{"enhanced_replication"}},
		"ReconfigureReplicationSpec":   {wire: wireSettings{}, later: []string{"enhanced_replication"}},
		"ConfigureReplicationVmDisk":   {wire: wireDisk{}},
		"PairingSpec":                  {wire: wireReconnection{}},
		"PairingSpecPairPscInfo":       {wire: wirePeer{}},
		"DestinationDatastorePathData": {wire: wireDatastorePath{}},
	} {
		documented := slices.Concat(test.later, contract.Fields(schema))
		known := append(jsonNames(reflect.TypeOf(test.wire)), test.unread...)
		slices.Sort(documented)
		slices.Sort(known)
		require.NotEqual(t, len(test.later), len(documented), schema)
		assert.Equal(t, known, documented, schema)
	}
}

func jsonNames(of reflect.Type) []string {
	var names []string
	for f := range of.Fields() {
		if f.Anonymous {
			names = append(names, jsonNames(f.Type)...)
			continue
		}
		names = append(names, strings.Split(f.Tag.Get("json"), ",")[0])
	}
	return names
}

func TestClient_remote(t *testing.T) {
	t.Parallel()
	c := &Client{
		config:  Config{RemoteCredentials: transport.NewCredentials()},
		remotes: make(map[string]*transport.Session[remoteSession]),
	}
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() { c.remote(strconv.Itoa(i)) })
	}
	all.Wait()
	assert.Len(t, c.remotes, 20)
}
