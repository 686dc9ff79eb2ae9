package whatif_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	ctyjson "github.com/zclconf/go-cty/cty/json"
	"pgregory.net/rapid"

	"terraform-provider-vsla/internal/assess"
	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/promise"
	"terraform-provider-vsla/internal/whatif"
	"terraform-provider-vsla/internal/wording"
)

func example() *whatif.Model {
	return &whatif.Model{
		Kind: "inventory",
		File: "a.csv",
		Name: "estate",
		Plan: map[string]any{
			"growth_percent_per_year": 20.0,
			"horizon_months":          2.0,
			"links": map[string]any{"metro": map[string]any{
				"throughput_mbps":    400.0,
				"efficiency_percent": 50.0,
				"ranges":             map[string]any{"throughput_mbps": map[string]any{"low": 300.0, "high": 500.0}},
			}},
			"targets": map[string]any{"dr": map[string]any{"free_gib": 2000.0}},
			"tiers": map[string]any{
				"gold": map[string]any{
					"rpo_minutes":          60.0,
					"daily_change_percent": 5.0,
					"target":               "dr",
					"virtual_machines": map[string]any{
						"a": map[string]any{"size_gib": 40.0},
						"b": map[string]any{"size_gib": 10.0},
						"c": map[string]any{"size_gib": 20.0},
						"d": map[string]any{"size_gib": 30.0},
					},
				},
				"silver": map[string]any{
					"rpo_minutes":          240.0,
					"daily_change_percent": 4.0,
					"vm_count":             12.0,
					"vm_size_gib":          15.0,
				},
			},
		},
		Moves: &whatif.Moves{
			Arguments: map[string]any{
				"window_hours": 4.0,
				"virtual_machines": map[string]any{
					"a": map[string]any{"memory_gib": 1.0, "disk_gib": 40.0, "method": "cold"},
					"b": map[string]any{"memory_gib": 1.0, "disk_gib": 100.0, "method": "cold"},
				},
			},
			Link:         "metro",
			SharePercent: 100,
		},
	}
}

func opened(t require.TestingT, m *whatif.Model) *whatif.Page {
	p, err := whatif.Open(m)
	require.NoError(t, err)
	return p
}

func computed(t require.TestingT, p *whatif.Page, changes whatif.Changes) *whatif.View {
	v, err := p.Compute(context.Background(), changes, whatif.Callbacks{})
	require.NoError(t, err)
	return v
}

func reviewed(t require.TestingT, arguments map[string]any) ([]*assess.Assessment, map[string]whatif.Number) {
	c := promise.Definition.Calculator()
	values, err := c.Evaluate(arguments)
	require.NoError(t, err)
	arguments = maps.Clone(arguments)
	maps.Copy(arguments, values)
	all := assess.List([]assess.Raw{{Type: c.DataSource(), Address: "data.vsla_sla_plan.estate", Values: arguments}})
	numbers := make(map[string]whatif.Number)
	for _, a := range all {
		switch of := a.Answer.(type) {
		case *assess.Promise:
			numbers["promise "+a.Key] = whatif.Number{Verdict: of.Verdict, Value: of.WithinRPOPercent}
		case *assess.Link:
			numbers["link "+a.Key] = whatif.Number{Value: of.ThroughputNeededMbps}
		}
	}
	return all, numbers
}

func numbersOf(v *whatif.View) map[string]whatif.Number {
	numbers := make(map[string]whatif.Number)
	for name, n := range v.Answer.Promises {
		numbers["promise "+name] = n
	}
	for name, n := range v.Answer.Links {
		numbers["link "+name] = n
	}
	return numbers
}

func attributes(t require.TestingT, text, kind string) map[string]any {
	file, problems := hclsyntax.ParseConfig([]byte(text), "what-if.tf", hcl.InitialPos)
	require.False(t, problems.HasErrors(), "%v\n%s", problems, text)
	values := map[string]any{}
	body, _ := file.Body.(*hclsyntax.Body)
	for _, block := range body.Blocks {
		if block.Type != "data" || block.Labels[0] != kind {
			continue
		}
		for name, attribute := range block.Body.Attributes {
			v, problems := attribute.Expr.Value(nil)
			require.False(t, problems.HasErrors(), "%+v", problems)
			encoded, err := ctyjson.Marshal(v, v.Type())
			require.NoError(t, err)
			var plain any
			require.NoError(t, json.Unmarshal(encoded, &plain))
			values[name] = plain
		}
	}
	return values
}

