package gateway

import (
	"strings"

	"github.com/google/uuid"
)

// vmID returns the full ID of a VM, which is TYPE:MOID:VCENTER like all IDs of vCenter's objects in this API.
func vmID(s *site, moid string) string { return "VirtualMachine:" + moid + ":" + s.vcID }

// moidOf returns the managed object ID in a full ID of any type. It returns text of another form unchanged.
func moidOf(id string) string {
	parts := strings.Split(id, ":")
	if len(parts) != 3 {
		return id
	}
	return parts[1]
}

// parseID returns the managed object ID and the vCenter of a full ID. ok is false if the ID has another form or type.
func parseID(id, objectType string) (moid, vcenter string, ok bool) {
	parts := strings.Split(id, ":")
	if len(parts) != 3 || parts[0] != objectType || parts[1] == "" {
		return "", "", false
	}
	return parts[1], parts[2], true
}

// isUUID accepts only the usual form with 36 characters, because uuid.Validate also accepts other forms.
func isUUID(s string) bool { return len(s) == 36 && uuid.Validate(s) == nil }
