package protection

import (
	"cmp"
	"maps"
	"slices"

	"terraform-provider-vsla/internal/gate/finding"
	"terraform-provider-vsla/internal/gate/tfplan"
)

// Holders are the objects with a tag.
type Holders struct {
	Tag Tag
	// Address is the first resource that attaches the tag, and Addresses are all of them.
	Address   string
	Addresses []string
	// VMs contains the IDs of the VMs with the tag after the plan. Gained contains those that get it by this plan.
	VMs, Gained map[string]bool
	// New reports whether a resource that the plan creates or imports attaches the tag to further VMs.
	New bool
	// Complete is false if the plan does not show all objects.
	Complete bool
}

// attachment is a tag on an object.
type attachment struct{ tag, object string }

// tagged collects what tags are attached to.
type tagged struct {
	before, after map[attachment]string // with the address
	// attached contains what a resource attaches during apply. Of the rest of after, it changes nothing.
	attached map[attachment]bool
	holders  map[string]*Holders
	tags     map[string]Tag
}

const vmType = "VirtualMachine"

func (t *Table) compareTags(s states) {
	all := &tagged{
		before:   map[attachment]string{},
		after:    map[attachment]string{},
		attached: map[attachment]bool{},
		holders:  map[string]*Holders{},
		tags:     map[string]Tag{},
	}
	n := newNames(t.plan, s)
	before, after := t.associations(s.before), t.associations(s.after)
	for _, b := range before {
		of := n.of(b.instance, "tag_id", b.is.Tag)
		all.tags[of.Key()] = of
		for _, id := range b.is.Objects.V {
			all.before[attachment{of.Key(), id.V}] = b.address
		}
	}
	singles, lone := recordsOf[objectTags](s.before, typeObjectTags)
	singlesAfter, loneAfter := recordsOf[objectTags](s.after, typeObjectTags)
	t.add(slices.Concat(lone, loneAfter)...)
	for _, b := range singles {
		for _, id := range b.is.Tags.V {
			of := n.of(b.instance, "tag_ids", id)
			all.tags[of.Key()] = of
			all.before[attachment{of.Key(), b.is.Object.V}] = b.address
		}
	}
	for _, a := range after {
		t.attach(all, n.of(a.instance, "tag_id", a.is.Tag), a.instance, a.is.Objects, a.is.ObjectType)
	}
	for _, a := range singlesAfter {
		object := tfplan.Value[[]text]{V: []text{a.is.Object}, Set: true}
		list := a.is.Tags.V
		if a.is.Tags.Unknown {
			list = []text{{Unknown: true}}
		}
		for _, id := range list {
			t.attach(all, n.of(a.instance, "tag_ids", id), a.instance, object, a.is.ObjectType)
		}
	}
	t.findLost(all, n, applied(after), applied(singlesAfter))
	for _, id := range slices.Sorted(maps.Keys(all.holders)) {
		t.Holders = append(t.Holders, *all.holders[id])
	}
	t.compareNames(s, n)
}

const typeAssociation = "vsla_tag_association"

func (t *Table) associations(all []instance) []record[association] {
	records, broken := recordsOf[association](all, typeAssociation)
	t.add(broken...)
	return records
}

// attach records the objects that have a tag after the plan.
func (t *Table) attach(all *tagged, of Tag, i instance, objects tfplan.Value[[]text], objectType text) {
	if of.ID == "" {
		of.ID = i.address // cannot be told: a tag of its own
	}
	key := of.Key()
	all.tags[key] = of
	h := all.holders[key]
	if h == nil {
		h = &Holders{Tag: of, Address: i.address, VMs: map[string]bool{}, Gained: map[string]bool{}, Complete: true}
		all.holders[key] = h
	}
	h.Addresses = append(h.Addresses, i.address)
	if !objects.Set {
		h.Complete = false
	}
	for _, id := range objects.V {
		if !id.Set {
			h.Complete = false
			continue
		}
		one := attachment{key, id.V}
		all.after[one] = i.address
		all.attached[one] = all.attached[one] || i.attaches(of.ID, id.V)
		if !objectType.Set || objectType.V == vmType {
			h.VMs[id.V] = true
			if _, had := all.before[one]; !had {
				h.Gained[id.V] = true
				h.New = h.New || i.change != nil && (i.change.Has(tfplan.Create) || i.change.Change.Importing != nil)
			}
		}
	}
}