var hostile = []string{"gold", "${x}", "%{if}", `a"b`, "x\ny", "$${", `\u0041`, "\b\f\u202e", "for", "ü"}

// drawn generates an estate with one or two links, a target and up to three tiers. The second link has hourly rates, a
// network or a range.
func drawn(t *rapid.T) map[string]any {
	number := func(low, high float64) *rapid.Generator[float64] {
		return rapid.Map(rapid.IntRange(0, 20), func(n int) float64 { return low + (high-low)*float64(n)/20 })
	}
	links := map[string]any{"one": map[string]any{"throughput_mbps": number(5, 200).Draw(t, "mbps")}}
	names := []string{"one"}
	if rapid.Bool().Draw(t, "two links") {
		names = append(names, "two")
		hours := make([]any, 24)
		for h := range hours {
			hours[h] = float64(10 + h)
		}
		links["two"] = rapid.SampledFrom([]map[string]any{
			{"hourly_throughput_mbps": hours},
			{"network": map[string]any{"bandwidth_mbps": 100.0, "rtt_ms": 10.0, "throughput_basis": "nominal"}},
			{
				"throughput_mbps": 50.0,
				"ranges":          map[string]any{"throughput_mbps": map[string]any{"low": 30.0, "high": 60.0}},
			},
		}).Draw(t, "second link")
	}
	tiers := map[string]any{}
	for i := range rapid.IntRange(1, 3).Draw(t, "tiers") {
		tier := map[string]any{
			"link":                 rapid.SampledFrom(names).Draw(t, "link"),
			"daily_change_percent": number(1, 20).Draw(t, "change"),
			"rpo_minutes":          rapid.SampledFrom([]float64{30, 60, 240}).Draw(t, "rpo"),
		}
		if rapid.Bool().Draw(t, "named") {
			vms := map[string]any{}
			for n := range rapid.IntRange(1, 6).Draw(t, "VMs") {
				vm := map[string]any{"size_gib": number(1, 100).Draw(t, "GiB")}
				if rapid.Bool().Draw(t, "own") {
					vm["daily_change_percent"] = number(1, 30).Draw(t, "own change")
				}
				vms[fmt.Sprint(rapid.SampledFrom(hostile).Draw(t, "name"), i, n)] = vm
			}
			tier["virtual_machines"] = vms
		} else {
			tier["vm_count"] = float64(rapid.IntRange(1, 5).Draw(t,
				"count"))
			tier["vm_size_gib"] = number(1, 100).Draw(t, "GiB")
		}
		if rapid.Bool().Draw(t, "target") {
			tier["target"] = "dr"
		}
		tiers[rapid.SampledFrom(hostile).Draw(t, "tier")+strconv.Itoa(i)] = tier
	}
	return map[string]any{
		"growth_percent_per_year": 30.0,
		"horizon_months":          1.0,
		"links":                   links,
		"tiers":                   tiers,
		"targets":                 map[string]any{"dr": map[string]any{"free_gib": number(10, 800).Draw(t, "free")}},
	}
}

func drawnChanges(t *rapid.T, p *whatif.Page) whatif.Changes {
	changes := whatif.Changes{}
	var cells []*whatif.Cell
	for _, c := range p.Layout().Cells {
		n, ok := c.Source.(float64)
		name := c.ID[strings.LastIndex(c.ID, "/")+1:]
		if ok && n > 0 && name != "horizon_months" {
			cells = append(cells, c)
		}
	}
	for _, c := range rapid.SliceOfN(rapid.SampledFrom(cells), 0, 4).Draw(t, "cells") {
		source, _ := c.Source.(float64)
		v := min(c.Max, max(c.Min, source*rapid.SampledFrom([]float64{0.5, 1, 1.5, 2}).Draw(t, "factor")))
		if c.Whole {
			v = float64(int(v))
		}
		changes[c.ID] = v
	}
	return changes
}

