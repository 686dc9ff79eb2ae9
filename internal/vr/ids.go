package vr

import (
	"strings"
)

// VMID returns the ID of a VM in vSphere Replication: the object type, the managed object ID and the vCenter's instance
// UUID.
func VMID(moid, vcenter string) string { return "VirtualMachine:" + moid + ":" + vcenter }

// VCenterOf returns the vCenter instance UUID at the end of an object ID, or "".
func VCenterOf(objectID string) string {
	_, rest, _ := strings.Cut(objectID, ":")
	_, vcenter, _ := strings.Cut(rest, ":")
	return vcenter
}

// MOIDOf returns the managed object ID in the middle of an object ID, or "".
func MOIDOf(objectID string) string {
	_, rest, _ := strings.Cut(objectID, ":")
	moid, _, _ := strings.Cut(rest, ":")
	return moid
}
