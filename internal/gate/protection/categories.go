package protection

import (
	"slices"

	"terraform-provider-vsla/internal/gate/finding"
	"terraform-provider-vsla/internal/gate/tfplan"
)

func (t *Table) compareCategories(s states) {
	before, broken := recordsOf[category](s.before, typeCategory)
	after, alsoBroken := recordsOf[category](s.after, typeCategory)
	t.add(slices.Concat(broken, alsoBroken)...)
	byID := make(map[string][]record[category])
	created := make(map[string]string)
	for _, a := range after {
		byID[a.is.ID.V] = append(byID[a.is.ID.V], a)
		if a.created() {
			created[a.is.Name.V] = a.address
		}
		t.checkAdoption(a)
	}
	for _, b := range before {
		if len(byID[b.is.ID.V]) == 0 {
			t.missingName(b.instance, b.is.Name, b.is.Force)
			t.createdAgain(b.instance, b.is.Name, created[b.is.Name.V])
		}
		for _, a := range byID[b.is.ID.V] {
			t.compareCategory(b.is.Name.V, b.is.Cardinality, b.is.Types, a)
			if changed(b.is.Name, a.is.Name) {
				t.add(finding.Of(finding.TagsChanged, b.is.Name.V, a.address, "is renamed: lookups by name fail"))
			}
			t.guardForce(a.instance, b.is.Name, b.is.Force, a.is.Force)
		}
	}
}

// checkAdoption judges a create that takes over an existing category like an update of it.
func (t *Table) checkAdoption(a record[category]) {
	if !tfplan.Is(a.is.Adopt, true) || a.change == nil || !a.change.Has(tfplan.Create) {
		return
	}
	if was := a.is.Adopts; was.Set {
		t.compareCategory(a.is.Name.V, was.V.Cardinality, was.V.Types, a)
	}
}

func (t *Table) compareCategory(
	name string, cardinality text, types tfplan.Value[[]string], a record[category],
) {
	if changed(cardinality, a.is.Cardinality) {
		t.add(finding.Of(finding.TagsChanged, name, a.address,
			"allows several of its tags per object, which cannot be undone"))
	}
	if narrows(types, a.is.Types) {
		t.add(finding.Of(finding.TagsChanged, name, a.address, "applies to fewer object types"))
	}
}

// narrows reports whether a category applies to fewer object types. No list means all types.
func narrows(before, after tfplan.Value[[]string]) bool {
	if len(before.V) == 0 {
		return len(after.V) > 0 || after.Unknown
	}
	return len(after.V) > 0 && lacks(before, after) || after.Unknown
}

func lacks(before, after tfplan.Value[[]string]) bool {
	return slices.ContainsFunc(before.V, func(e string) bool { return !slices.Contains(after.V, e) })
}
