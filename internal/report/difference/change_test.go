package difference_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/report/difference"
)

func changeOf(t *testing.T, i difference.Item, name string) difference.Change {
	t.Helper()
	for _, c := range i.Changes {
		if c.Name == name {
			return c
		}
	}
	t.Fatalf("%s of %s does not change: %+v", name, i.Address, i.Changes)
	return difference.Change{}
}

// TestChanges_arguments: a change of any argument of a resource is a change, as of one that deletes replicas later. By
// the documentation of each resource: all arguments but timeouts are compared, and no attribute that is only read.
func TestChanges_arguments(t *testing.T) {
	t.Parallel()
	pages, err := filepath.Glob("../../../docs/resources/*.md")
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(pages), 6)
	attribute := regexp.MustCompile("(?m)^- `(\\w+)`")
	for _, page := range pages {
		text, err := os.ReadFile(page)
		require.NoError(t, err)
		kind := "vsla_" + strings.TrimSuffix(filepath.Base(page), ".md")
		_, schema, _ := strings.Cut(string(text), "## Schema")
		schema, _, _ = strings.Cut(schema, "\n## ")
		schema, _, _ = strings.Cut(schema, "### Nested")
		arguments, results, ok := strings.Cut(schema, "### Read-Only")
		require.True(t, ok, "%s: got no section of read-only attributes, want one", page)
		for part, want := range map[string]difference.Category{arguments: difference.Changed, results: difference.Unchanged} {
			for _, found := range attribute.FindAllStringSubmatch(part, -1) {
				name, want := found[1], want
				if name == "timeouts" {
					want = difference.Unchanged
				}
				with := func(v string, actions ...string) thing {
					return managed(kind+".x", map[string]any{name: v}, actions...)
				}
				i := result(t, compared(t, state(with("a")), planOf(with("b", "update"))), kind+".x")
				assert.Equal(t, want, i.Category, "%v, %v", kind, name)
			}
		}
	}
}

func wave(number float64, vms ...any) map[string]any {
	return map[string]any{
		"number":           number,
		"start_seconds":    number * 60,
		"duration_seconds": 60.0,
		"virtual_machines": vms,
	}
}

// TestChanges_shapes: lists are compared as sets, maps by their keys and members.
func TestChanges_shapes(t *testing.T) {
	t.Parallel()
	const address = "data.vsla_migration_plan.x"
	list := func(all ...any) []any { return all }
	for name, test := range map[string]struct {
		attribute     string
		before, after any
		want          []string
	}{
		"another order": {"ids", list("a", "b"), list("b", "a"), nil},
		"a list":        {"ids", list("vm-10", "vm-9"), list("vm-9", "vm-11", "vm-2"), []string{"IDs: 2 → 3 (added vm-2, vm-11; removed vm-10)"}},
		"a long list": {
			"ids", []any{}, list("a", "b", "c", "d", "e", "f", "g"), []string{"IDs: 0 → 7 (added a, b, c, d, e and 2 more)"},
		},
		"replaced": {"ids", list("a"), list("b"), []string{"IDs: 1 → 1 (added b; removed a)"}},
		"no list":  {"ids", nil, list("b"), []string{"IDs: – → 1 (added b)"}},
		"a map": {
			"vms",
			map[string]any{"vm-1": map[string]any{"name": "db", "used_gib": 1.0}},
			map[string]any{"vm-1": map[string]any{"name": "db", "used_gib": 2.0}, "vm-2": map[string]any{"name": "app"}},
			[]string{"Vms: 1 → 2 (added app)", "db: used: 1 GiB → 2 GiB ()"},
		},
		"a map of numbers": {
			"counts", map[string]any{"hosts": 1.0}, map[string]any{"hosts": 2.0}, []string{"hosts: counts: 1 → 2 ()"},
		},
		"waves": {
			"waves", list(wave(1, "a", "b"), wave(2, "c")), list(wave(1, "a"), wave(2, "b", "d")),
			[]string{"Waves: 2 → 2 (other entries)"},
		},
		"more waves": {
			"waves", list(wave(1, "a", "b")), list(wave(1, "a"), wave(2, "b")),
			[]string{"Waves: 1 → 2 ()"},
		},
		"the same waves later": {
			"waves", list(wave(1, "a"), wave(2, "b")), list(wave(1, "a"), wave(2, "b")), nil,
		},
		"below the digits": {"duration_seconds", 100.2, 100.200001, nil},
		"other entries":    {"rounds", list(map[string]any{"a": 1.0}), list(map[string]any{"a": 2.0}), []string{"Rounds: 1 → 1 (other entries)"}},
	} {
		with := func(v any) thing { return thing{address: address, values: map[string]any{test.attribute: v}} }
		i := result(t, compared(t, state(with(test.before)), planOf(with(test.after))), address)
		var got []string
		for _, c := range i.Changes {
			got = append(got, c.Label+": "+c.Before+" → "+c.After+" ("+c.Detail+")")
		}
		assert.Equal(t, test.want, got, name)
		assert.Equal(t, test.want == nil, i.Category == difference.Unchanged, "%s: %s", name, i.Category)
	}
}

