package vr

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// TestWire_knowsEveryField compares the structs that are read and sent with the API description: a field that is
// misspelt, or that the description has and nobody decided to leave out, fails.
func TestWire_knowsEveryField(t *testing.T) {
	t.Parallel()
	file := os.Getenv("VSLA_VR_OPENAPI")
	if file == "" {
		file = filepath.Join("..", "..", "..", "shared", "api", "vsphere-replication-v2.openapi.json")
	}
	content, err := os.ReadFile(file)
	if err != nil {
		t.Skipf("skipped: the API description is not there; name it by VSLA_VR_OPENAPI: %v", err)
	}
	var doc struct {
		Components struct {
			Schemas map[string]struct {
				Properties map[string]any `json:"properties"`
			} `json:"schemas"`
		} `json:"components"`
	}
	if err := json.Unmarshal(content, &doc); err != nil {
		t.Fatal(err)
	}
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
		"ReplicationInfo":              {of: wireReplication{}, later: []string{"enhanced_replication"}},
		"Task":                         {of: wireTask{}, unread: []string{"description_id", "entity", "entity_name", "result", "queued_time", "start_time", "complete_time"}},
		"Pairing":                      {of: wirePairing{}},
		"ServerInfo":                   {of: wireServer{}, unread: []string{"certificates", "certificate_warnings"}},
		"VirtualMachine":               {of: wireVM{}, unread: []string{"managed_by_info", "vr_privilege_granted"}},
		"ConfigureReplicationSpec":     {of: spec{}, later: []string{"enhanced_replication"}},
		"ReconfigureReplicationSpec":   {of: wireSettings{}, later: []string{"enhanced_replication"}},
		"ConfigureReplicationVmDisk":   {of: wireDisk{}},
		"DestinationDatastorePathData": {of: wireDatastorePath{}},
	} {
		documented := slices.Clone(test.later)
		for name := range doc.Components.Schemas[schema].Properties {
			documented = append(documented, name)
		}
		known := append(fields(reflect.TypeOf(test.of)), test.unread...)
		slices.Sort(documented)
		slices.Sort(known)
		if len(documented) == len(test.later) || !slices.Equal(documented, known) {
			t.Errorf("%s: the description has %v, the client %v", schema, documented, known)
		}
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