// TestPage_equal checks, for generated estates and changes, that the page has the same verdicts, figures and headline
// as a review of its exported configuration, and that a promise holds after one of its remedies is applied.
func TestPage_equal(t *testing.T) {
	t.Parallel()
	for i := range 30 {
		p := opened(t, &whatif.Model{Kind: "plan", Name: "estate", Plan: rapid.Custom(drawn).Example(i)})
		changes := rapid.Custom(func(t *rapid.T) whatif.Changes { return drawnChanges(t, p) }).Example(i)
		if wrong := p.Edit(changes).Problems; len(wrong) > 0 {
			continue
		}
		v := computed(t, p, changes)
		text, err := p.Write(whatif.FormatHCL, changes)
		require.NoError(t, err)
		all, want := reviewed(t, attributes(t, text, "vsla_sla_plan"))
		require.Equal(t, want, numbersOf(v), "%v, %v", i, changes)
		var promises []*assess.Assessment
		for _, a := range all {
			if a.Kind == assess.KindPromise {
				promises = append(promises, a)
			}
		}
		assess.Sort(promises)
		require.Equal(t, assess.Headline(promises), v.Headline, "%+v", i)
		card := v.Promises[0]
		if len(card.Buttons) == 0 {
			continue
		}
		button := card.Buttons[i%len(card.Buttons)]
		merged := maps.Clone(changes)
		maps.Copy(merged, button.Changes)
		assert.Equal(t, plan.Meets, computed(t, p, merged).Promises[0].Level, "%v, %v, %v", i, button.Text,
			button.Changes)
	}
}

// TestPage_buttons verifies that each remedy has a button with the words of the review, and that the promise holds when
// the button is pressed. 10 VMs of 100 GiB with a daily change of 10% change by 9.94 Mbit/s.
func TestPage_buttons(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		mbps    float64
		tier    map[string]any
		starts  []string
		changes []string
	}{
		// A whole day's change within 15 minutes is 954.4 Mbit/s, more than the 748.7 Mbit/s that can be relied on.
		"nothing is known": {
			2000,
			map[string]any{"rpo_minutes": 15.0},
			[]string{"Provide ", "Measure the change and set peak_factor", "Measure a transfer", "Promise an RPO of"},
			[]string{
				"link/metro/throughput_mbps tier/gold/configured_rpo_minutes", "tier/gold/peak_factor",
				"link/metro/network.throughput_basis link/metro/throughput_basis", "tier/gold/rpo_minutes",
			},
		},
		// 60 + 60 * 9.94 / 19 * 1.14 is more than 60 minutes, and a sync takes more than half of 60 minutes.
		"a longer setting than holds": {
			19,
			map[string]any{"rpo_minutes": 60.0, "configured_rpo_minutes": 60.0, "peak_factor": 1.0},
			[]string{"Configure an RPO of 30 minutes (now 1 hour)"},
			[]string{"tier/gold/configured_rpo_minutes"},
		},
		"one sync": {
			1000,
			map[string]any{"rpo_minutes": 60.0, "per_sync_mbps": 0.5, "peak_factor": 1.0},
			[]string{"Make a single sync run at"},
			[]string{"tier/gold/per_sync_mbps"},
		},
	} {
		link := map[string]any{"throughput_mbps": test.mbps}
		if name != "nothing is known" {
			link["throughput_basis"] = "transfer"
		}
		tier := map[string]any{"vm_count": 10.0, "vm_size_gib": 100.0, "daily_change_percent": 10.0}
		maps.Copy(tier, test.tier)
		arguments := map[string]any{"links": map[string]any{"metro": link}, "tiers": map[string]any{"gold": tier}}
		p := opened(t, &whatif.Model{Kind: "plan", Name: "estate", Plan: arguments})
		card := computed(t, p, nil).Promises[0]
		all, _ := reviewed(t, arguments)
		var texts []string
		for _, b := range card.Buttons {
			texts = append(texts, b.Text)
			assert.Equal(t, plan.Meets, computed(t, p, b.Changes).Promises[0].Level, "%s: %s", name, b.Text)
		}
		var options []string
		for _, a := range all {
			if a.Kind == assess.KindPromise {
				for _, option := range a.Texts.Options {
					options = append(options, wording.Capital(option))
				}
			}
		}
		assert.Equal(t, options, texts, name)
		for i, start := range test.starts {
			n := slices.IndexFunc(texts, func(text string) bool { return strings.HasPrefix(text, start) })
			require.GreaterOrEqual(t, n, 0, "%s: %q in %q", name, start, texts)
			keys := slices.Sorted(maps.Keys(card.Buttons[n].Changes))
			assert.Equal(t, test.changes[i], strings.Join(keys, " "), name)
		}
	}
}

