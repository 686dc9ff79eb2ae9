package difference_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/assess/document"
	"terraform-provider-vsla/internal/dev/hostile"
	"terraform-provider-vsla/internal/report/difference"
)

func at(r thing, address string) thing {
	r.address = address
	return r
}

func TestMatch_module(t *testing.T) {
	t.Parallel()
	const estimate, vm = "data.vsla_replication_estimate.x", "vsla_replication.x"
	replication := thing{address: "module.new." + vm, former: `module.old["a.b"].` + vm}
	before := state(tier(t, `module.old["a.b"].module.deep.`+estimate, 15, 901))
	after := planOf(tier(t, "module.new.module.deep."+estimate, 15, 440), replication)
	d := compared(t, before, after)
	if len(d.Results) != 1 || d.Results[0].VerdictChange != difference.VerdictWorse ||
		d.Results[0].FormerAddress != `module.old["a.b"].module.deep.`+estimate {
		t.Errorf("%+v", d.Results)
	}
}

// TestMatch_identity verifies that results are matched by unique arguments.
func TestMatch_identity(t *testing.T) {
	t.Parallel()
	const one, other = "data.vsla_replication_estimate.one", "data.vsla_replication_estimate.other"
	const third, fourth = "data.vsla_replication_estimate.third", "data.vsla_replication_estimate.fourth"
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
			state(tier(t, one, 15, 901), tier(t, third, 15, 901)),
			planOf(tier(t, other, 15, 901), tier(t, fourth, 15, 901)),
			map[string]difference.Category{
				one:    difference.Gone,
				third:  difference.Gone,
				other:  difference.Added,
				fourth: difference.Added,
			},
		},
	} {
		d := compared(t, test.before, test.after)
		got := map[string]difference.Category{}
		for _, i := range d.Results {
			got[i.Address] = i.Category
		}
		assert.Len(t, got, len(test.want), name)
		for address, category := range test.want {
			assert.Equal(t, category, got[address], name)
		}
	}
}

var update = flag.Bool("update", false, "write the golden files")

const (
	gold   = `data.vsla_replication_estimate.tier["gold"]`
	silver = `data.vsla_replication_estimate.tier["silver"]`
	bronze = `data.vsla_replication_estimate.tier["bronze"]`
)

// pairs returns the documents for the golden files. By the figures of tier, gold does not hold at 440 Mbit/s, is at
// risk at 901 Mbit/s, and holds at 1,802 Mbit/s.
func pairs(t *testing.T) map[string][2]world {
	t.Helper()
	at := func(mbps float64) thing { return tier(t, gold, 15, mbps) }
	calm := tier(t, silver, 60, 901)
	later := thing{
		address:  gold,
		deferred: true,
		unknown:  []string{"throughput_mbps", "verdict"},
		values: map[string]any{
			"vm_count":             15.0,
			"vm_size_gib":          100.0,
			"daily_change_percent": 5.0,
			"rpo_minutes":          15.0,
			"peak_factor":          wholeDay,
			"throughput_basis":     "transfer",
		},
	}
	larger := calculated(t, silver, map[string]any{
		"vm_count":             30.0,
		"vm_size_gib":          100.0,
		"daily_change_percent": 5.0,
		"throughput_mbps":      901.0,
		"rpo_minutes":          30.0,
		"peak_factor":          wholeDay / 2,
		"throughput_basis":     "transfer",
	})
	return map[string][2]world{
		"better":    {state(at(901), calm), planOf(at(1802), calm)},
		"worse":     {state(at(901), calm), planOf(at(440), calm)},
		"unknown":   {state(at(901), calm), planOf(later, calm)},
		"removed":   {state(at(901), calm), planOf(calm)},
		"unchanged": {state(at(901), calm), planOf(at(901), calm)},
		"mixed":     {state(at(901), calm), planOf(at(1802), larger, tier(t, bronze, 240, 901))},
	}
}

func TestGolden(t *testing.T) {
	t.Parallel()
	for name, pair := range pairs(t) {
		for ending, got := range forms(t, compared(t, pair[0], pair[1])) {
			if ending != ".md" && (name != "mixed" || ending != ".json") {
				continue
			}
			file := filepath.Join("testdata", name+ending+".golden")
			if *update {
				require.NoError(t, os.WriteFile(file, []byte(got), 0o600))
			}
			want, err := os.ReadFile(file)
			require.NoError(t, err)
			assert.Equal(t, string(want), got, file)
		}
	}
}

func many(t *testing.T) (before, after world) {
	t.Helper()
	before, after = state(), planOf()
	estimates := map[float64]thing{}
	for _, mbps := range []float64{440, 901, 1802} {
		estimates[mbps] = tier(t, gold, 15, mbps)
	}
	for n := range 500 {
		address := fmt.Sprintf(`module.site["berlin-%03d"].data.vsla_replication_estimate.`+
			`tier["production-databases"]`, n)
		mbps := []float64{440, 1802, 0, 901}[n%4]
		before.resources = append(before.resources, at(estimates[901], address))
		if mbps == 0 {
			values := map[string]any{"vm_count": 15.0, "rpo_minutes": 15.0}
			after.resources = append(after.resources, thing{address: address, values: values, deferred: true})
			continue
		}
		after.resources = append(after.resources, at(estimates[mbps], address))
	}
	return before, after
}

