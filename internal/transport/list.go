package transport

import "reflect"

// List is a list that the API documents as always present. A response in which it is missing or null is not usable,
// because it would pass for an empty list, whose objects do not exist.
type List[T any] []T

func (l List[T]) isMissing() bool { return l == nil }

// lacksList reports whether a response lacks a list: it is a list itself, or has one of type List.
func lacksList(v reflect.Value) bool {
	switch v.Kind() { //nolint:exhaustive // other kinds contain no list
	case reflect.Pointer, reflect.Interface:
		v = v.Elem()
		isNull := v.Kind() == reflect.Slice && v.IsNil()
		return isNull || (v.IsValid() && lacksList(v))
	case reflect.Struct:
		for _, field := range v.Fields() {
			if field.CanInterface() && lacksList(field) {
				return true
			}
		}
	case reflect.Slice:
		if list, ok := reflect.TypeAssert[interface{ isMissing() bool }](v); ok && list.isMissing() {
			return true
		}
		for i := range v.Len() {
			if lacksList(v.Index(i)) {
				return true
			}
		}
	}
	return false
}
