package vr

import (
	"encoding/json"
	"reflect"
	"testing"
)

// each returns Options that differ from base in one field each, by the field's name.
func each(t *testing.T, base Options) map[string]Options {
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

// TestOptions_inverse: every option is sent, and what the gateway reports under its other names is the same option.
func TestOptions_inverse(t *testing.T) {
	t.Parallel()
	reported := map[string]string{ // the names of a reading where they are not those of a configuration
		"quiesce_enabled": "quiescing_enabled", "lwd_encryption_enabled": "encryption_enabled",
		"auto_replicate_new_disks": "auto_replicate_new_disks_enabled",
	}
	base := Options{RPOMinutes: 15, PointInTime: true, InstancesPerDay: 3, InstanceDays: 5}
	for name, o := range each(t, base) {
		if !o.PointInTime {
			o.InstancesPerDay, o.InstanceDays = 0, 0
		}
		body, err := json.Marshal(Settings{Options: o}.wire())
		if err != nil {
			t.Fatal(err)
		}
		var sent map[string]any
		if err := json.Unmarshal(body, &sent); err != nil {
			t.Fatal(err)
		}
		for from, to := range reported {
			sent[to] = sent[from]
			delete(sent, from)
		}
		if body, err = json.Marshal(sent); err != nil {
			t.Fatal(err)
		}
		var w wireReplication
		if err := json.Unmarshal(body, &w); err != nil {
			t.Fatal(err)
		}
		if got := w.domain().Options; got != o {
			t.Errorf("%s: sent %+v, read %+v", name, o, got)
		}
	}
}

// TestOptions_satisfies: any difference counts, but for a flag that is left open.
func TestOptions_satisfies(t *testing.T) {
	t.Parallel()
	base := Options{RPOMinutes: 15, Enhanced: FlagOff}
	for name, o := range each(t, base) {
		if base.Satisfies(o) || o.Satisfies(base) {
			t.Errorf("%s makes no difference", name)
		}
	}
	open := base
	open.Enhanced = FlagUnset
	if !base.Satisfies(open) {
		t.Error("a flag that is left open is a difference")
	}
}
