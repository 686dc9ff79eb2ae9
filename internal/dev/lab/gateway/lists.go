package gateway

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"terraform-provider-vsla/internal/dev/lab/order"
)

type listQuery struct {
	property      string
	values        []string
	sortBy        string
	descending    bool
	limit, offset int
}

func (g *Gateway) query(q url.Values) (listQuery, error) {
	l := listQuery{
		property: q.Get("filter_property"),
		values:   q["filter"],
		sortBy:   q.Get("sort_by"),
		limit:    pageSize,
	}
	switch {
	case (l.property == "") != (len(l.values) == 0):
		return l, errors.New("filter_property and filter are given together or not at all")
	case q.Has("order_by") && l.sortBy == "":
		return l, errors.New("order_by needs sort_by")
	case q.Has("offset") && !q.Has("limit"):
		return l, errors.New("offset needs limit")
	}
	if g.config.Switches.FilterByNameOnly && l.property != "" && l.property != "name" {
		return l, fmt.Errorf("invalid filter property %s", l.property)
	}
	if g.config.Switches.SortByNameOnly && l.sortBy != "" && l.sortBy != "name" {
		return l, fmt.Errorf("lists cannot be sorted by %q", l.sortBy)
	}
	switch order := q.Get("order_by"); order {
	case "", "asc", "ascending":
	case "desc", "descending":
		l.descending = true
	default:
		return l, fmt.Errorf("order_by is asc, ascending, desc or descending, not %q", order)
	}
	return g.readPage(q, l)
}

func (g *Gateway) readPage(q url.Values, l listQuery) (listQuery, error) {
	for name, into := range map[string]*int{"limit": &l.limit, "offset": &l.offset} {
		if !q.Has(name) {
			continue
		}
		n, err := strconv.ParseInt(q.Get(name), 10, 32)
		if err != nil || n < 0 || (name == "limit" && n == 0) {
			return l, fmt.Errorf("%s is a whole number, not %q", name, q.Get(name))
		}
		*into = int(n)
	}
	if most := g.config.Switches.PageCap; most > 0 {
		l.limit = min(l.limit, most)
	}
	return l, nil
}

func flag(q url.Values, name string) (bool, error) {
	switch v := q.Get(name); v {
	case "", "false":
		return false, nil
	case "true":
		return true, nil
	default:
		return false, fmt.Errorf("%s is true or false, not %q", name, v)
	}
}

func page[T any](g *Gateway, c *call, items []T, lacks func(rows []T) []metaError) {
	l, err := g.query(c.r.URL.Query())
	if err != nil {
		g.bad(c, err.Error())
		return
	}
	if items, err = arrange(items, l, g.config.Switches.FilterContains); err != nil {
		g.bad(c, err.Error())
		return
	}
	total, offset, limit := int64(len(items)), int64(l.offset), int64(l.limit)
	answer := listAnswer[T]{
		List: []T{},
		Meta: listMeta{Errors: []metaError{}, Total: &total, Offset: &offset, Limit: &limit},
	}
	if l.offset < len(items) {
		answer.List = append(answer.List, items[l.offset:min(len(items), l.offset+l.limit)]...)
	}
	if lacks != nil && !g.config.Switches.PartialSilent {
		answer.Meta.Errors = append(answer.Meta.Errors, lacks(answer.List)...)
	}
	answer.Meta.Links = g.links(c.r.URL, l, len(items))
	g.write(c, http.StatusOK, answer)
}

func all[T any](g *Gateway, c *call, items []T, lacks []metaError) {
	if lacks == nil || g.config.Switches.PartialSilent {
		lacks = []metaError{}
	}
	if items == nil {
		items = []T{}
	}
	g.write(c, http.StatusOK, listAnswer[T]{List: items, Meta: listMeta{Errors: lacks}})
}

func (g *Gateway) links(u *url.URL, l listQuery, total int) map[string]*href {
	at := func(offset int) *href {
		q := u.Query()
		q.Set("limit", strconv.Itoa(l.limit))
		q.Set("offset", strconv.Itoa(offset))
		return &href{Href: g.URL() + u.EscapedPath() + "?" + q.Encode()}
	}
	links := map[string]*href{"self": at(l.offset), "next": nil, "previous": nil}
	if l.offset+l.limit < total {
		links["next"] = at(l.offset + l.limit)
	}
	if l.offset > 0 {
		links["previous"] = at(max(0, l.offset-l.limit))
	}
	return links
}

func arrange[T any](items []T, l listQuery, contains bool) ([]T, error) {
	items = slices.Clone(items)
	for _, name := range []string{l.property, l.sortBy} {
		if name != "" && !hasProperty(reflect.TypeFor[T](), strings.Split(name, ".")) {
			return nil, fmt.Errorf("there is no property %q", name)
		}
	}
	if l.property != "" {
		items = slices.DeleteFunc(items, func(item T) bool {
			value := text(property(reflect.ValueOf(item), strings.Split(l.property, ".")))
			return !slices.ContainsFunc(l.values, func(want string) bool {
				return value == want || (contains && strings.Contains(strings.ToLower(value), strings.ToLower(want)))
			})
		})
	}
	if l.sortBy != "" {
		return sorted(items, strings.Split(l.sortBy, "."), l.descending), nil
	}
	for _, id := range []string{"id", "pairing_id"} {
		if hasProperty(reflect.TypeFor[T](), []string{id}) {
			order.By(items, func(item T) string { return text(property(reflect.ValueOf(item), []string{id})) })
			break
		}
	}
	return items, nil
}

func sorted[T any](items []T, path []string, descending bool) []T {
	type keyed struct {
		key  reflect.Value
		item T
	}
	all := make([]keyed, 0, len(items))
	for _, item := range items {
		all = append(all, keyed{property(reflect.ValueOf(item), path), item})
	}
	slices.SortStableFunc(all, func(a, b keyed) int {
		order := compare(a.key, b.key)
		if descending {
			return -order
		}
		return order
	})
	for i, one := range all {
		items[i] = one.item
	}
	return items
}

func hasProperty(t reflect.Type, path []string) bool {
	for _, name := range path {
		for t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		if t.Kind() != reflect.Struct {
			return false
		}
		f, ok := field(t, name)
		if !ok {
			return false
		}
		t = f.Type
	}
	return true
}

func property(v reflect.Value, path []string) reflect.Value {
	for _, name := range path {
		if v = deref(v); !v.IsValid() {
			return v
		}
		f, ok := field(v.Type(), name)
		if !ok {
			return reflect.Value{}
		}
		v = v.FieldByIndex(f.Index)
	}
	return deref(v)
}

func deref(v reflect.Value) reflect.Value {
	for v.IsValid() && v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	return v
}

func field(t reflect.Type, name string) (reflect.StructField, bool) {
	for _, f := range reflect.VisibleFields(t) {
		if tag, _, _ := strings.Cut(f.Tag.Get("json"), ","); tag == name {
			return f, true
		}
	}
	return reflect.StructField{}, false
}

func text(v reflect.Value) string {
	if !v.IsValid() {
		return ""
	}
	if v.Kind() == reflect.String {
		return v.String()
	}
	b, err := json.Marshal(v.Interface())
	if err != nil {
		return ""
	}
	return string(b)
}

func compare(a, b reflect.Value) int {
	if a.IsValid() && b.IsValid() && a.CanInt() {
		return cmp.Compare(a.Int(), b.Int())
	}
	return cmp.Compare(text(a), text(b))
}

func at(list string, i int) string { return fmt.Sprintf("%s[%d]", list, i) }