// TestTotals_tags: the tags of a map count one by one, and values known after apply are not counted as none.
func TestTotals_tags(t *testing.T) {
	t.Parallel()
	const address = "vsla_tags.sla"
	tags := func(names ...string) thing {
		all := map[string]any{}
		for _, name := range names {
			all[name] = ""
		}
		return managed(address, map[string]any{"id": "x", "category_id": "c", "tags": all}, "update")
	}
	later := thing{
		address: "vsla_tag_association.x",
		values:  map[string]any{"tag_id": "t"},
		unknown: []string{"object_ids"},
	}
	d := compared(t, state(tags("a", "b", "c")), planOf(tags("b", "d", "e", "f"), later.at("create")))
	want := []difference.Total{{What: "Tags", Added: 3, Removed: 2}, {What: "Tagged objects", NotKnown: 1}}
	assert.Equal(t, want, d.Totals)
}

// TestNotKnown: a result that is read during apply is unknown, with its reason and the inputs that changed; one that
// was not known is judged when it is.
func TestNotKnown(t *testing.T) {
	t.Parallel()
	pair := pairs(t)["unknown"]
	d := compared(t, pair[0], pair[1])
	require.Equal(t, difference.Unclear, d.Outcome)
	i := result(t, d, gold)
	if i.Category != difference.Unknown || i.Turn != difference.TurnLost ||
		!strings.Contains(i.Sentence, "its arguments depend on values that are known after apply") {
		t.Errorf("%+v", i)
	}
	c := changeOf(t, i, "throughput_mbps")
	require.Equal(t, "901 Mbit/s", c.Before)
	assert.Equal(t, "known after apply", c.After)
	for mbps, want := range map[float64]difference.Outcome{440: difference.Worse, 1802: difference.Better} {
		known := compared(t, pair[1], planOf(tier(t, gold, 15, mbps), tier(t, silver, 60, 901)))
		require.Equal(t, want, known.Outcome, mbps)
		assert.Equal(t, difference.TurnKnown, result(t, known, gold).Turn, mbps)
	}
	same := compared(t, pair[1], pair[1])
	assert.False(t, same.Changed(), "what is not known on both sides is a change: %s", same.Headline)
}

// TestDestroy: a plan that destroys what there is keeps no promise.
func TestDestroy(t *testing.T) {
	t.Parallel()
	after := planOf(tier(t, gold, 15, 901), tag("gold").at("delete"))
	after.destroys = true
	d := compared(t, state(tier(t, gold, 15, 901), tag("gold")), after)
	if d.Outcome != difference.Removed || !slices.Contains(d.Notes, "This plan destroys what there is.") ||
		result(t, d, gold).Category != difference.Gone {
		t.Errorf("outcome %s, notes %q; want %s and a note on the destruction", d.Outcome, d.Notes, difference.Removed)
	}
}

// TestNothing: documents without anything of vsla are no error, and no change.
func TestNothing(t *testing.T) {
	t.Parallel()
	d := compared(t, state(), planOf())
	require.False(t, d.Changed(), "%s: %s", d.Outcome, d.Headline)
	assert.Equal(t, "Nothing changes: there are no vsla results on either side.", d.Headline)
}
