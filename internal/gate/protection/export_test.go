package protection

import (
	"reflect"
	"strings"
)

// Compared returns the paths of the arguments that are compared, by resource.
func Compared() map[string][]string {
	all := make(map[string][]string)
	for kind, of := range map[string]any{
		typeReplication: replication{},
		typeGroup:       group{},
		typeTag:         tag{},
		typeCategory:    category{},
		typeTags:        tagSet{},
		typeAssociation: association{},
		typeObjectTags:  objectTags{},
	} {
		all[kind] = paths(reflect.TypeOf(of), "")
	}
	return all
}

// paths returns the names in the tags of a struct, of maps and lists of structs too.
func paths(t reflect.Type, prefix string) []string {
	for t.Kind() == reflect.Map || t.Kind() == reflect.Slice || t.Kind() == reflect.Pointer ||
		strings.HasPrefix(t.Name(), "Value[") {
		if t.Kind() == reflect.Struct {
			t = t.Field(0).Type // the value of a tfplan.Value
		} else {
			t = t.Elem()
		}
	}
	if t.Kind() != reflect.Struct {
		return nil
	}
	var found []string
	for field := range t.Fields() {
		name := prefix + field.Tag.Get("json")
		found = append(found, name)
		found = append(found, paths(field.Type, name+".")...)
	}
	return found
}
