package cli_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/cli"
	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/registry"
	"terraform-provider-vsla/internal/wording"
)

func drawnEstate(seed uint64) map[string]any {
	r := rand.New(rand.NewPCG(seed, 2))
	between := func(low, high float64) float64 { return math.Ceil(1000*low*math.Pow(high/low, r.Float64())) / 1000 }
	links, tiers := map[string]any{}, map[string]any{}
	for i := range 1 + r.IntN(2) {
		link := map[string]any{"throughput_mbps": between(2, 500)}
		switch r.IntN(4) {
		case 0:
			link["throughput_basis"] = "transfer"
		case 1:
			link["hourly_moves_percent"] = append(make([]any, 0, 24), hours(r.IntN(24), 50)...)
		}
		links[fmt.Sprint("link-", i)] = link
	}
	targets := map[string]any{"dr": map[string]any{"free_gib": between(100, 20000)}}
	for i := range 1 + r.IntN(3) {
		vms, change := map[string]any{}, between(0.5, 20)
		for v := range 1 + r.IntN(4) {
			vms[fmt.Sprintf("vm-%d-%d", i, v)] = map[string]any{"size_gib": between(10, 2000)}
		}
		if r.IntN(20) == 0 {
			vms["sizeless"] = map[string]any{}
		}
		tier := map[string]any{
			"virtual_machines":     vms,
			"daily_change_percent": change,
			"rpo_minutes":          []float64{15, 60, 240}[r.IntN(3)],
			"link":                 fmt.Sprint("link-", r.IntN(len(links))),
			"target":               "dr",
		}
		if r.IntN(3) == 0 {
			tier["ranges"] = map[string]any{"daily_change_percent": map[string]any{
				"low":  change / 2,
				"high": 2 * change,
			}}
		}
		tiers[fmt.Sprint("tier-", i)] = tier
	}
	return map[string]any{
		"links":                   links,
		"targets":                 targets,
		"tiers":                   tiers,
		"growth_percent_per_year": 20.0,
	}
}

// hours returns, for each hour of the day, the percentage of a link's throughput that migrations use: the given
// percentage in two consecutive hours, and 0 in all others.
func hours(from int, percent float64) []any {
	all := make([]any, 24)
	for h := range all {
		if all[h] = 0.0; h == from || h == (from+1)%24 {
			all[h] = percent
		}
	}
	return all
}

type reviewJSON struct {
	Headline string
	Sections []struct {
		ID       string
		Subjects []struct {
			Name, Verdict, Summary string
			Level                  plan.Level
			Facts                  []struct {
				Name  string
				Value any
			}
		}
	}
}

// TestRun_agree verifies, for random estates, that the calculator and the command return the same results.
func TestRun_agree(t *testing.T) {
	t.Parallel()
	for seed := range uint64(20) {
		t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) {
			t.Parallel()
			agree(t, drawnEstate(seed))
		})
	}
}

func members(t *testing.T, values map[string]any, name string) map[string]map[string]any {
	t.Helper()
	var all map[string]map[string]any
	decode(t, encoded(t, values[name]), &all)
	require.NotEmpty(t, all, "got no %s", name)
	return all
}