func TestPage_cells(t *testing.T) {
	t.Parallel()
	p := opened(t, example())
	for name, test := range map[string]struct {
		changes whatif.Changes
		want    string
	}{
		// A throughput of 400 with a range of 300 to 500 is halved to 200 with a range of 150 to 250.
		"the link halves": {
			whatif.Changes{"link/metro/throughput_mbps": 200.0},
			`"links":{"metro":{"efficiency_percent":50,"ranges":{"throughput_mbps":{"high":250,"low":150}},` +
				`"throughput_mbps":200}}`,
		},
		"without a": {
			whatif.Changes{"without": []any{"a"}},
			`"virtual_machines":{"b":{"size_gib":10},"c":{"size_gib":20},"d":{"size_gib":30}}`,
		},
		// In order of daily change, the VMs are a, d, c and b. To select two of them, the list is halved and the middle
		// of each half is taken: indexes 0.5*4/2 = 1 and 1.5*4/2 = 3.
		"two of four": {
			whatif.Changes{"tier/gold/vm_count": 2.0},
			`"virtual_machines":{"b":{"size_gib":10},"d":{"size_gib":30}}`,
		},
		// The fifth VM is a copy of the VM in the middle of the list ordered by daily change: index 0.5*4/1 = 2.
		"five of four": {
			whatif.Changes{"tier/gold/vm_count": 5.0}, `"c":{"size_gib":20},"c (copy 2)":{"size_gib":20},"d"`,
		},
		// The mean of 40, 10, 20 and 30 is 25, so a mean of 50 doubles all sizes.
		"mean size": {
			whatif.Changes{"tier/gold/vm_size_gib": 50.0},
			`"virtual_machines":{"a":{"size_gib":80},"b":{"size_gib":20},"c":{"size_gib":40},"d":{"size_gib":60}}`,
		},
		"none": {
			whatif.Changes{"plan/growth_percent_per_year": nil, "tier/silver/vm_count": 7.0},
			`"vm_count":7,"vm_size_gib":15`,
		},
	} {
		text, err := p.Write(whatif.FormatHCL, test.changes)
		require.NoError(t, err)
		encoded, err := json.Marshal(attributes(t, text, "vsla_sla_plan"))
		require.NoError(t, err)
		assert.Contains(t, string(encoded), test.want, name)
	}
}

// TestPage_clearedRange clears a value with a range. Without the value, the range has no meaning.
func TestPage_clearedRange(t *testing.T) {
	t.Parallel()
	m := example()
	m.Plan["tiers"] = map[string]any{"gold": map[string]any{
		"rpo_minutes":          60.0,
		"vm_count":             1.0,
		"vm_size_gib":          100.0,
		"daily_change_percent": 5.0,
		"peak_factor":          2.0,
		"ranges":               map[string]any{"peak_factor": map[string]any{"low": 1.0, "high": 3.0}},
	}}
	p := opened(t, m)
	for value, want := range map[any]string{
		nil: `"gold":{"daily_change_percent":5,"ranges":{},"rpo_minutes":60,"vm_count":1,"vm_size_gib":100}`,
		4.0: `"peak_factor":4,"ranges":{"peak_factor":{"high":6,"low":2}}`,
	} {
		text, err := p.Write(whatif.FormatHCL, whatif.Changes{"tier/gold/peak_factor": value})
		require.NoError(t, err)
		encoded, err := json.Marshal(attributes(t, text, "vsla_sla_plan"))
		require.NoError(t, err)
		assert.Contains(t, string(encoded), want, value)
	}
}

func TestPage_edit(t *testing.T) {
	t.Parallel()
	p := opened(t, example())
	// 5% of 100 GiB plus 4% of 180 GiB is 12.2 GiB per day.
	got := p.Edit(nil).Total
	assert.Equal(t, 16, got.VMs)
	assert.InDelta(t, 280, got.GiB, 0)
	assert.GreaterOrEqual(t, got.ChangeGiB, 12.199)
	assert.LessOrEqual(t, got.ChangeGiB, 12.201)
	// 16 VMs are scaled to 8: 4 to 2 in gold, and 12 to 6 in silver.
	scaled := p.Scale(nil, 8)
	assert.Equal(t, whatif.Changes{"tier/gold/vm_count": 2.0, "tier/silver/vm_count": 6.0}, scaled)
	halved, err := p.Multiply(nil, "link", "throughput_mbps", 0.5)
	want := (whatif.Changes{"link/metro/throughput_mbps": 200.0})
	require.NoError(t, err)
	assert.Equal(t, want, halved)
	_, err = p.Multiply(want, "link", "outage_minutes", 2)
	require.EqualError(t, err, "no link has a value for outage_minutes")
	e := p.Edit(whatif.Changes{"tier/gold/rpo_minutes": 30.0, "without": []any{"a", "b"}, "tier/gold/vm_count": 4.0})
	require.Len(t, e.Changed, 2)
	assert.Equal(t, "a, b", e.Changed[0].To)
	assert.Equal(t, "gold, RPO", e.Changed[1].Label)
	assert.Equal(t, "60 min", e.Changed[1].From)
	assert.Equal(t, "30 min", e.Changed[1].To)
	assert.EqualValues(t, 2.0, e.Values["tier/gold/vm_count"])
	for id, v := range map[string]any{
		"tier/gold/rpo_minutes":      0.0,
		"link/metro/throughput_mbps": "x",
		"target/dr/write_factor":     3.0,
		"plan/jitter_percent":        150.0,
	} {
		e := p.Edit(whatif.Changes{id: v})
		require.NotEmpty(t, e.Problems[id])
		assert.Len(t, e.Problems, 1)
	}
	e = p.Edit(whatif.Changes{"link/metro/outage_minutes": 5.0, "link/metro/outage_start_hours": 99.0})
	require.Len(t, e.Problems, 1)
	assert.NotEmpty(t, e.Problems["link/metro/outage_start_hours"])
}

