package gateway

import (
	"cmp"
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
	limit, offset int
}

func (g *Gateway) query(q url.Values) (listQuery, error) {
	l := listQuery{property: q.Get("filter_property"), values: q["filter"], sortBy: q.Get("sort_by"), limit: pageSize}
	switch {
	case (l.property == "") != (len(l.values) == 0):
		return l, errors.New("filter_property and filter are given together or not at all")
	case q.Has("offset") && !q.Has("limit"):
		return l, errors.New("offset needs limit")
	}
	if g.config.Switches.FilterByNameOnly && l.property != "" && l.property != "name" {
		return l, fmt.Errorf("invalid filter property %s", l.property)
	}
	if g.config.Switches.SortByNameOnly && l.sortBy != "" && l.sortBy != "name" {
		return l, fmt.Errorf("lists cannot be sorted by %q", l.sortBy)
	}
	return g.readPage(q, l)
}

func (g *Gateway) readPage(q url.Values, l listQuery) (listQuery, error) {
	for name, into := range map[string]*int{"limit": &l.limit, "offset": &l.offset} {
		if !q.Has(name) {
			continue
		}
		n, err := strconv.ParseInt(q.Get(name), 10, 32)
		isEmptyPage := name == "limit" && n == 0
		if err != nil || n < 0 || isEmptyPage {
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

func writePage[T any](g *Gateway, c *call, items []T, lacks func(rows []T) []metaError) {
	l, err := g.query(c.r.URL.Query())
	if err != nil {
		g.writeBadRequest(c, err.Error())
		return
	}
	items, err = filterAndSort(items, l, g.config.Switches.FilterContains)
	if err != nil {
		g.writeBadRequest(c, err.Error())
		return
	}
	total := int64(len(items))
	offset := int64(l.offset)
	limit := int64(l.limit)
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
	g.writeJSON(c, http.StatusOK, answer)
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

// filterAndSort applies the query to a list. With contains, a filter matches parts of a value in any case.
func filterAndSort[T any](items []T, l listQuery, contains bool) ([]T, error) {
	items = slices.Clone(items)
	if l.property != "" {
		value, known := property[T](l.property)
		if !known {
			return nil, fmt.Errorf("there is no property %q", l.property)
		}
		items = slices.DeleteFunc(items, func(item T) bool {
			is := value(item)
			return !slices.ContainsFunc(l.values, func(want string) bool {
				if contains {
					return strings.Contains(strings.ToLower(is), strings.ToLower(want))
				}
				return is == want
			})
		})
	}
	if l.sortBy != "" {
		value, known := property[T](l.sortBy)
		if !known {
			return nil, fmt.Errorf("there is no property %q", l.sortBy)
		}
		slices.SortStableFunc(items, func(a, b T) int { return cmp.Compare(value(a), value(b)) })
		return items, nil
	}
	for _, name := range []string{"id", "pairing_id"} {
		if id, known := property[T](name); known {
			order.By(items, id)
		}
	}
	return items, nil
}

// property returns a function that reads the property with the given JSON name. The function returns an empty string
// for null.
func property[T any](name string) (value func(T) string, known bool) {
	for _, f := range reflect.VisibleFields(reflect.TypeFor[T]()) {
		if tag, _, _ := strings.Cut(f.Tag.Get("json"), ","); tag == name {
			return func(item T) string {
				if v := reflect.Indirect(reflect.ValueOf(item).FieldByIndex(f.Index)); v.IsValid() {
					return fmt.Sprint(v.Interface())
				}
				return ""
			}, true
		}
	}
	return nil, false
}

func rowPath(list string, i int) string { return fmt.Sprintf("%s[%d]", list, i) }

// writeAll writes a complete list that has no pages.
func writeAll[T any](g *Gateway, c *call, items []T) {
	g.writeJSON(c, http.StatusOK, listAnswer[T]{List: items, Meta: listMeta{Errors: []metaError{}}})
}
