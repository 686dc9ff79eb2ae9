// The settings of replications as arguments of vsla_replication.

package adopt

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"terraform-provider-vsla/internal/wording"
)

const (
	rpoMinutes = "rpo_minutes"
	disks      = "disks"
)

// settings are arguments by name. A value is a string, a boolean, an object or null.
type settings map[string]any

// settingsOf returns all arguments but the VM and the RPO.
func settingsOf(r replication) settings {
	s := settings{
		"pairing_id":               r.pairing,
		"target_datastore_id":      r.place.DatastoreID,
		"target_storage_policy_id": optional(r.place.PolicyID),
		"network_compression":      r.Compression,
		"network_encryption":       r.Encryption,
		"enhanced_replication":     nil,
		"quiesce_guest":            r.Quiescing,
		"auto_replicate_new_disks": r.AutoReplicate,
		"replicate_vm_data_sets":   r.DataSets,
		"point_in_time":            nil,
		disks:                      nil,
	}
	if enhanced := r.Enhanced.Ptr(); enhanced != nil {
		s["enhanced_replication"] = *enhanced
	}
	if r.PointInTime {
		s["point_in_time"] = map[string]int64{"instances_per_day": r.InstancesPerDay, "days": r.InstanceDays}
	}
	if len(r.place.Disks) > 0 {
		places := make(map[string]settings, len(r.place.Disks))
		for name, d := range r.place.Disks {
			place := settings{}
			if !d.Replicated {
				place["enabled"] = false
			}
			if d.DatastoreID != "" {
				place["target_datastore_id"] = d.DatastoreID
			}
			if d.PolicyID != "" {
				place["storage_policy_id"] = d.PolicyID
			}
			places[name] = place
		}
		s[disks] = places
	}
	return s
}

func optional(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// most returns the most frequent value of each setting; of two that are as frequent the first in the order of their
// texts. Disks differ between VMs and have no such value.
func most(all []settings) settings {
	common := settings{}
	if len(all) == 0 {
		return common
	}
	for name := range all[0] {
		count := make(map[string]int)
		values := make(map[string]any)
		for _, s := range all {
			text := textOf(s[name])
			count[text]++
			values[text] = s[name]
		}
		best := ""
		for _, text := range slices.Sorted(maps.Keys(count)) {
			if count[text] > count[best] {
				best = text
			}
		}
		common[name] = values[best]
	}
	common[disks] = nil
	return common
}

// without returns the settings that differ from the common ones.
func (s settings) without(common settings) settings {
	own := settings{}
	for name, value := range s {
		if textOf(value) != textOf(common[name]) {
			own[name] = value
		}
	}
	return own
}

// textOf returns a value as JSON on one line. What would make a name read as another in a review is escaped.
func textOf(value any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(value) //nolint:errchkjson // strings, numbers and maps of them can be encoded
	var escaped strings.Builder
	for _, r := range string(bytes.TrimSuffix(b.Bytes(), []byte("\n"))) {
		if wording.Misleads(r) && r < 0x10000 {
			fmt.Fprintf(&escaped, `\u%04x`, r)
		} else {
			escaped.WriteRune(r)
		}
	}
	return escaped.String()
}
