package tagging

import (
	"strconv"
	"strings"

	"terraform-provider-vsla/internal/dev/lab/order"
)

// AssociationsPath is the path for listing (since 7.0) and changing (since 9.1) associations.
const AssociationsPath = VCenterPrefix + "associations"

const pageSize = 2000

// Association is a tag attached to an object.
type Association struct {
	Tag    string `json:"tag"`
	Object Object `json:"object"`
}

// Associations returns the associations of existing objects that are not hidden.
func (s *Store) Associations() []Association {
	defer s.lock()()
	list := []Association{}
	for tag, objects := range s.attached {
		for o := range objects {
			if s.exists(o) && !s.hidden[o.ID] {
				list = append(list, Association{Tag: tag, Object: o})
			}
		}
	}
	order.By(list, func(a Association) string { return a.Tag + a.Object.key() })
	return list
}

// listAssociations returns a page of all associations. A marker consists of its generation and an offset.
func listAssociations(s *Store, c request) (any, *fault) {
	from := 0
	generation := s.generation()
	if marker := c.query.Get("marker"); marker != "" {
		of, position, _ := strings.Cut(marker, "~")
		var err error
		from, err = strconv.Atoi(position)
		if err != nil || from < 0 || of != generation {
			return nil, invalid("vcenter.tagging.marker", "The marker was not returned by an earlier call.")
		}
	}
	all := s.Associations()
	from = min(from, len(all))
	to := min(from+pageSize, len(all))
	page := map[string]any{"associations": all[from:to], "status": "END_OF_DATA"}
	if to < len(all) {
		page["status"] = "READY"
		page["marker"] = generation + "~" + strconv.Itoa(to)
	}
	return page, nil
}

type patch struct {
	Object *Object  `json:"object"`
	Tags   []tagSet `json:"tag_spec_list"`
}

type tagSet struct {
	Operation string    `json:"operation"`
	TagID     string    `json:"tag_id"`
	Names     *tagNames `json:"tag_category_name_info"`
}

type tagNames struct {
	Category string `json:"category_name"`
	Tag      string `json:"tag_name"`
}

type changed struct {
	Operation string   `json:"operation"`
	Tag       string   `json:"tag"`
	Names     tagNames `json:"tag_category_name_info"`
}

func (p patch) check() *fault {
	switch {
	case p.Object == nil:
		return missingField("object")
	case len(p.Tags) == 0:
		return invalid("vcenter.tagging.tag_spec_list", "The list of tags is empty.")
	case len(p.Tags) > MaxBatch:
		return tooMany()
	}
	for _, one := range p.Tags {
		hasOperation := one.Operation == "ATTACH" || one.Operation == "DETACH"
		hasTag := one.TagID != "" || one.Names != nil
		if !hasOperation || !hasTag {
			return invalid("vcenter.tagging.tag_spec", "A tag specification lacks its operation or its tag.")
		}
	}
	return nil
}

func updateAssociations(s *Store, c request) (any, *fault) {
	if f := c.patch.check(); f != nil {
		return nil, f
	}
	defer s.lock()()
	o := *c.patch.Object
	if !s.exists(o) {
		return nil, notFound(o.ID)
	}
	if f := s.touch(o); f != nil {
		return nil, f
	}
	before := make(map[string]bool)
	for id := range s.carried[o] {
		before[id] = true
	}
	var (
		done   []changed
		errors []message
	)
	// Detach first, because an object can have only one tag of a category with cardinality SINGLE.
	for _, want := range []string{"DETACH", "ATTACH"} {
		for _, one := range c.patch.Tags {
			if one.Operation != want {
				continue
			}
			item, f := s.apply(one, o)
			if f != nil {
				errors = append(errors, f.messages...)
			} else if (want == "ATTACH") != before[item.Tag] {
				done = append(done, item)
			}
		}
	}
	if len(errors) > 0 {
		s.restore(o, before)
		return map[string]any{"success": false, "errors": errors}, nil
	}
	return map[string]any{"success": true, "results": nonNil(done)}, nil
}

// apply applies one change of a patch. The caller must hold the lock.
func (s *Store) apply(one tagSet, o Object) (changed, *fault) {
	id := one.TagID
	if one.Names != nil {
		named, f := s.lookUp(*one.Names)
		if f != nil {
			return changed{}, f
		}
		if id != "" && id != named {
			return changed{}, invalid(
				"vcenter.tagging.tag_spec",
				"The id and the names are those of different tags.",
				id,
			)
		}
		id = named
	}
	t := s.tags[id]
	if t == nil {
		return changed{}, notFound(id)
	}
	do := s.attach
	if one.Operation == "DETACH" {
		do = s.detach
	}
	if f := do(id, o); f != nil {
		f.messages[0].Args = []string{id, s.urn(o)}
		return changed{}, f
	}
	return changed{one.Operation, id, tagNames{Category: s.categories[t.CategoryID].Name, Tag: t.Name}}, nil
}

// lookUp returns the ID of the tag with the given category and tag names. It returns an error if linked vCenters
// contain duplicates. The caller must hold the lock.
func (s *Store) lookUp(names tagNames) (string, *fault) {
	ids := s.tagIDs(func(t *Tag) bool {
		return t.Name == names.Tag && s.categories[t.CategoryID].Name == names.Category
	})
	if len(ids) != 1 {
		return "", notFound(names.Category + "/" + names.Tag)
	}
	return ids[0], nil
}

func (s *Store) restore(o Object, before map[string]bool) {
	for id := range s.carried[o] {
		delete(s.attached[id], o)
	}
	s.carried[o] = before
	for id := range before {
		if s.attached[id] == nil {
			s.attached[id] = make(map[Object]bool)
		}
		s.attached[id][o] = true
	}
}
