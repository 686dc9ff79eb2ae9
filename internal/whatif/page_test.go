package whatif_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"terraform-provider-vsla/internal/plan/registry"
	"terraform-provider-vsla/internal/whatif"
)

// example has three tiers on a link. By hand, gold alone: 40 VMs of 200 GiB change 8,000 * 0.05 = 400 GiB a day, at
// four times the mean 400 * 4 * 15 / 1440 = 16.7 GiB in 15 minutes, which 700 Mbit/s carry in 204.5 s: below half of
// 900 s. At 300 Mbit/s they take 477.2 s: above half.
func example() *whatif.Model {
	tier := func(name string, vms, gib, change, rpo float64) any {
		return map[string]any{"name": name, "vm_count": vms, "vm_size_gib": gib, "inputs": map[string]any{
			"daily_change_percent": change, "rpo_minutes": rpo, "peak_factor": 4.0, "growth_percent_per_year": 20.0,
		}}
	}
	return &whatif.Model{
		Kind: "inventory", File: "a.csv",
		Tiers: map[string]any{
			"throughput_mbps": 700.0, "schedule": map[string]any{"days": 1.0},
			"tiers": []any{tier("gold", 40, 200, 5, 15), tier("silver", 20, 150, 4, 60)},
		},
		TiersFile: map[string]any{
			"throughput_mbps": 700.0, "schedule": map[string]any{"days": 1.0},
			"defaults": map[string]any{"peak_factor": 4.0, "growth_percent_per_year": 20.0},
			"tiers": []any{
				map[string]any{"name": "gold", "match": map[string]any{"name": "^g"}, "rpo_minutes": 15.0},
				map[string]any{"name": "silver", "match": map[string]any{}, "rpo_minutes": 60.0},
			},
		},
	}
}

// settled returns the view with all of its jobs done, the source's first.
func settled(p *whatif.Page, changes whatif.Changes) *whatif.View {
	for _, c := range []whatif.Changes{{}, changes} {
		for v := p.View(c); len(v.Jobs) > 0; v = p.View(c) {
			results, err := p.Run(c, v.Jobs[0])
			p.Finish(c, v.Jobs[0], results, err)
		}
	}
	return p.View(changes)
}

func result(t *testing.T, v *whatif.View, title string) whatif.Result {
	t.Helper()
	for _, r := range v.Results {
		if r.Title == title && !r.Together {
			return r
		}
	}
	t.Fatalf("got no result %q", title)
	return whatif.Result{}
}

// TestPage_verdicts checks what a change does, and that an answer makes a result hold.
func TestPage_verdicts(t *testing.T) {
	t.Parallel()
	p := whatif.Open(example())
	if v := p.View(nil); result(t, v, "gold").Word != "holds" || len(v.Jobs) != 1 || !v.Jobs[0].Quick ||
		!strings.HasPrefix(v.Headline, "Computing: all tiers together. So far: ") || v.Fragment != "" {
		t.Fatalf("got %+v", v)
	}
	slow := whatif.Changes{"link/throughput_mbps": 300.0}
	v := settled(p, slow)
	if got := result(t, v, "gold"); got.Word != "at risk" || got.Before != "holds" {
		t.Errorf("got gold %q, before %q, want at risk, before holds", got.Word, got.Before)
	}
	// At 40 Mbit/s 16.7 GiB take 3,579 s, longer than 900 s.
	moved := settled(p, whatif.Changes{"link/throughput_mbps": 40.0}).Moved
	if !slices.Contains(moved, "gold: holds -> does not hold") {
		t.Errorf("got moves %q, want gold not to hold", moved)
	}
	if len(v.Changed) != 1 || v.Changed[0].From != "700 Mbit/s" || v.Changed[0].To != "300 Mbit/s" {
		t.Errorf("got changes %+v", v.Changed)
	}
	answers := result(t, v, "gold").Answers
	if len(answers) < 3 {
		t.Fatalf("got answers %+v, want link, RPO and number of VMs", answers)
	}
	for _, a := range answers {
		changes := maps.Clone(slow)
		changes[a.Cell] = a.Value
		after := p.View(changes)
		for _, r := range after.Results {
			if r.Title == "gold" && !r.Together && r.Word != "holds" && len(r.Answers) > 0 {
				t.Errorf("%s: got %q, want holds", a.Text, r.Word)
			}
		}
	}
}

