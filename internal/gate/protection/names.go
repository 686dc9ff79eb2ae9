package protection

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"terraform-provider-vsla/internal/gate/tfplan"
)

// tag contains the meaning of a vsla_tag.
type tag struct {
	ID       text    `json:"id"`
	Name     text    `json:"name"`
	Category text    `json:"category_id"`
	Force    boolean `json:"force_destroy"`
}

// category contains the meaning of a vsla_tag_category.
type category struct {
	ID          text                   `json:"id"`
	Name        text                   `json:"name"`
	Cardinality text                   `json:"cardinality"`
	Types       tfplan.Value[[]string] `json:"associable_types"`
	Force       boolean                `json:"force_destroy"`
	Adopt       boolean                `json:"adopt_existing"`
	Adopts      tfplan.Value[adopted]  `json:"adopts"`
}

// adopted is the existing category that a create takes over.
type adopted struct {
	Cardinality text                   `json:"cardinality"`
	Types       tfplan.Value[[]string] `json:"associable_types"`
}

// tagSet contains the meaning of a vsla_tags.
type tagSet struct {
	Category text                          `json:"category_id"`
	Tags     tfplan.Value[map[string]text] `json:"tags"`
	IDs      tfplan.Value[map[string]text] `json:"ids"`
	Renamed  tfplan.Value[map[string]text] `json:"renamed_from"`
	Force    boolean                       `json:"force_destroy"`
}

// association is a tag on many objects.
type association struct {
	Tag          text                          `json:"tag_id"`
	Objects      tfplan.Value[[]text]          `json:"object_ids"`
	ObjectType   text                          `json:"object_type"`
	Removes      tfplan.Value[[]text]          `json:"removes"`
	Replaces     tfplan.Value[map[string]text] `json:"replaces"`
	TagName      text                          `json:"tag_name"`
	CategoryName text                          `json:"category_name"`
}

// objectTags is an object with its tags.
type objectTags struct {
	Object     text                          `json:"object_id"`
	ObjectType text                          `json:"object_type"`
	Tags       tfplan.Value[[]text]          `json:"tag_ids"`
	Removes    tfplan.Value[[]text]          `json:"removes"`
	TagNames   tfplan.Value[map[string]text] `json:"tag_names"`
}

// Tag is a tag as the plan shows it.
type Tag struct {
	// ID is the ID in vCenter, or the address of the resource that creates the tag. It is empty if neither can be told.
	ID string
	// Home is the provider configuration of another vCenter, whose objects can have the same IDs; empty for the
	// default.
	Home string
	// Category and Name are empty if they are not known. Created reports whether the plan creates the category.
	Category, Name string
	Created        bool
}

// Path returns the tag as settings name it: category/name.
func (t Tag) Path() string {
	if t.Category == "" || t.Name == "" {
		return ""
	}
	return t.Category + "/" + t.Name
}

// Key identifies a tag by its path, which stays when a tag that was deleted outside of Terraform is created again, or
// by its ID if the path is not known.
func (t Tag) Key() string {
	key := cmp.Or(t.Path(), t.ID)
	if t.Home != "" {
		return t.Home + ":" + key
	}
	return key
}

// names finds the names of tags.
type names struct {
	plan       *tfplan.Plan
	tags       map[string]Tag
	categories map[string]string
	// homes contains the provider configuration of each block that does not use the default one.
	homes map[string]string
	// multiple contains the categories of which an object can have several tags.
	multiple map[string]bool
}

func newNames(p *tfplan.Plan, s states) *names {
	n := &names{
		plan:       p,
		tags:       map[string]Tag{},
		categories: map[string]string{},
		homes:      map[string]string{},
		multiple:   map[string]bool{},
	}
	for _, b := range p.Blocks() {
		if b.Provider != "vsla" && !strings.HasSuffix(b.Provider, ":vsla") {
			n.homes[b.Full()] = b.Provider
		}
	}
	for _, r := range p.Results(typeCategory) {
		n.addCategory(r.Values)
	}
	all := append(append([]instance{}, s.before...), s.after...)
	for _, i := range all {
		if i.kind == typeCategory {
			n.addCategory(i.values)
		}
	}
	for _, r := range append(p.Results(typeTag), p.Results(typeTags)...) {
		n.addTags(r.Type, r.Values)
	}
	for _, i := range all {
		n.addTags(i.kind, i.values)
	}
	return n
}

