package tagging

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"terraform-provider-vsla/internal/dev/lab/order"
)

const (
	// defaultPage and maxPage are the default and the maximum of page_size.
	defaultPage = 20
	maxPage     = 1000
)

// ExpireMarkers invalidates all list markers returned so far.
func (s *Store) ExpireMarkers() {
	defer s.lock()()
	s.markers++
}

func (s *Store) generation() string {
	defer s.lock()()
	return strconv.Itoa(s.markers)
}

func pageTags(s *Store, c request) (any, *fault) {
	defer s.lock()()
	return page(s, c, s.tags, func(t *Tag) string { return t.Name }, func(t *Tag) map[string]any {
		return map[string]any{
			"tag": t.ID,
			"info": map[string]any{
				"name":        t.Name,
				"category":    t.CategoryID,
				"description": t.Description,
				"used_by":     []string{},
			},
		}
	})
}

func pageCategories(s *Store, c request) (any, *fault) {
	defer s.lock()()
	return page(s, c, s.categories, func(c *Category) string { return c.Name }, func(c *Category) map[string]any {
		return map[string]any{"category_id": c.ID, "info": c.info()}
	})
}

// page returns a page of a list, or the objects with the given names. A marker consists of its generation and the last
// ID of the previous page. The caller must hold the lock.
func page[T any](
	s *Store, c request, all map[string]*T, name func(*T) string, item func(*T) map[string]any,
) (any, *fault) {
	names := c.query["names"]
	after := ""
	size := defaultPage
	if text := c.query.Get("page_size"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > maxPage {
			return nil, invalid("vcenter.tagging.page_size", "The page size must be 1 to 1000.", text)
		}
		size = n
	}
	if marker := c.query.Get("marker"); marker != "" {
		if len(names) > 0 {
			return nil, invalid("vcenter.tagging.filter", "A marker and a filter exclude each other.")
		}
		generation, id, _ := strings.Cut(marker, "~")
		if generation != strconv.Itoa(s.markers) {
			return nil, notFound(marker)
		}
		after = id
	}
	items := []map[string]any{}
	last := ""
	more := false
	for _, id := range idsAfter(all, after) {
		one := all[id]
		if len(names) > 0 && !slices.Contains(names, name(one)) {
			continue
		}
		if len(names) == 0 && len(items) == size {
			more = true
			break
		}
		items = append(items, item(one))
		last = id
	}
	answer := map[string]any{"items": items}
	if more {
		answer["marker"] = strconv.Itoa(s.markers) + "~" + last
	}
	return answer, nil
}

func idsAfter[T any](all map[string]*T, after string) []string {
	ids := slices.SortedFunc(maps.Keys(all), order.Compare)
	return slices.DeleteFunc(ids, func(id string) bool { return after != "" && order.Compare(id, after) <= 0 })
}