// TestPage_inputs checks that every input of a tier's calculators and of the schedule is a cell, and its range.
func TestPage_inputs(t *testing.T) {
	t.Parallel()
	layout := whatif.Open(example()).Layout()
	names := map[string]bool{}
	for _, c := range layout.Cells {
		names[strings.Split(c.Name, ".")[0]] = true
	}
	for _, command := range []string{"replication", "schedule", "storage"} {
		c, _ := registry.OfCommand(command)
		for _, f := range c.Inputs() {
			if !names[f.Name] && f.Name != "groups" && f.Name != "link" && f.Name != "used_gib" {
				t.Errorf("got no cell for %s of %s", f.Name, command)
			}
		}
	}
	if len(layout.Rows) != 2 || layout.Rows[0].Title != "gold" || !layout.TiersFile {
		t.Errorf("got %+v", layout.Rows)
	}
}

// TestPage_problems checks that a value out of range is reported at its cell.
func TestPage_problems(t *testing.T) {
	t.Parallel()
	p := whatif.Open(example())
	v := p.View(whatif.Changes{"tier/gold/rpo_minutes": 0.0})
	if got := v.Errors["tier/gold/rpo_minutes"]; !strings.Contains(got, "must be") {
		t.Errorf("got %q in %v", got, v.Errors)
	}
	if r := result(t, v, "gold"); r.Word != "not known" || !strings.Contains(r.Summary, "rpo_minutes") {
		t.Errorf("got %+v", r)
	}
}

// TestPage_link checks that the throughput follows the link until it is given.
func TestPage_link(t *testing.T) {
	t.Parallel()
	m := example()
	delete(m.Tiers, "throughput_mbps")
	m.Tiers["link"] = map[string]any{"bandwidth_mbps": 1000.0, "efficiency_percent": 70.0}
	p := whatif.Open(m)
	for _, test := range []struct {
		changes whatif.Changes
		want    float64
	}{
		{nil, 700}, {whatif.Changes{"link/bandwidth_mbps": 500.0}, 350},
	} {
		if got := p.View(test.changes).Derived["link/throughput_mbps"]; got != test.want {
			t.Errorf("%v: got %v, want %v", test.changes, got, test.want)
		}
	}
	v := p.View(whatif.Changes{"link/throughput_mbps": 300.0})
	if got := result(t, v, "gold"); got.Word != "at risk" {
		t.Errorf("got %q, want at risk", got.Word)
	}
}

// drawChanges draws changes of any cells, within their ranges or not.
func drawChanges(t *rapid.T, p *whatif.Page) whatif.Changes {
	changes := whatif.Changes{}
	for _, c := range rapid.SliceOfN(rapid.SampledFrom(p.Layout().Cells), 0, 6).Draw(t, "cells") {
		var v any
		switch c.Kind {
		case "number":
			v = rapid.Float64Range(-1e15, 1e15).Draw(t, "number")
		case "bool":
			v = rapid.Bool().Draw(t, "bool")
		case "values":
			v = map[string]any{rapid.String().Draw(t, "key"): rapid.Float64Range(0, 1e9).Draw(t, "value")}
		default:
			v = rapid.String().Draw(t, "text")
		}
		changes[c.ID] = rapid.SampledFrom([]any{v, v, v, nil}).Draw(t, "value or none")
	}
	return changes
}

// TestFragment checks that a link loses nothing, and that one of another page or version is refused.
func TestFragment(t *testing.T) {
	t.Parallel()
	p := whatif.Open(example())
	rapid.Check(t, func(t *rapid.T) {
		changes := drawChanges(t, p)
		fragment := p.Fragment(changes)
		back, err := p.Changes(fragment)
		if err != nil || p.Fragment(back) != fragment {
			t.Fatalf("got %v, %v of %v", back, err, changes)
		}
		for id, v := range back {
			if was := changes[id]; toJSON(t, was) != toJSON(t, v) {
				t.Fatalf("%s: got %v, want %v", id, v, was)
			}
		}
	})
	good := p.Fragment(whatif.Changes{"tier/gold/rpo_minutes": 30.0})
	other := example()
	other.Tiers["throughput_mbps"] = 701.0
	for _, test := range []struct{ name, fragment, want string }{
		{"version", "2" + good[1:], "the link is of version 2 of this page, which has version 1"},
		{"source", whatif.Open(other).Fragment(whatif.Changes{"tier/gold/rpo_minutes": 30.0}), "another source"},
		{"cut", good[:8], "incomplete"},
		{"damaged", good[:len(good)-2], "damaged"},
		{"text", "tiers", "incomplete"},
	} {
		if _, err := p.Changes(test.fragment); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got %v, want %q", test.name, err, test.want)
		}
	}
}