// TestPage_moves checks that the result of the migration depends on the link and the VMs. With a usable throughput of
// 200 Mbit/s, the VM with 41 GiB takes 1,761 s and the VM with 101 GiB takes 4,337 s. Both fit into a 4-hour window. At
// 50 Mbit/s, they take 7,044 s and 17,350 s, so the larger VM does not fit.
func TestPage_moves(t *testing.T) {
	t.Parallel()
	p := opened(t, example())
	moves := func(changes whatif.Changes) string {
		all := computed(t, p, changes).Others
		return fmt.Sprint(all[len(all)-1].Facts)
	}
	for name, test := range map[string]struct {
		changes whatif.Changes
		want    string
	}{
		"source":    {nil, "{VMs 2 } "},
		"slow":      {whatif.Changes{"link/metro/throughput_mbps": 100.0}, "{Not planned b }"},
		"fewer VMs": {whatif.Changes{"without": []any{"b"}}, "{VMs 1 } "},
		"share":     {whatif.Changes{"moves/share_percent": 25.0}, "{Not planned b }"},
	} {
		assert.Contains(t, moves(test.changes), test.want, name)
	}
	m := example()
	m.Moves.Link, m.Moves.Arguments["throughput_mbps"] = "", 200.0
	p = opened(t, m)
	assert.Contains(t, moves(nil), "{VMs 2 } ")
	assert.Contains(t, moves(whatif.Changes{"moves/throughput_mbps": 50.0}), "{Not planned b }")
}

func TestEngine(t *testing.T) {
	t.Parallel()
	var told []string
	e := whatif.Engine{Post: func(text string) { told = append(told, text) }}
	for _, test := range []struct{ request, want string }{
		{`{`, `{"error":"unexpected end of JSON input"}`},
		{`{"do":"edit"}`, `{"error":"no model is open"}`},
		{`{"do":"open"}`, `{"error":"a model is required"}`},
		{`{"do":"open","model":{"plan":{}}}`, `{"error":"links`},
	} {
		got := e.Call(test.request)
		assert.True(t, strings.HasPrefix(got, test.want), "%s: got %s, want %s", test.request, got, test.want)
	}
	model, err := json.Marshal(example())
	require.NoError(t, err)
	require.Equal(t, "{}", e.Call(`{"do":"open","model":`+string(model)+`}`))
	want := computed(t, opened(t, example()), nil)
	encoded, err := json.Marshal(want)
	require.NoError(t, err)
	assert.Equal(t, string(encoded), e.Call(`{"do":"compute"}`))
	// An estate of up to 50 VMs is simulated in 20 runs, with likely inputs and at their worse end.
	require.Len(t, told, 20+20+1)
	assert.Equal(t, `{"all":20,"done":1}`, told[0])
	assert.True(t, strings.HasPrefix(told[40], `{"view":{"complete":false,`), "told %q", told[40])
	assert.Contains(t, told[40], want.Promises[0].Verdict)
	for _, test := range []struct{ request, want string }{
		{`{"do":"x"}`, `unknown request`},
		{`{"do":"find","text":"A"}`, `"name":"a"`},
		{`{"do":"costs","tier":"x"}`, `the tier does not exist`},
		{`{"do":"costs","tier":"silver"}`, `"rpo":"60 min","need":"`},
		{`{"do":"write","format":"tiers"}`, `a tiers file requires a page`},
		{`{"do":"write","format":"x"}`, `unknown format`},
		{`{"do":"write","format":"hcl","changes":{"tier/gold/rpo_minutes":0}}`, `a value is invalid`},
	} {
		assert.Contains(t, e.Call(test.request), test.want)
	}
}