// applied returns the resources that apply changes. The others may state what they detached last time.
func applied[T any](all []record[T]) []record[T] {
	return slices.DeleteFunc(
		slices.Clone(all),
		func(r record[T]) bool { return r.change == nil || r.change.Has("no-op") },
	)
}

// attaches reports whether a resource attaches a tag during apply. What it had before is not attached again.
func (i instance) attaches(tag, object string) bool {
	if i.change == nil || i.change.Has("no-op") {
		return false
	}
	objects, _ := i.change.Change.Before["object_ids"].([]any)
	tags, _ := i.change.Change.Before["tag_ids"].([]any)
	return i.created() || !slices.Contains(objects, any(object)) && !slices.Contains(tags, any(tag))
}

// findLost finds the tags that objects lose. An object that gets the tag of another tier whose promise is not longer
// loses nothing.
func (t *Table) findLost(
	all *tagged, n *names, after []record[association], singles []record[objectTags],
) {
	lost := make(map[attachment]string)
	for key, address := range all.before {
		if _, keeps := all.after[key]; !keeps {
			lost[key] = address
		}
	}
	for _, a := range after {
		t.checkRemovals(a.instance, a.is.Removes.Unknown || a.is.Replaces.Unknown && !t.replacesNothing(a, n, all))
		of := n.of(a.instance, "tag_id", a.is.Tag)
		for _, id := range a.is.Removes.V {
			t.lose(all, lost, attachment{of.Key(), id.V}, a.address)
		}
		for object, id := range a.is.Replaces.V {
			t.lose(all, lost, attachment{n.of(a.instance, "", id).Key(), object}, a.address)
		}
	}
	for _, a := range singles {
		t.checkRemovals(a.instance, a.is.Removes.Unknown)
		for _, id := range a.is.Removes.V {
			t.lose(all, lost, attachment{n.of(a.instance, "", id).Key(), a.is.Object.V}, a.address)
		}
	}
	for _, key := range slices.SortedFunc(maps.Keys(lost), func(a, b attachment) int {
		return cmpText(a.tag+a.object, b.tag+b.object)
	}) {
		if t.forgets(all, lost[key], key) {
			continue
		}
		of, known := all.tags[key.tag]
		if !known {
			of = n.byKey(key.tag)
		}
		if !t.replacedByAsGood(all, of, key.object) {
			t.lost = append(t.lost, finding.Of(finding.TagsRemoved, key.object, lost[key], "loses the tag "+of.Key()))
		}
	}
}

func cmpText(a, b string) int { return cmp.Compare(a, b) }

// lose records that a resource detaches a tag during apply, unless another one attaches it then.
func (t *Table) lose(all *tagged, lost map[attachment]string, key attachment, address string) {
	if !all.attached[key] {
		lost[key] = address
	}
}

// checkRemovals adds a finding if a resource that changes does not show what it detaches.
func (t *Table) checkRemovals(i instance, unknown bool) {
	if unknown {
		t.add(finding.New(finding.Unknown, i.address, "does not show during plan which tags it detaches"))
	}
}

// replacesNothing reports whether a new tag cannot replace another one: its category is new as well, or none of the
// objects has a tag of that category, as far as the plan shows.
func (t *Table) replacesNothing(a record[association], n *names, all *tagged) bool {
	of := n.of(a.instance, "tag_id", a.is.Tag)
	if of.ID == "" || of.Category == "" || a.is.Tag.Set {
		return false
	}
	if of.Created || n.multiple[of.Category] {
		return true
	}
	had := func(object string) (string, bool) {
		for key := range all.before {
			other := all.tags[key.tag]
			if key.object == object && key.tag != of.Key() && (other.Category == of.Category || other.Category == "") {
				return key.tag, true
			}
		}
		return "", false
	}
	for _, id := range a.is.Objects.V {
		if former, ok := had(id.V); ok {
			if _, keeps := all.after[attachment{former, id.V}]; keeps {
				return false
			}
		}
	}
	t.notes = append(t.notes, finding.New(finding.TagsRemoved, a.address,
		"has a new tag in an existing category and might replace tags that this configuration does not manage"))
	return true
}

