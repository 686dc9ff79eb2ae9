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

	"terraform-provider-vsla/internal/assess"
	"terraform-provider-vsla/internal/cli"
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
			"virtual_machines": vms, "daily_change_percent": change, "rpo_minutes": []float64{15, 60, 240}[r.IntN(3)],
			"link": fmt.Sprint("link-", r.IntN(len(links))), "target": "dr",
		}
		if r.IntN(3) == 0 {
			tier["ranges"] = map[string]any{"daily_change_percent": map[string]any{"low": change / 2, "high": 2 * change}}
		}
		tiers[fmt.Sprint("tier-", i)] = tier
	}
	return map[string]any{
		"links": links, "targets": targets, "tiers": tiers, "days": 8.0, "runs": 5.0, "growth_percent_per_year": 20.0,
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
	Counts   []struct {
		Level  wording.Level
		Number int
	}
	Sections []struct {
		ID       string
		Subjects []struct {
			Name, Verdict, Summary string
			Level                  wording.Level
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
	n := uint64(300)
	if testing.Short() {
		n = 10
	}
	for seed := range n {
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
	assert.Equal(t, want, code, own["verdict"])
	decode(t, encoded(t, merged(values, own)), &own)
	file := filepath.Join(t.TempDir(), "state.json")
	document := encoded(t, map[string]any{
		"format_version": "1.0", "terraform_version": "1.11.4",
		"values": map[string]any{"root_module": map[string]any{"resources": []any{map[string]any{
			"address": "data.vsla_sla_plan.estate", "mode": "data", "type": "vsla_sla_plan", "name": "estate",
			"provider_name": "registry.terraform.io/vsla/vsla", "schema_version": 0, "values": own,
			"sensitive_values": map[string]any{},
		}}}},
	})
	require.NoError(t, os.WriteFile(file, []byte(document), 0o600))
	code, text, _ := run(t, "", "report", file, "--format", "json", "--fail-on", "misses")
	assert.Equal(t, want, code, own["verdict"])
	var review reviewJSON
	decode(t, text, &review)
	_, markdown, _ := run(t, "", "report", file)
	former := filepath.Join(t.TempDir(), "former.json")
	err = os.WriteFile(former, []byte(`{"format_version":"1.0","terraform_version":"1.11.4","values":{}}`), 0o600)
	require.NoError(t, err)
	_, comment, _ := run(t, "", "report", file, "--baseline", former, "--comment", "-")
	levels := map[wording.Level]int{}
	for name, promise := range members(t, own, "promises") {
		verdict, _ := promise["verdict"].(string)
		level := assess.LevelOf(verdict)
		levels[level]++
		review.check(t, "promises", name, promise, "vm_count", "within_rpo_percent", "change_mbps", "total_gib")
		assert.Contains(t, lineOf(markdown, "| "+name+" |"), level.Word(), name)
		assert.Contains(t, lineOf(comment, "- **`"+name+"`", "| "+name+" |", "| `"+name+"`"), level.Word(), name)
	}
	for name, link := range members(t, own, "links") {
		review.check(t, "links", name, link, "use_percent", "busiest_hour_percent")
	}
	for _, count := range review.Counts {
		assert.Equal(t, count.Number, levels[count.Level])
	}
	held, all := levels[wording.Holds], 0
	for _, number := range levels {
		all += number
	}
	start := fmt.Sprintf("%d of %d promise", held, all)
	assert.True(t, held >= all || strings.HasPrefix(review.Headline, start), "the headline is %q, want %q",
		review.Headline, start)
}

func (r *reviewJSON) check(t *testing.T, section, name string, want map[string]any, numbers ...string) {
	t.Helper()
	for _, s := range r.Sections {
		for _, subject := range s.Subjects {
			if s.ID != section || subject.Name != name {
				continue
			}
			verdict, ok := want["verdict"].(string)
			assert.True(t, !ok || subject.Verdict == verdict && subject.Level == assess.LevelOf(verdict) &&
				subject.Summary != "", "the review has %s of %s, want %s", subject.Verdict, name, verdict)
			facts := map[string]any{}
			for _, f := range subject.Facts {
				facts[f.Name] = f.Value
			}
			for _, number := range numbers {
				assert.True(t, facts[number] == want[number],
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

func baselines(t *testing.T) func(word string) string {
	t.Helper()
	dir := t.TempDir()
	return func(word string) string {
		file := filepath.Join(dir, word+".json")
		require.NoError(t, os.WriteFile(file, []byte(verdict(word)), 0o600))
		return file
	}
}

func TestBaseline(t *testing.T) {
	t.Parallel()
	file := baselines(t)
	const since = "Compared with meets.json: "
	const broken, same, better = "1 promise no longer holds", "No verdict changes", "1 promise now holds"
	checkAll(t, map[string]command{
		"worse":     {args: "report - --baseline " + file("meets"), stdin: verdict("misses"), out: since + broken, errs: broken},
		"unchanged": {args: "report - --baseline " + file("meets"), stdin: verdict("meets"), out: since + same, errs: same},
		"worse that fails": {
			args: "report - --fail-on worse --baseline " + file("meets"), stdin: verdict("at_risk"), code: cli.ExitMiss,
			out: "now at risk", errs: "now at risk",
		},
		"better": {
			args: "report - --fail-on worse --baseline " + file("misses"), stdin: verdict("meets"), out: better, errs: better,
		},
		"as bad as before": {
			args: "report - --fail-on worse --baseline " + file("misses"), stdin: verdict("misses"), out: same, errs: same,
		},
		"a level": {
			args: "report - --fail-on misses --baseline " + file("misses"), stdin: verdict("misses"), code: cli.ExitMiss,
			out: same, errs: same,
		},
		"json": {
			args: "report - --format json --baseline " + file("meets"), stdin: verdict("misses"), out: `"outcome": "worse"`,
			errs: broken,
		},
		"html": {
			args: "report - --format html --baseline " + file("meets"), stdin: verdict("misses"),
			out: "<summary>Gets worse</summary>", errs: broken,
		},
		"the comment": {
			args: "report - --comment - --baseline " + file("meets"), stdin: verdict("misses"), out: "## ✕ " + broken,
			errs: broken,
		},
		"a gate without a comment": {
			args: "report - --gate gate.json --baseline " + file("meets"), code: cli.ExitUsage,
			errs: "--gate requires --comment",
		},
		"a gate without an answer": {
			args: "report - --gate " + file("meets") + " --comment - --baseline " + file("meets"), stdin: verdict("misses"),
			code: cli.ExitError, errs: "it contains no gate result",
		},
		"a gate that stopped": {
			args: "report - --gate testdata/none.json --comment - --baseline " + file("meets"), stdin: verdict("misses"),
			out: "### ? The gate returned no result", errs: broken,
		},
		"a comment of nothing": {
			args: "report - --comment comment.md", code: cli.ExitUsage, errs: "--comment requires --baseline",
		},
		"a review and a comment on one stream": {
			args: "report - -o - --comment - --baseline " + file("meets"), stdin: verdict("misses"), code: cli.ExitUsage,
			errs: "only one of --output and --comment",
		},
		"a missing baseline": {
			args: "report - --baseline testdata/none.json", stdin: verdict("meets"), code: cli.ExitError, errs: "none.json",
		},
		"a baseline from standard input": {
			args: "report " + file("meets") + " --baseline -", stdin: verdict("misses"), out: better, errs: better,
		},
		"both from standard input": {
			args: "report - --baseline -", code: cli.ExitUsage, errs: "only one of the file and --baseline",
		},
		"worse than what": {args: "report - --fail-on worse", code: cli.ExitUsage, errs: "--fail-on worse requires --baseline"},
	})
}

func TestBaseline_titles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	state := func(name, word, address string) string {
		text := strings.Replace(verdict(word), "data.vsla_replication_estimate.gold", address, 1)
		file := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		return file
	}
	const (
		tier  = `module.branch.data.vsla_replication_estimate.tier[\"gold\"]`
		other = `data.vsla_replication_estimate.dr_site`
	)
	held, missed, gone := state("held", "meets", tier), state("missed", "misses", tier), state("gone", "meets", other)
	for name, test := range map[string]struct {
		args []string
		want []string
	}{
		"turned": {[]string{"--baseline", held}, []string{
			"1 promise no longer holds (tier gold, branch).", "- tier gold, branch: ", "| tier gold, branch | ✓ holds → ✕ does not",
		}},
		"gone": {[]string{"--baseline", gone}, []string{
			"1 new promise does not hold (tier gold, branch); 1 promise is no longer checked.", "- dr site: ",
		}},
		"a comment": {[]string{"--baseline", held, "--comment", "-"}, []string{
			"1 promise no longer holds (`module.branch.tier[\"gold\"]`).", "- **`module.branch.tier[\"gold\"]`** ",
		}},
	} {
		code, out, errs := run(t, "", append([]string{"report", missed}, test.args...)...)
		for _, want := range test.want {
			require.EqualValues(t, cli.ExitOK, code, "%v, %v", name, errs)
			assert.Contains(t, out, want, "%v, %v", name, errs)
		}
	}
}