func toJSON(t interface{ Fatal(...any) }, v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// results is a plan with a link, an estimate and a schedule of its VMs, and storage.
func results() *whatif.Model {
	inputs := func(more map[string]any) map[string]any {
		all := map[string]any{"vm_count": 40.0, "vm_size_gib": 200.0, "daily_change_percent": 5.0, "rpo_minutes": 15.0}
		maps.Copy(all, more)
		return all
	}
	return &whatif.Model{Kind: "plan", Results: []any{
		map[string]any{
			"type": "vsla_link_throughput", "name": "wan", "title": "wan", "key": "wan",
			"inputs": map[string]any{"bandwidth_mbps": 1000.0, "efficiency_percent": 70.0},
		},
		map[string]any{
			"type": "vsla_replication_estimate", "name": `tier["gold"]`, "title": "tier gold", "key": "gold",
			"inputs": inputs(map[string]any{"link": "wan", "peak_factor": 4.0}), "from": map[string]any{"throughput_mbps": 0.0},
		},
		map[string]any{
			"type": "vsla_replication_schedule", "name": "all", "title": "schedule all", "key": "all",
			"from": map[string]any{"throughput_mbps": 0.0},
			"inputs": map[string]any{
				"link": "wan", "days": 1.0, "groups": map[string]any{"gold": inputs(map[string]any{"peak_factor": 4.0})},
			},
		},
		map[string]any{
			"type": "vsla_replica_storage", "name": `r["gold"]`, "title": "r gold", "key": "gold",
			"inputs": map[string]any{
				"vm_count": 40.0, "used_gib": 200.0, "target_free_gib": 20000.0, "daily_change_percent": 5.0,
				"rpo_minutes": 15.0,
			},
		},
	}}
}

// TestPage_results checks that a plan's estimate, its group of the schedule and its storage share their cells.
func TestPage_results(t *testing.T) {
	t.Parallel()
	p := whatif.Open(results())
	if rows := p.Layout().Rows; len(rows) != 1 || rows[0].Title != "tier gold" {
		t.Fatalf("got rows %+v, want the tier gold", rows)
	}
	row := p.Layout().Rows[0]
	v := settled(p, nil)
	if got := v.Derived["link/wan/throughput_mbps"]; got != 700.0 {
		t.Errorf("got a throughput of %v from the link, want 700", got)
	}
	// 120 VMs: 50 GiB in 15 minutes take 614 s, above half of 900 s; their replicas have 24,000 GiB and more.
	changes := whatif.Changes{row.Cells["vm_count"]: 120.0}
	text, err := p.Write(whatif.FormatHCL, changes)
	if err != nil || strings.Count(text, "vm_count = 120") != 3 {
		t.Errorf("got %s, %v, want 120 VMs in estimate, schedule and storage", text, err)
	}
	v = settled(p, changes)
	if got := result(t, v, "tier gold").Word; got != "at risk" {
		t.Errorf("got %q, want at risk", got)
	}
	if !slices.ContainsFunc(v.Moved, func(m string) bool { return strings.HasPrefix(m, "r gold: holds -> ") }) {
		t.Errorf("got moves %q, want that of the storage %+v", v.Moved, result(t, v, "r gold"))
	}
	for _, a := range result(t, v, "tier gold").Answers {
		if mbps, ok := a.Value.(float64); a.Cell == "wan/bandwidth_mbps" && (!ok || mbps < 1000) {
			t.Errorf("got %+v", a)
		}
	}
}

// TestPage_path checks that each problem of a schedule's group leads to the cell of its tier.
func TestPage_path(t *testing.T) {
	t.Parallel()
	p := whatif.Open(results())
	id := p.Layout().Rows[0].Cells["rpo_minutes"]
	changes := whatif.Changes{id: -1.0}
	job := whatif.Job{ID: "all", Quick: true}
	_, err := p.Run(changes, job)
	p.Finish(changes, job, nil, err)
	if v := p.View(changes); v.Errors[id] == "" {
		t.Errorf("got %v, want a problem of %s; %v", v.Errors, id, err)
	}
}