func (n *names) addCategory(values any) {
	if c, err := tfplan.Decode[category](values); err == nil && c.ID.Set && c.Name.Set {
		n.categories[c.ID.V] = c.Name.V
		n.multiple[c.Name.V] = tfplan.Is(c.Cardinality, "MULTIPLE")
	}
}

// addTags adds the tags that a resource or a result names.
func (n *names) addTags(kind string, values any) {
	attributes, _ := values.(map[string]any)
	add := func(id, categoryID, categoryName, name string) {
		if categoryName == "" {
			categoryName = n.categories[categoryID]
		}
		if id != "" && name != "" && (categoryName != "" || n.tags[id].Name == "") {
			n.tags[id] = Tag{ID: id, Category: categoryName, Name: name}
		}
	}
	word := func(name string) string {
		value, _ := attributes[name].(string)
		if value == "\x00unknown" {
			return ""
		}
		return value
	}
	ids, _ := attributes["ids"].(map[string]any)
	for name, id := range ids {
		if known, ok := id.(string); ok {
			add(known, word("category_id"), word("category_name"), name)
		}
	}
	if kind == typeTag {
		add(word("id"), word("category_id"), word("category_name"), word("name"))
	}
	add(word("tag_id"), "", word("category_name"), word("tag_name"))
	paths, _ := attributes["tag_names"].(map[string]any)
	for id, value := range paths {
		path, _ := value.(string)
		if categoryName, name, ok := strings.Cut(path, "/"); ok {
			add(id, "", categoryName, name)
		}
	}
}

// of returns the tag in an argument of an instance, whose value may be known only after apply.
func (n *names) of(i instance, argument string, id text) Tag {
	found := n.find(i, argument, id)
	found.Home = n.homes[tfplan.Block(i.address)]
	return found
}

func (n *names) find(i instance, argument string, id text) Tag {
	if id.Set {
		if known, ok := n.tags[id.V]; ok {
			return known
		}
		return Tag{ID: id.V}
	}
	source := n.plan.Created(i.address, i.index, argument)
	if source == nil {
		return Tag{}
	}
	switch source.Type {
	case typeTag:
		is, err := tfplan.Decode[tag](source.After())
		if err == nil && is.Name.Set {
			return n.created(source, is.Name.V, is.Category)
		}
	case typeTags:
		is, err := tfplan.Decode[tagSet](source.After())
		name, isText := i.index.(string)
		if from, ok := n.plan.Trace(i.address, i.index, argument); ok && from.Key != nil {
			name, isText = from.Key.(string)
		}
		if _, has := is.Tags.V[name]; err == nil && isText && has {
			return n.created(source, name, is.Category)
		}
	}
	return Tag{}
}

// byKey returns a tag that no resource of the plan attaches.
func (n *names) byKey(key string) Tag {
	homes := append(slices.Collect(maps.Values(n.homes)), "")
	for _, t := range n.tags {
		for _, t.Home = range homes {
			if t.Key() == key {
				return t
			}
		}
	}
	return Tag{ID: key}
}

func (n *names) created(c *tfplan.Change, name string, categoryID text) Tag {
	made := Tag{ID: c.Address + "/" + name, Name: name}
	if categoryID.Set {
		made.Category = n.categories[categoryID.V]
		return made
	}
	if of := n.plan.Created(c.Address, c.Index, "category_id"); of != nil && of.Type == typeCategory {
		is, err := tfplan.Decode[category](of.After())
		if err == nil && is.Name.Set {
			made.Category, made.Created = is.Name.V, of.Has(tfplan.Create) && !adopts(is)
		}
	}
	return made
}

// createdTags returns the addresses of tags that a plan creates, by path.
func (n *names) createdTags(s states) map[string]string {
	found := make(map[string]string)
	tags, _ := recordsOf[tag](s.after, typeTag)
	for _, a := range tags {
		if a.created() {
			found[n.created(a.change, a.is.Name.V, a.is.Category).Path()] = a.address
		}
	}
	sets, _ := recordsOf[tagSet](s.after, typeTags)
	for _, a := range sets {
		for name := range a.is.Tags.V {
			if a.created() {
				found[n.created(a.change, name, a.is.Category).Path()] = a.address
			}
		}
	}
	delete(found, "")
	return found
}

// adopts reports whether a create takes over an existing category.
func adopts(c category) bool { return tfplan.Is(c.Adopt, true) && (c.Adopts.Set || c.Adopts.Unknown) }
