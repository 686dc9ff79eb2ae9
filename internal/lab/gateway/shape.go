// The form of bodies: what is wrong here is a 400, whatever the switches say.

package gateway

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"mime"
	"slices"
	"strconv"
)

type valueKind int

const (
	isObject valueKind = iota
	isArray
	isString
	isBool
	isInt
)

// shape is what a value has to look like.
type shape struct {
	kind     valueKind
	nullable bool
	required []string
	fields   map[string]shape // of an object; nil allows any
	item     *shape           // of an array
	filled   bool             // the array may not be empty
	enum     []string
	min, max int64 // of a number; both 0 for the range of int32
}

func array(item shape) shape { return shape{kind: isArray, item: &item, filled: true} }

var diskFormats = []string{
	"SAME_AS_SOURCE",
	"SAME_AS_PRIMARY",
	"AS_DEFINED_IN_PROFILE",
	"FLAT",
	"THICK",
	"NATIVE_THICK",
	"THIN",
	"RDM",
}

var (
	textShape, flagShape, numberShape = shape{kind: isString}, shape{kind: isBool}, shape{kind: isInt}
	textOrNull                        = shape{kind: isString, nullable: true}

	browseShape = shape{fields: map[string]shape{
		"query_type": {
			kind: isString,
			enum: []string{"VM_DISK", "FLOPPY_IMAGE", "ISO_IMAGE", "VM_CONFIG_FILES", "ALL_FILES", "FOLDERS"},
		},
		"browse_path": textShape,
		"sub_folders": flagShape,
	}}
	seedShape = shape{required: []string{"vm_disk"}, fields: map[string]shape{
		"vm_disk": {
			required: []string{"vm_id"},
			fields:   map[string]shape{"vm_id": textShape, "device_key": numberShape},
		},
		"destination_path": textOrNull,
		"use_wildcard":     flagShape,
	}}
	pathShape = shape{required: []string{"datastore_id"}, fields: map[string]shape{
		"datastore_id": textShape, "datastore_name": textOrNull, "path": textOrNull, "filename": textOrNull,
	}}
	vmDiskShape = shape{required: []string{"vm_id"}, fields: map[string]shape{
		"vm_id":      textShape,
		"device_key": numberShape,
		"is_vm_home": flagShape,
		"encrypted":  flagShape,
		"capacity":   {kind: isInt, max: math.MaxInt64},
		"source_disk_format": {
			kind: isString,
			enum: diskFormats,
		},
		"source_path":                pathShape,
		"source_storage_policy_name": textOrNull,
		"source_storage_policy_id":   textOrNull,
		"label":                      textShape,
		"controller_key":             numberShape,
		"controller_label":           textOrNull,
		"supported_for_replication":  flagShape,
	}}
	diskShape = shape{
		required: []string{"destination_datastore_id", "destination_disk_format", "enabled_for_replication", "vm_disk"},
		fields: map[string]shape{
			"vm_disk":                       vmDiskShape,
			"enabled_for_replication":       flagShape,
			"use_seeds":                     flagShape,
			"destination_storage_policy_id": textOrNull,
			"destination_path":              textOrNull,
			"destination_datastore_id":      textShape,
			"destination_disk_format":       {kind: isString, enum: diskFormats},
		},
	}
)

// specShape is the form of what configures; again is for one that exists.
func (g *Gateway) specShape(again bool) shape {
	s := shape{
		required: []string{
			"auto_replicate_new_disks",
			"disks",
			"lwd_encryption_enabled",
			"mpit_enabled",
			"network_compression_enabled",
			"rpo",
		},
		fields: map[string]shape{
			"quiesce_enabled":                  flagShape,
			"rpo":                              {kind: isInt, min: g.config.Switches.leastRPO(), max: 1440},
			"network_compression_enabled":      flagShape,
			"mpit_enabled":                     flagShape,
			"mpit_instances":                   numberShape,
			"mpit_days":                        numberShape,
			"auto_replicate_new_disks":         flagShape,
			"target_replication_server_id":     textOrNull,
			"lwd_encryption_enabled":           flagShape,
			"vm_data_sets_replication_enabled": flagShape,
			"disks":                            array(diskShape),
		},
	}
	if g.config.Switches.Enhanced {
		s.fields["enhanced_replication"] = flagShape
	}
	if !again {
		s.required = append(s.required, "target_vc_id", "vm_id")
		s.fields["target_vc_id"], s.fields["vm_id"] = textShape, textShape
	}
	return s
}

// checkBody reports what is wrong with the form of a body.
func checkBody(c *call, want shape, strict bool) error {
	if kind, _, err := mime.ParseMediaType(c.r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return errors.New("the body has to be application/json")
	}
	decoder := json.NewDecoder(bytes.NewReader(c.body))
	decoder.UseNumber()
	var v any
	if err := decoder.Decode(&v); err != nil {
		return errors.New("the body is not JSON")
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return errors.New("there is something behind the JSON of the body")
	}
	return want.check("$", v, strict)
}

func (s shape) check(at string, v any, strict bool) error {
	if v == nil {
		if s.nullable {
			return nil
		}
		return fmt.Errorf("%s may not be null", at)
	}
	switch s.kind {
	case isObject:
		return s.checkObject(at, v, strict)
	case isArray:
		return s.checkArray(at, v, strict)
	case isString:
		value, ok := v.(string)
		if !ok || (s.enum != nil && !slices.Contains(s.enum, value)) {
			return fmt.Errorf("%s is not a string of the kind wanted", at)
		}
	case isBool:
		if _, ok := v.(bool); !ok {
			return fmt.Errorf("%s is not true or false", at)
		}
	case isInt:
		return s.checkInt(at, v)
	}
	return nil
}

func (s shape) checkInt(at string, v any) error {
	number, ok := v.(json.Number)
	low, high := s.min, s.max
	if low == 0 && high == 0 {
		low, high = math.MinInt32, math.MaxInt32
	}
	n, err := strconv.ParseInt(number.String(), 10, 64)
	if !ok || err != nil || n < low || n > high {
		return fmt.Errorf("%s is not a whole number from %d to %d", at, low, high)
	}
	return nil
}

func (s shape) checkArray(at string, v any, strict bool) error {
	list, ok := v.([]any)
	if !ok {
		return fmt.Errorf("%s is not an array", at)
	}
	if len(list) == 0 && s.filled {
		return fmt.Errorf("%s is empty", at)
	}
	for i, item := range list {
		if err := s.item.check(fmt.Sprintf("%s[%d]", at, i), item, strict); err != nil {
			return err
		}
	}
	return nil
}

func (s shape) checkObject(at string, v any, strict bool) error {
	object, ok := v.(map[string]any)
	if !ok {
		return fmt.Errorf("%s is not an object", at)
	}
	for _, name := range s.required {
		if _, ok := object[name]; !ok {
			return fmt.Errorf("%s.%s is missing", at, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(object)) {
		field, known := s.fields[name]
		if !known {
			if strict {
				return fmt.Errorf("%s.%s is not known", at, name)
			}
			continue
		}
		if err := field.check(at+"."+name, object[name], strict); err != nil {
			return err
		}
	}
	return nil
}

// at is a place in a list.
func at(list string, i int) string { return fmt.Sprintf("%s[%d]", list, i) }
