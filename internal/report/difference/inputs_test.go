package difference_test

import (
	"maps"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// object contains inputs of an SLA plan.
type object = map[string]any

// planned returns an SLA plan of two VMs of 100 GiB, whose daily change of 10% requires 2 Mbit/s of 1,000, with other
// inputs for the plan, the tier and the VM db.
func planned(t *testing.T, plan, tier, db object) thing {
	t.Helper()
	with := func(inputs, others object) object {
		maps.Copy(inputs, others)
		return inputs
	}
	return calculated(t, "data.vsla_sla_plan.estate", with(object{
		"growth_percent_per_year": 20.0,
		"links":                   object{"metro": object{"throughput_mbps": 1000.0, "outage_minutes": 30.0}},
		"tiers": object{"gold": with(object{
			"virtual_machines":     object{"app": object{"size_gib": 100.0}, "db": with(object{"size_gib": 100.0}, db)},
			"daily_change_percent": 10.0,
			"peak_factor":          3.0,
			"rpo_minutes":          60.0,
		}, tier)},
	}, plan))
}

func points(days, instances float64) object {
	return object{"point_in_time": object{"days": days, "instances_per_day": instances}}
}

// TestInputs verifies that a comparison lists each changed input of a promise, so that no promise whose inputs differ
// is listed as unchanged.
func TestInputs(t *testing.T) {
	t.Parallel()
	before := planned(t, nil, nil, nil)
	for name, test := range map[string]struct {
		after thing
		want  string
	}{
		"growth":        {planned(t, object{"growth_percent_per_year": 5.0}, nil, nil), "growth per year 20% → 5%"},
		"no growth":     {planned(t, object{"growth_percent_per_year": nil}, nil, nil), "growth per year 20% → –"},
		"storage":       {planned(t, object{"source_read_mbps": 2000.0}, nil, nil), "source read – → 2,000 Mbit/s"},
		"a size":        {planned(t, nil, nil, object{"size_gib": 50.0}), "db: size 100 GiB → 50 GiB"},
		"a VM's change": {planned(t, nil, nil, object{"daily_change_percent": 5.0}), "db: daily change – → 5%"},
		"more":          {planned(t, object{"growth_percent_per_year": 20.001}, nil, nil), "year 20 → 20.001"},
		"a longer RPO":  {planned(t, nil, object{"rpo_minutes": 120.0}, nil), "RPO 60 min → 2 h"},
		"a new VM": {
			planned(t, nil, object{"virtual_machines": object{
				"app": object{"size_gib": 100.0},
				"db":  object{"size_gib": 100.0},
				"web": object{"size_gib": 100.0},
			}}, nil),
			"VMs added web",
		},
		"an object":       {planned(t, nil, points(4, 6), nil), "point in time – → instances per day 6, days 4"},
		"an easier input": {planned(t, nil, object{"rpo_minutes": 90.0, "peak_factor": 2.0}, nil), "peak factor 3 → 2"},
	} {
		text := compared(t, state(before), state(test.after)).Markdown(limit)
		_, inputs, found := strings.Cut(text, "### Changed inputs")
		require.True(t, found, "%s: %s", name, text)
		inputs, _, _ = strings.Cut(inputs, "<details>")
		assert.Contains(t, inputs, test.want, name)
		assert.NotContains(t, text, "- **`gold`** (promise): ✓ holds\n", name)
	}
}

// TestInputs_weaker verifies that a promise is weakened if what is promised during an outage or in points in time is
// removed or gets less.
func TestInputs_weaker(t *testing.T) {
	t.Parallel()
	outage := func(minutes any) object { return object{"max_outage_rpo_minutes": minutes} }
	for name, test := range map[string]struct {
		before, after object
		want          string
	}{
		"a longer outage":   {outage(120.0), outage(600.0), "max outage RPO 2 h → 10 h"},
		"no outage":         {outage(120.0), outage(nil), "max outage RPO 2 h → –"},
		"a shorter outage":  {outage(600.0), outage(120.0), ""},
		"fewer days":        {points(4, 6), points(3, 6), "days 4 → 3"},
		"fewer instances":   {points(4, 6), points(4, 5), "instances per day 6 → 5"},
		"no points in time": {points(4, 6), nil, "instances per day 6 → –, days 4 → –"},
		"more days":         {points(3, 6), points(4, 6), ""},
	} {
		d := compared(t, state(planned(t, nil, test.before, nil)), state(planned(t, nil, test.after, nil)))
		i := result(t, d, `data.vsla_sla_plan.estate.promises["gold"]`)
		_, weaker, _ := strings.Cut(i.Sentence, "The promise is weakened: ")
		assert.Contains(t, weaker, test.want, name)
		assert.Equal(t, test.want != "", d.GetsWorse(), name)
	}
}

// TestInputs_hours verifies that a list of hours is compared by its values, and not as a set.
func TestInputs_hours(t *testing.T) {
	t.Parallel()
	weights := func(first float64) thing {
		hours := []any{first}
		for range 23 {
			hours = append(hours, 2.0)
		}
		return planned(t, nil, object{"hourly_weights": hours, "peak_factor": nil}, nil)
	}
	text := compared(t, state(weights(1)), state(weights(2))).Markdown(limit)
	assert.Contains(t, text, "hourly weights other values")
}

// TestInputs_renamedLink verifies that the inputs of a renamed link are compared with its former ones.
func TestInputs_renamedLink(t *testing.T) {
	t.Parallel()
	renamed := object{"links": object{"lan": object{"throughput_mbps": 900.0, "outage_minutes": 30.0}}}
	text := compared(t, state(planned(t, nil, nil, nil)), state(planned(t, renamed, nil, nil))).Markdown(limit)
	assert.Contains(t, text, "| `lan` | throughput 1,000 Mbit/s → 900 Mbit/s |")
}