func TestLimit(t *testing.T) {
	t.Parallel()
	before, after := many(t)
	d := compared(t, before, after)
	for _, limit := range []int{limit, 32768, 8192} {
		text := d.Markdown(limit)
		assert.Less(t, len(text), limit)
		if !strings.HasPrefix(text, "## ✕ 125 results were at risk and now do not hold; "+
			"125 results are no longer known; 125 results now hold.\n") {
			t.Errorf("begins with %.120q", text)
		}
		// Each result is either listed in "Gets worse", "Not known", "Gets better" or "No change", or counted as
		// omitted.
		shown := strings.Count(text, "- **`module.site")
		left := 0
		for line := range strings.Lines(text) {
			var n int
			if _, err := fmt.Sscanf(strings.ReplaceAll(line, ",", ""), "%d lines omitted.", &n); err == nil {
				left += n
			}
		}
		figures := strings.Count(text, "| `module.site")
		// Each of the 500 results has a line in one of the lists, 250 results have a row in the table of figures, and
		// the 125 that are no longer known have one in the table of inputs.
		assert.Equal(t, 500+250+125, shown+figures+left, "%v, %v, %v", limit, shown+figures, left)
		assert.Contains(t, text, "Shortened to fit in a comment: ",
			"limit %d: the comment does not say that it is cut", limit)
	}
}

// TestMarkdown_withoutVerdict verifies that an unchanged result without a verdict has no empty line.
func TestMarkdown_withoutVerdict(t *testing.T) {
	t.Parallel()
	vms := thing{address: "data.vsla_virtual_machines.x", values: map[string]any{"vm_count": 2.0}}
	text := compared(t, state(tier(t, gold, 15, 901), vms), planOf(tier(t, gold, 15, 901), vms)).Markdown(limit)
	assert.Contains(t, text, "No change (1)")
}

func TestLimit_order(t *testing.T) {
	t.Parallel()
	before, after := many(t)
	text := compared(t, before, after).Markdown(32768)
	worse, rest, ok := strings.Cut(text, "### No longer known")
	if !ok || strings.Count(worse, "- **`module.site") != 125 || strings.Contains(worse, "omitted") ||
		!strings.Contains(rest, "omitted") {
		t.Errorf("%d of 125 lines of what gets worse", strings.Count(worse, "- **`module.site"))
	}
}

func TestActions(t *testing.T) {
	t.Parallel()
	before := state(tier(t, gold, 15, 901)).document(t)
	after, err := document.Read(strings.NewReader(`{"format_version": "1.2", "planned_values": {},
		"action_invocations": [
		{"address": "action.vsla_replication_pause.night[\"@team\"]", "type": "vsla_replication_pause",
		 "provider_name": "registry.terraform.io/evil/vsla",
		 "lifecycle_action_trigger": {"triggering_resource_address": "terraform_data.x",
			"action_trigger_event": "AfterCreate"}},
		{"address": "action.other.x", "type": "other"}],
		"deferred_action_invocations": [{"reason": "x", "action_invocation":
		{"address": "action.vsla_replication_resume.day", "type": "vsla_replication_resume"}}]}`))
	require.NoError(t, err)
	d := difference.New(before, after)
	text := d.Markdown(limit)
	for _, want := range []string{
		"; apply runs 2 actions.",
		"Apply runs 2 actions that the results do not cover: action.vsla\\_replication\\_pause.night",
		"AfterCreate of terraform\\_data.x", "resume.day, deferred.",
	} {
		assert.Contains(t, text, want)
	}
	if !d.Changed() || len(d.Actions) != 2 || strings.Contains(text, "@team") ||
		strings.Contains(text, "action.other") {
		t.Errorf("got %d actions, changed %t, in\n%s", len(d.Actions), d.Changed(), text)
	}
	none := difference.New(before, before)
	require.False(t, none.Changed(), "got %d actions without a plan, want none", len(none.Actions))
	assert.Empty(t, none.Actions)
}

func TestMarkdown_corpus(t *testing.T) {
	t.Parallel()
	for _, key := range hostile.Names() {
		address := `data.vsla_replication_estimate.tier["` + key + `"]`
		before, after := state(tier(t, address, 15, 901)), planOf(tier(t, address, 15, 440))
		d := difference.New(before.document(t), after.document(t))
		plan, err := json.Marshal(map[string]any{
			"format_version": "1.2",
			"planned_values": map[string]any{},
			"action_invocations": []any{map[string]any{
				"address": `action.vsla_replication_pause.x["` + key + `"]`,
				"type":    "vsla_replication_pause",
				"lifecycle_action_trigger": map[string]any{
					"triggering_resource_address": key,
					"action_trigger_event":        key,
				},
			}},
		})
		require.NoError(t, err)
		acts, err := document.Read(bytes.NewReader(plan))
		require.NoError(t, err)
		for _, text := range []string{d.Markdown(limit), difference.New(before.document(t), acts).Markdown(limit)} {
			assert.Empty(t, hostile.Effect(text), "%v, %v", key, text)
		}
	}
}

func TestErrored(t *testing.T) {
	t.Parallel()
	kept, silver := tier(t, gold, 60, 901), tier(t, gold, 60, 1)
	for name, worlds := range map[string][2]world{
		"no change":        {state(kept), planOf(kept)},
		"a verdict turns":  {state(kept), planOf(silver)},
		"a result is gone": {state(kept), planOf()},
	} {
		text := strings.NewReplacer(
			`"format_version":"1.2"`, `"errored":true,"format_version":"1.2"`,
		).Replace(string(worlds[1].json(t)))
		after, err := document.Read(strings.NewReader(text))
		require.NoError(t, err)
		comment := difference.New(worlds[0].document(t), after).Markdown(limit)
		first, rest, _ := strings.Cut(comment, "\n")
		assert.Regexp(t, "^#+ ✕ The plan ended with an error and cannot be applied", first, name)
		assert.Contains(t, rest, "The plan ended with an error. Results may be missing.", name)
	}
}
