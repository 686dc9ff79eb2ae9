package vr

import (
	"errors"
	"fmt"
)

// missingField returns the first missing field of a replication. Without a remote session, the gateway silently omits
// the fields of the other site. Non-essential fields can be missing even with both sessions: for example, the ID of a
// VM that the source no longer reports.
func (w wireReplication) missingField() (field string, essential bool) {
	for _, field := range []struct {
		name   string
		absent bool
	}{
		{"id", w.ID == ""},
		{"source_vc_id", w.SourceVCenterID == nil},
		{"target_vc_id", w.TargetVCenterID == nil},
		{"rpo", w.RPO == nil},
		{"quiescing_enabled", w.Quiescing == nil},
		{"network_compression_enabled", w.Compression == nil},
		{"auto_replicate_new_disks_enabled", w.AutoReplicate == nil},
		{"mpit_enabled", w.PointInTime == nil},
		{"status", w.Status.Code == ""},
	} {
		if field.absent {
			return field.name, true
		}
	}
	switch {
	case w.VMID == nil || *w.VMID == "":
		return "vm_id", false
	case w.SourceSite == "":
		return "source_site_name", false
	case w.TargetSite == "":
		return "target_site_name", false
	case w.RecoveryState == "":
		return "recovery_state", false
	}
	return "", false
}

type incompleteError struct {
	id, name, field string
	essential       bool
}

// Error returns a message that names the missing field.
func (e *incompleteError) Error() string {
	return fmt.Sprintf("read replication %s of %q: %v: %s is missing", e.id, e.name, ErrPartial, e.field)
}

// Unwrap returns ErrPartial.
func (e *incompleteError) Unwrap() error { return ErrPartial }

// MissingField returns the name of the missing field of an incomplete replication, or "" for any other error.
func MissingField(err error) string {
	if e, ok := errors.AsType[*incompleteError](err); ok {
		return e.field
	}
	return ""
}

func (w wireReplication) checkComplete() error {
	if field, essential := w.missingField(); field != "" {
		return &incompleteError{id: w.ID, name: w.Name, field: field, essential: essential}
	}
	return nil
}

func ignoreNonEssential(err error) error {
	if e, ok := errors.AsType[*incompleteError](err); ok && !e.essential {
		return nil
	}
	return err
}