// forgets reports whether a tag stays on its object although its resource is forgotten.
func (t *Table) forgets(all *tagged, address string, key attachment) bool {
	for _, c := range t.plan.Changes {
		if c.Address == address && c.Has(tfplan.Forget) {
			if !t.forgotten[address] {
				t.forgotten[address] = true
				t.add(finding.Of(finding.TagsChanged, all.tags[key.tag].Key(), address,
					"is forgotten: its tags are no longer managed"))
			}
			return true
		}
	}
	return false
}

// replacedByAsGood reports whether an object has, after the plan, the tag of a tier whose promise is not longer.
func (t *Table) replacedByAsGood(all *tagged, of Tag, object string) bool {
	was, promised := t.promises(of.Path())
	if !promised {
		return false
	}
	for key := range all.after {
		if key.object != object || key.tag == of.Key() || all.tags[key.tag].Home != of.Home {
			continue
		}
		if is, ok := t.promises(all.tags[key.tag].Path()); ok && is <= was {
			return true
		}
	}
	return false
}

// compareNames finds tags and categories whose meaning changes.
func (t *Table) compareNames(s states, n *names) {
	tagsBefore, broken := recordsOf[tag](s.before, typeTag)
	tagsAfter, alsoBroken := recordsOf[tag](s.after, typeTag)
	t.add(slices.Concat(broken, alsoBroken)...)
	byID := make(map[string][]record[tag])
	for _, a := range append(tagsAfter, tagsOfSets(s.after)...) {
		byID[a.is.ID.V] = append(byID[a.is.ID.V], a)
	}
	created := n.createdTags(s)
	for _, b := range tagsBefore {
		c := t.changeOf(b.instance)
		kept := slices.DeleteFunc(slices.Clone(byID[b.is.ID.V]), func(a record[tag]) bool {
			return a.kind == typeTags && c != nil && c.Has(tfplan.Delete)
		})
		if len(kept) == 0 {
			t.missingName(b.instance, b.is.Name, b.is.Force)
			t.createdAgain(b.instance, b.is.Name, created[n.tags[b.is.ID.V].Path()])
		}
		for _, a := range kept {
			t.compareTag(b.is, a)
		}
	}
	t.compareCategories(s)
	t.compareSets(s, byID, n, created)
}

func (t *Table) compareTag(before tag, a record[tag]) {
	switch {
	case changed(before.Name, a.is.Name):
		t.add(finding.Of(finding.TagsChanged, before.Name.V, a.address, "is renamed: lookups by name fail"))
	case changed(before.Category, a.is.Category):
		t.add(finding.Of(finding.TagsChanged, before.Name.V, a.address, "is in another category"))
	}
	t.guardForce(a.instance, before.Name, before.Force, a.is.Force)
}

func (t *Table) guardForce(a instance, name text, before, after boolean) {
	if turnedOn(before, after) {
		t.add(finding.Of(finding.GuardOff, name.V, a.address, "can be deleted while objects have it"))
	}
}

// missingName handles a tag or a category that is not in the configuration any more. Unless force_destroy is set, the
// provider refuses to delete a tag that objects have.
func (t *Table) missingName(b instance, name text, force boolean) {
	c := t.changeOf(b)
	switch {
	case c != nil && c.Has(tfplan.Forget):
		t.add(finding.Of(finding.TagsChanged, name.V, b.address, "is forgotten: its tags are no longer managed"))
	case c == nil || !c.Has(tfplan.Delete):
		// It was deleted outside of Terraform. What it was attached to is compared by object.
	case force.Unknown || tfplan.Is(force, true):
		t.add(finding.Of(finding.TagsRemoved, name.V, b.address,
			"is deleted from every object that has it: force_destroy is set"))
	case c.Has(tfplan.Create):
		t.add(finding.Of(finding.TagsChanged, name.V, b.address, "is replaced: lookups by ID fail"))
	}
}

// createdAgain finds a tag or a category that is deleted, and created under another address: nothing orders the two.
func (t *Table) createdAgain(b instance, name text, address string) {
	if address != "" && address != b.address {
		t.add(
			finding.Of(
				finding.TagsChanged,
				name.V,
				address,
				"is created again instead of moved: its tags are detached",
			),
		)
	}
}

func (t *Table) changeOf(i instance) *tfplan.Change {
	if i.change != nil {
		return i.change
	}
	for _, c := range t.plan.Changes {
		if c.Address == i.address || c.Previous == i.address {
			return c
		}
	}
	return nil
}
