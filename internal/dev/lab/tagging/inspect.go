package tagging

import (
	"cmp"
	"errors"
	"maps"
	"slices"
)

var errRefused = errors.New("refused")

func (f *fault) err() error {
	if f == nil {
		return nil
	}
	return errors.Join(errRefused, errors.New(f.kind+": "+f.messages[0].Default))
}

// AddCategory creates a category outside of Terraform.
func (s *Store) AddCategory(c Category) (string, error) {
	id, f := s.createCategory(c)
	return id, f.err()
}

// AddTag creates a tag outside of Terraform.
func (s *Store) AddTag(t Tag) (string, error) {
	id, f := s.createTag(t)
	return id, f.err()
}

// Attach attaches a tag outside of Terraform.
func (s *Store) Attach(tagID string, o Object) error {
	defer s.lock()()
	return s.attach(tagID, o).err()
}

// Detach detaches a tag outside of Terraform.
func (s *Store) Detach(tagID string, o Object) error {
	defer s.lock()()
	return s.detach(tagID, o).err()
}

// RemoveTag deletes a tag outside of Terraform.
func (s *Store) RemoveTag(id string) error { return s.deleteTag(id).err() }

// RemoveCategory deletes a category outside of Terraform.
func (s *Store) RemoveCategory(id string) error { return s.deleteCategory(id).err() }

// Describe sets a tag's description outside of Terraform.
func (s *Store) Describe(tagID, description string) error {
	return s.updateTag(tagID, change{Description: &description}).err()
}

// Rename changes the name of a tag outside of Terraform.
func (s *Store) Rename(tagID, name string) error {
	return s.updateTag(tagID, change{Name: &name}).err()
}

// Categories lists the categories, sorted by name.
func (s *Store) Categories() []Category {
	defer s.lock()()
	list := make([]Category, 0, len(s.categories))
	for _, c := range s.categories {
		list = append(list, *c)
	}
	slices.SortFunc(list, func(a, b Category) int { return cmp.Compare(a.Name, b.Name) })
	return list
}

// Tags lists the tags, sorted by category and name.
func (s *Store) Tags() []Tag {
	defer s.lock()()
	list := make([]Tag, 0, len(s.tags))
	for _, t := range s.tags {
		list = append(list, *t)
	}
	slices.SortFunc(list, func(a, b Tag) int {
		return cmp.Or(cmp.Compare(a.CategoryID, b.CategoryID), cmp.Compare(a.Name, b.Name))
	})
	return list
}

// Objects returns the sorted IDs of the objects that have the given tag, or none if the tag does not exist.
func (s *Store) Objects(tagID string) []string {
	ids := make(map[string]bool)
	objects, f := s.objectsOf(tagID)
	if f == nil {
		for _, o := range objects {
			ids[o.ID] = true
		}
	}
	return slices.Sorted(maps.Keys(ids))
}

// Leftovers describes all categories, tags and associations, for tests that must clean up.
func (s *Store) Leftovers() []string {
	var names []string
	for _, c := range s.Categories() {
		names = append(names, "category "+c.Name)
	}
	for _, t := range s.Tags() {
		names = append(names, "tag "+t.Name)
	}
	for _, a := range s.Associations() {
		names = append(names, "association of "+a.Tag+" with "+a.Object.ID)
	}
	return names
}
