package difference

import (
	"strings"

	"terraform-provider-vsla/internal/assess/document"
)

// Total counts what happens to things of one kind.
type Total struct {
	What    string `json:"what"`
	Added   int    `json:"added"`
	Removed int    `json:"removed"`
	Changed int    `json:"changed"`
	// Replaced are deleted and created again: a replication begins with a new initial sync.
	Replaced int `json:"replaced"`
	// Forgotten are no longer managed, and remain as they are.
	Forgotten int `json:"forgotten"`
	// NotKnown are known after apply, or cannot be compared because they are sensitive.
	NotKnown int `json:"not_known"`
}

func (t *Total) empty() bool { return *t == Total{What: t.What} }

var resourceKinds = []struct{ kind, title, many string }{
	{"vsla_replication", "Replication", "Replications"},
	{"vsla_tag_category", "Tag category", "Tag categories"},
	{"vsla_tag", "Tag", "Tags"},
	{"vsla_tags", "Tags of a category", "Tags"},
	{"vsla_tag_association", "Tag on objects", "Tagged objects"},
	{"vsla_object_tags", "Tags of an object", "Tagged objects"},
}

func titleOfResource(kind string) string {
	for _, k := range resourceKinds {
		if k.kind == kind {
			return k.title
		}
	}
	return strings.ReplaceAll(strings.TrimPrefix(kind, "vsla_"), "_", " ")
}

var members = map[string]string{
	"vsla_tags":            "tags",
	"vsla_tag_association": "object_ids",
	"vsla_object_tags":     "tag_ids",
}

func totals(resources []Item) []Total {
	list := []Total{}
	place := make(map[string]int)
	for _, k := range resourceKinds {
		if _, ok := place[k.many]; !ok {
			place[k.many] = len(list)
			list = append(list, Total{What: k.many})
		}
	}
	for i := range resources {
		what := titleOfResource(resources[i].Type)
		for _, k := range resourceKinds {
			if k.kind == resources[i].Type {
				what = k.many
			}
		}
		if _, ok := place[what]; !ok {
			place[what] = len(list)
			list = append(list, Total{What: what})
		}
		list[place[what]].add(&resources[i])
	}
	filled := []Total{}
	for _, t := range list {
		if !t.empty() {
			filled = append(filled, t)
		}
	}
	return filled
}

func (t *Total) add(i *Item) {
	size := 1
	if i.sized {
		size = i.size
	}
	switch {
	case i.Category == Unknown, i.Category != Unchanged && members[i.Type] != "" && !i.sized:
		t.NotKnown++
	case i.Category == Added:
		t.Added += size
	case i.Category == Gone && i.Action == document.Forget:
		t.Forgotten += size
	case i.Category == Gone:
		t.Removed += size
	case i.Action == document.Replace:
		t.Replaced++
	case i.Category == Changed && i.sized:
		t.Added, t.Removed = t.Added+i.added, t.Removed+i.removed
		if i.added+i.removed == 0 {
			t.Changed++
		}
	case i.Category == Changed:
		t.Changed++
	}
}

func (i *Item) measure(p pair) {
	name := members[i.Type]
	if name == "" {
		return
	}
	var keys [2][]string
	for n, f := range []*thing{p.before, p.after} {
		if f == nil {
			continue
		}
		fact := f.fact(name)
		if fact == nil || !fact.Given() {
			return // known after apply, or withheld
		}
		keys[n] = append(keys[n], fact.Texts...)
		for _, m := range fact.Members {
			keys[n] = append(keys[n], m.Key)
		}
	}
	i.sized, i.size = true, max(len(keys[0]), len(keys[1]))
	i.added, i.removed = len(without(keys[1], keys[0])), len(without(keys[0], keys[1]))
}
