package difference_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/report/difference"
)

func moved(r thing, former string) thing {
	r.former = former
	return r
}

func at(r thing, address string) thing {
	r.address = address
	return r
}

// TestMatch_moved: a moved item is the same thing, even if the moves form a chain, and compared with a
// plan that moves it too or with a state in which it has moved already.
func TestMatch_moved(t *testing.T) {
	t.Parallel()
	a, b := replication("vm-1", 15), replication("vm-2", 60)
	const first, second, third = "vsla_replication.a", "vsla_replication.b", "vsla_replication.c"
	before := state(at(a, first), at(b, second))
	after := planOf(moved(at(a, second), first), moved(at(b, third), second))
	for name, baseline := range map[string]world{
		"a state": before, "a plan with the same moves": after, "a state after them": state(at(a, second), at(b, third)),
		"a plan without them": planOf(at(a, first), at(b, second)),
	} {
		d := compared(t, baseline, after)
		require.Len(t, d.Resources, 2, name)
		for _, i := range d.Resources {
			require.Equal(t, difference.Unchanged, i.Category, name)
			assert.Empty(t, i.Changes, name)
		}
	}
	assert.Equal(t, second, result(t, compared(t, before, after), third).Former)
}

// TestMatch_module: results in a module that moves are known by the resources that move with it, although their inputs
// change too.
func TestMatch_module(t *testing.T) {
	t.Parallel()
	const estimate, vm = "data.vsla_replication_estimate.x", "vsla_replication.x"
	before := state(tier(t, `module.old["a.b"].module.deep.`+estimate, 15, 901),
		at(replication("vm-1", 15), `module.old["a.b"].`+vm))
	after := planOf(tier(t, "module.new.module.deep."+estimate, 15, 440),
		moved(at(replication("vm-1", 15), "module.new."+vm), `module.old["a.b"].`+vm))
	d := compared(t, before, after)
	if len(d.Results) != 1 || d.Results[0].Turn != difference.TurnWorse ||
		d.Results[0].Former != `module.old["a.b"].module.deep.`+estimate {
		t.Errorf("%+v", d.Results)
	}
}

// TestMatch_identity: without a move, a resource is known by its id, and a result by its arguments, where only one has
// them. A resource that is created is another one, although its arguments are the same.
func TestMatch_identity(t *testing.T) {
	t.Parallel()
	const one, other = "data.vsla_replication_estimate.one", "data.vsla_replication_estimate.other"
	const third, fourth = "data.vsla_replication_estimate.third", "data.vsla_replication_estimate.fourth"
	same := replication("vm-1", 15)
	for name, test := range map[string]struct {
		before, after world
		want          map[string]difference.Category
	}{
		"arguments": {
			state(tier(t, one, 15, 901)), planOf(tier(t, other, 15, 901)),
			map[string]difference.Category{other: difference.Unchanged},
		},
		"other arguments": {
			state(tier(t, one, 15, 901)), planOf(tier(t, other, 15, 902)),
			map[string]difference.Category{one: difference.Gone, other: difference.Added},
		},
		"twice": {
			state(tier(t, one, 15, 901), tier(t, third, 15, 901)), planOf(tier(t, other, 15, 901), tier(t, fourth, 15, 901)),
			map[string]difference.Category{
				one: difference.Gone, third: difference.Gone, other: difference.Added, fourth: difference.Added,
			},
		},
		"id": {
			state(at(same, "vsla_replication.a")), planOf(at(same, "vsla_replication.b")),
			map[string]difference.Category{"vsla_replication.b": difference.Unchanged},
		},
		"created": {
			state(at(same, "vsla_replication.a")),
			planOf(at(same, "vsla_replication.a").at("delete"), at(same, "vsla_replication.b").at("create")),
			map[string]difference.Category{"vsla_replication.a": difference.Gone, "vsla_replication.b": difference.Added},
		},
	} {
		d := compared(t, test.before, test.after)
		got := map[string]difference.Category{}
		for _, i := range append(d.Results, d.Resources...) {
			got[i.Address] = i.Category
		}
		assert.Len(t, got, len(test.want), name)
		for address, category := range test.want {
			assert.Equal(t, category, got[address], name)
		}
	}
}

// TestMatch_output: an output that shows what a data source has is listed once. Where it shows something else on the
// other side, it is compared with that.
func TestMatch_output(t *testing.T) {
	t.Parallel()
	results := func(mbps float64) map[string]any {
		values := tier(t, gold, 15, mbps).values
		for _, input := range []string{"vm_count", "vm_size_gib", "daily_change_percent", "throughput_mbps", "rpo_minutes"} {
			delete(values, input)
		}
		return values
	}
	before, after := state(tier(t, gold, 15, 901)), planOf(tier(t, gold, 15, 901))
	before.outputs, after.outputs = map[string]any{"x": results(901)}, map[string]any{"x": results(440)}
	for name, pair := range map[string][2]world{
		"was the data source's": {before, after}, "is the data source's": {after, before},
	} {
		d := compared(t, pair[0], pair[1])
		require.Len(t, d.Results, 2, name)
		x := result(t, d, "output.x")
		require.Equal(t, difference.Changed, x.Category, name)
		assert.NotEqualValues(t, "", x.Turn, name)
		assert.Equal(t, difference.Unchanged, result(t, d, gold).Category, name)
	}
}
