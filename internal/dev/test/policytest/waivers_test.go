// Waivers: for a time, for one code, approved by somebody else.

package policytest_test

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"terraform-provider-vsla/internal/dev/terraformcli"
)

const tier = "data.vsla_replication_estimate.tier"

// granted is a waiver that is in order on 21 November 2026.
var granted = document{
	"name": "second link", "address": tier, "code": "at_risk", "reason": "the second link is ordered",
	"approved_by": "capacity-board", "expires": "2026-12-31",
}

// waiverRun is a plan with a waiver: changes of the waiver, of the settings and of what the pipeline says.
type waiverRun struct {
	name           string
	waiver, gate   document
	today, author  string
	denied, warned []string
}

var waiverRuns = []waiverRun{
	{name: "granted", today: "2026-11-21", warned: []string{"at_risk"}},
	{name: "last day", today: "2026-12-31", warned: []string{"at_risk"}},
	{name: "day after", today: "2027-01-01", denied: []string{"at_risk"}, warned: []string{"waiver"}},
	{name: "no day", today: "someday", denied: []string{"at_risk", "settings"}},
	{
		name:   "null days",
		today:  "2026-11-21",
		gate:   document{"max_waiver_days": nil},
		denied: []string{"settings"},
		warned: []string{"at_risk"},
	},
	// 40 days from 21 November are 31 December.
	{name: "as long as allowed", today: "2026-11-21", gate: document{"max_waiver_days": 40}, warned: []string{"at_risk"}},
	{
		name:   "a day longer",
		today:  "2026-11-21",
		gate:   document{"max_waiver_days": 39},
		denied: []string{"at_risk", "settings"},
	},
	{
		name:   "until 2099",
		today:  "2026-11-21",
		waiver: document{"expires": "2099-12-31"},
		denied: []string{"at_risk", "settings"},
	},
	{
		name: "until 2099, allowed for as long", today: "2026-11-21", waiver: document{"expires": "2099-12-31"},
		gate: document{"max_waiver_days": 36500}, denied: []string{"at_risk", "settings"},
	},
	{
		name:   "nobody may approve",
		today:  "2026-11-21",
		gate:   document{"approvers": []any{}},
		denied: []string{"at_risk", "settings"},
	},
	{
		name:   "approved by a stranger",
		today:  "2026-11-21",
		waiver: document{"approved_by": "alice"},
		denied: []string{"at_risk", "settings"},
	},
	{
		name:   "approved by its author",
		today:  "2026-11-21",
		author: "Capacity-Board",
		denied: []string{"at_risk", "settings"},
	},
	{name: "written by somebody else", today: "2026-11-21", author: "alice", warned: []string{"at_risk"}},
	{name: "on main", today: "2026-11-21", author: "none", warned: []string{"at_risk"}},
	{
		name:   "for a missed RPO",
		today:  "2026-11-21",
		waiver: document{"code": "rpo_missed"},
		denied: []string{"at_risk", "settings"},
	},
	{
		name:   "misspelt code",
		today:  "2026-11-21",
		waiver: document{"code": "at-risk"},
		denied: []string{"at_risk", "settings"},
	},
	{
		name:   "for another address",
		today:  "2026-11-21",
		waiver: document{"address": "data.vsla_vmotion_estimate.move"},
		denied: []string{"at_risk"},
		warned: []string{"waiver"},
	},
}

// TestGate_waivers runs the same plan with waivers of every kind.
func TestGate_waivers(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, cli terraformcli.CLI) {
		t.Helper()
		f := bare(t, cli)
		plans := map[string]document{"at risk": f.plan(t, 0, isAtRisk...), "good": f.plan(t, 0)}
		for _, run := range waiverRuns {
			got := run.ask(t, plans)["at risk"]
			if !slices.Equal(got.codes(), append([]string{}, run.denied...)) {
				t.Errorf("%s: denied %q, want %v", run.name, got.denied, run.denied)
			}
			if warned := codesOf(bounded(got.warned)); !slices.Equal(warned, append([]string{}, run.warned...)) {
				t.Errorf("%s: warned of %q, want %v", run.name, got.warned, run.warned)
			}
		}
		notNeeded := waiverRuns[0].ask(t, plans)["good"]
		if len(notNeeded.denied) > 0 || !slices.Equal(bounded(notNeeded.warned), []string{"waiver " + tier}) {
			t.Errorf("a waiver that is not needed: %+v", notNeeded)
		}
	})
}

// bounded leaves out the warnings of inputs without bounds, which the settings of this test do not have.
func bounded(warned []string) []string {
	return slices.DeleteFunc(slices.Clone(warned), func(w string) bool { return strings.HasPrefix(w, "unbounded ") })
}

func (run waiverRun) ask(t *testing.T, plans map[string]document) map[string]answer {
	t.Helper()
	waiver := maps.Clone(granted)
	maps.Copy(waiver, run.waiver)
	gate := document{"approvers": []any{"capacity-board"}, "today": run.today, "waivers": []any{waiver}}
	maps.Copy(gate, run.gate)
	switch run.author {
	case "":
	case "none":
		gate["author"] = ""
	default:
		gate["author"] = run.author
	}
	file := filepath.Join(t.TempDir(), "waivers.json")
	write(t, file, document{"gate": gate})
	return ask(t, plans, settings, file)
}

// TestGate_codes reads the messages: each names its code, and says whether a waiver can name it.
func TestGate_codes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "plan.json")
	for name, run := range map[string]struct {
		args []string
		says string
	}{
		"at risk": {isAtRisk, "(code at_risk; a waiver can name it)"},
		"missed":  {missesRPO, "(code rpo_missed; cannot be waived)"},
	} {
		write(t, file, bare(t, first(t)).plan(t, 0, run.args...))
		out, passed := conftestTool.run(t, "test", "--no-color", "--policy="+kit, "--data="+settings, file)
		if passed || !strings.Contains(out, run.says) {
			t.Errorf("%s: passed %t, and does not say %q:\n%s", name, passed, run.says, out)
		}
	}
}
