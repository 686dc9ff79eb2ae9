package protection

import (
	"fmt"
	"maps"
	"slices"

	"terraform-provider-vsla/internal/gate/finding"
	"terraform-provider-vsla/internal/gate/tfplan"
)

// tagsOfSets returns the tags of vsla_tags that have an ID.
func tagsOfSets(all []instance) []record[tag] {
	var tags []record[tag]
	sets, _ := recordsOf[tagSet](all, typeTags)
	for _, set := range sets {
		for name, id := range set.is.IDs.V {
			is := tag{ID: id, Name: tfplan.Given(name), Category: set.is.Category, Force: set.is.Force}
			tags = append(tags, record[tag]{set.instance, is})
		}
	}
	return tags
}

func (t *Table) compareSets(s states, byID map[string][]record[tag], n *names, created map[string]string) {
	before, broken := recordsOf[tagSet](s.before, typeTags)
	after, alsoBroken := recordsOf[tagSet](s.after, typeTags)
	t.add(slices.Concat(broken, alsoBroken)...)
	for _, b := range before {
		c := t.changeOf(b.instance)
		forgets := c != nil && c.Has(tfplan.Forget)
		at := slices.IndexFunc(after, func(a record[tagSet]) bool { return a.is.Category == b.is.Category })
		var now tagSet
		if at >= 0 {
			now = after[at].is
			t.guardForce(after[at].instance, text{V: b.address}, b.is.Force, now.Force)
		}
		deletes := c != nil && c.Has(tfplan.Delete)
		for _, name := range slices.Sorted(maps.Keys(b.is.Tags.V)) {
			if deletes {
				t.createdAgain(b.instance, tfplan.Given(name), created[n.categories[b.is.Category.V]+"/"+name])
			}
			if deletes || !slices.ContainsFunc(byID[b.is.IDs.V[name].V], func(a record[tag]) bool {
				return a.kind == typeTag && a.is.Name.V == name
			}) {
				t.compareSetTag(b, now, name, forgets, deletes)
			}
		}
	}
}

func (t *Table) compareSetTag(b record[tagSet], now tagSet, name string, forgets, deletes bool) {
	_, kept := now.Tags.V[name]
	for is, former := range now.Renamed.V {
		if _, exists := now.Tags.V[is]; exists && former.V == name && !kept {
			t.add(
				finding.Of(
					finding.TagsChanged,
					name,
					b.address,
					fmt.Sprintf("is renamed to %s: lookups by name fail", is),
				),
			)
			return
		}
	}
	forced := tfplan.Is(b.is.Force, true) || tfplan.Is(now.Force, true) || now.Force.Unknown
	switch {
	case kept && !deletes:
	case forgets:
		t.add(finding.Of(finding.TagsChanged, name, b.address, "is forgotten: its tags are no longer managed"))
	case forced:
		t.add(finding.Of(finding.TagsRemoved, name, b.address,
			"is deleted from every object that has it: force_destroy is set"))
	}
}

const typeObjectTags = "vsla_object_tags"