func agree(t *testing.T, values map[string]any) {
	t.Helper()
	c, _ := registry.OfDataSource("vsla_sla_plan")
	results, err := c.EvaluateContext(t.Context(), values)
	require.NoError(t, err)
	code, printed, _ := run(t, encoded(t, values), "estimate", "plan", "--json", "-")
	var command map[string]any
	decode(t, printed, &command)
	var own map[string]any
	decode(t, encoded(t, results), &own)
	assert.Equal(t, own, command)
	misses := own["verdict"] == "misses"
	want := map[bool]int{true: cli.ExitMiss, false: cli.ExitOK}[misses]
	assert.Equal(t, want, code, "%+v", own["verdict"])
	decode(t, encoded(t, merged(values, own)), &own)
	file := filepath.Join(t.TempDir(), "state.json")
	document := encoded(t, map[string]any{
		"format_version":    "1.0",
		"terraform_version": "1.11.4",
		"values": map[string]any{"root_module": map[string]any{"resources": []any{map[string]any{
			"address":          "data.vsla_sla_plan.estate",
			"mode":             "data",
			"type":             "vsla_sla_plan",
			"name":             "estate",
			"provider_name":    "registry.terraform.io/vsla/vsla",
			"schema_version":   0,
			"values":           own,
			"sensitive_values": map[string]any{},
		}}}},
	})
	require.NoError(t, os.WriteFile(file, []byte(document), 0o600))
	code, text, _ := run(t, "", "review", file, "--format", "json")
	require.Equal(t, cli.ExitOK, code)
	var review reviewJSON
	decode(t, text, &review)
	_, markdown, _ := run(t, "", "review", file)
	former := filepath.Join(t.TempDir(), "former.json")
	err = os.WriteFile(former, []byte(`{"format_version":"1.0","terraform_version":"1.11.4","values":{}}`), 0o600)
	require.NoError(t, err)
	_, compared, _ := run(t, "", "review", file, "--baseline", former)
	levels := map[plan.Level]int{}
	for name, promise := range members(t, own, "promises") {
		verdict, _ := promise["verdict"].(string)
		level := verdict
		levels[level]++
		review.check(t, "promises", name, promise, "vm_count", "within_rpo_percent", "change_mbps", "total_gib")
		assert.Contains(t, lineOf(markdown, "| "+name+" |"), wording.LevelWord(level), name)
		assert.Contains(t, lineOf(compared, "| "+name+" |"), wording.LevelWord(level), name)
	}
	for name, link := range members(t, own, "links") {
		review.check(t, "links", name, link, "use_percent", "busiest_hour_percent")
	}
	held, all := levels[plan.Meets], 0
	for _, number := range levels {
		all += number
	}
	start := fmt.Sprintf("%d of %d promise", held, all)
	if held < all {
		assert.True(t, strings.HasPrefix(review.Headline, start), "the headline is %q, want %q", review.Headline, start)
	}
}

func (r *reviewJSON) check(t *testing.T, section, name string, want map[string]any, numbers ...string) {
	t.Helper()
	for _, s := range r.Sections {
		for _, subject := range s.Subjects {
			if s.ID != section || subject.Name != name {
				continue
			}
			verdict, ok := want["verdict"].(string)
			if ok {
				assert.Equal(t, verdict, subject.Verdict)
				assert.Equal(t, verdict, subject.Level)
				assert.NotEmpty(t, subject.Summary)
			}
			facts := map[string]any{}
			for _, f := range subject.Facts {
				facts[f.Name] = f.Value
			}
			for _, number := range numbers {
				assert.Equal(t, facts[number], want[number],
					"the review has %s %v of %s, want %v", number, facts[number], name, want[number])
			}
			return
		}
	}
	t.Errorf("the review has no %s in %s", name, section)
}

func lineOf(text string, prefixes ...string) string {
	for line := range strings.Lines(text) {
		for _, prefix := range prefixes {
			if strings.HasPrefix(line, prefix) {
				return line
			}
		}
	}
	return ""
}

func merged(values, results map[string]any) map[string]any {
	all := map[string]any{}
	for _, of := range []map[string]any{values, results} {
		for name, v := range of {
			inputs, _ := all[name].(map[string]any)
			outputs, both := v.(map[string]any)
			if both && inputs != nil {
				v = merged(inputs, outputs)
			}
			all[name] = v
		}
	}
	return all
}

func encoded(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	require.NoError(t, err)
	return string(text)
}

func decode(t *testing.T, text string, into any) {
	t.Helper()
	require.NoError(t, json.Unmarshal([]byte(text), into), text)
}
