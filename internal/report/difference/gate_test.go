package difference_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/report/difference"
)

const refused = `[{"filename": "tfplan.json", "namespace": "main", "successes": 1,
  "warnings": [{"msg": "waived by \"second link\""}],
  "failures": [
    {"msg": "check.promises did not pass", "metadata": {"code": "check_failed"}},
    {"msg": "data.vsla_sla_plan.estate has links[\"metro\"].throughput_mbps = 1e+12", "metadata": {"code": "input_out_of_bounds"}},
    {"msg": "data.vsla_sla_plan.estate breaks the promise of tier gold", "metadata": {"code": "rpo_missed"}}
  ]}]`

// TestGate: the answer of the gate follows the headline, promises first and what follows from them last.
func TestGate(t *testing.T) {
	t.Parallel()
	at901 := state(tier(t, gold, 60, 901))
	d := compared(t, at901, at901)
	gate, err := difference.ReadGate(strings.NewReader(refused))
	require.NoError(t, err)
	d.Gate = gate
	text, at := d.Markdown(65536), 0
	for _, want := range []string{
		"## No verdict changes", "### ✕ The gate refuses: 3 findings\n\n", "breaks the promise of tier gold\n",
		`has links\["metro"\]`, "\nWhat follows:\n\n- check.promises did not pass\n",
		"<details><summary>Warnings of the gate (1)</summary>\n\n- waived by",
	} {
		i := strings.Index(text[at:], want)
		require.GreaterOrEqual(t, i, 0, "no %q after %d in\n%s", want, at, text)
		at += i
	}
	d.Gate, err = difference.ReadGate(strings.NewReader(`[{"successes": 2}]`))
	require.NoError(t, err)
	assert.Contains(t, d.Markdown(65536), "### ✓ The gate passes\n")
}

// TestGate_noAnswer: no rule applied is no answer.
func TestGate_noAnswer(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "{}", "[]", `[{"filename": "x", "successes": 0}]`, "FAIL - tfplan.json"} {
		g, err := difference.ReadGate(strings.NewReader(text))
		assert.Error(t, err, "%q is read as %+v, want an error", text, g)
	}
}

// promised is a plan of promises to 10 VMs of 100 GiB, of which 10 % changes in a day: 1,000 GiB are 100 GiB a day, 9.9
// Mbit/s.
func promised(t *testing.T, mbps float64) thing {
	t.Helper()
	return calculated(t, `data.vsla_sla_plan.estate`, map[string]any{
		"links": map[string]any{"metro": map[string]any{"throughput_mbps": mbps}},
		"tiers": map[string]any{"gold": map[string]any{
			"vm_count": 10.0, "vm_size_gib": 100.0, "daily_change_percent": 10.0, "rpo_minutes": 60.0,
		}},
	})
}

// TestPromises: each promise is a row with its verdict on both sides and the reserve of its link, and names are not
// escaped in the headline.
func TestPromises(t *testing.T) {
	t.Parallel()
	d := compared(t, state(promised(t, 1000)), state(promised(t, 5)))
	text := d.Markdown(limit)
	for _, want := range []string{
		"## ✕ 1 promise no longer holds (`gold`).\n",
		"### Promises\n\n| Promise | Before | After | Reserve of its link |\n| --- | --- | --- | --- |\n| `gold` | ✓ holds | ✕ does not hold | ",
		" too little |\n",
	} {
		assert.Contains(t, text, want)
	}
	key := tier(t, `data.vsla_replication_estimate.tier["gold"]`, 15, 440)
	before := tier(t, `data.vsla_replication_estimate.tier["gold"]`, 15, 1802)
	if text := compared(t, state(before), state(key)).Markdown(limit); !strings.HasPrefix(
		text, "## ✕ 1 promise no longer holds (`tier[\"gold\"]`).\n") {
		t.Errorf("a name is escaped:\n%s", text)
	}
}
