package difference_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/report/difference"
)

var update = flag.Bool("update", false, "write the golden files")

const (
	gold   = `data.vsla_replication_estimate.tier["gold"]`
	silver = `data.vsla_replication_estimate.tier["silver"]`
	bronze = `data.vsla_replication_estimate.tier["bronze"]`
)

// replication is a replicated VM.
func replication(name string, rpoMinutes float64) thing {
	return managed(`vsla_replication.vm["`+name+`"]`, map[string]any{
		"id": "pair/" + name, "vm_id": "VirtualMachine:" + name, "pairing_id": "pair", "rpo_minutes": rpoMinutes,
		"target_datastore_id": "Datastore:ds-1", "quiesce_guest": false,
	})
}

func tagged(name string, ids ...any) thing {
	return managed(`vsla_tag_association.tier["`+name+`"]`, map[string]any{
		"id": "urn:" + name + "/VirtualMachine", "tag_id": "urn:" + name, "object_type": "VirtualMachine",
		"object_ids": ids, "ownership": "additive",
	})
}

func tag(name string, actions ...string) thing {
	return managed(`vsla_tag.tier["`+name+`"]`, map[string]any{
		"id": "urn:" + name, "name": name, "category_id": "urn:sla", "description": "",
	}, actions...)
}

// at returns a thing that a plan changes.
func (r thing) at(actions ...string) thing {
	r.actions = actions
	return r
}

// pairs are the documents of the golden files. A cycle of gold carries 644,245,094,400 bit: 715 s at 901 Mbit/s, which
// is within its RPO of 900 s and not within half of it; 1,464 s at 440; 358 s at 1,802, within half.
func pairs(t *testing.T) map[string][2]world {
	t.Helper()
	at := func(mbps float64) thing { return tier(t, gold, 15, mbps) }
	calm := tier(t, silver, 60, 901)
	later := thing{
		address: gold, deferred: true, unknown: []string{"throughput_mbps", "verdict"},
		values: map[string]any{"vm_count": 15.0, "vm_size_gib": 100.0, "daily_change_percent": 5.0, "rpo_minutes": 15.0},
	}
	larger := calculated(t, silver, map[string]any{
		"vm_count": 30.0, "vm_size_gib": 100.0, "daily_change_percent": 5.0, "throughput_mbps": 901.0, "rpo_minutes": 30.0,
	})
	return map[string][2]world{
		"better":    {state(at(901), calm), planOf(at(1802), calm)},
		"worse":     {state(at(901), calm), planOf(at(440), calm)},
		"unknown":   {state(at(901), calm), planOf(later, calm)},
		"removed":   {state(at(901), calm, replication("vm-1", 15)), planOf(calm, replication("vm-1", 15).at("delete"))},
		"unchanged": {state(at(901), calm, tag("gold")), planOf(at(901), calm, tag("gold"))},
		"mixed": {
			state(at(901), calm, tag("gold"), tag("old"), tagged("gold", "vm-1", "vm-2"),
				replication("vm-1", 15), replication("vm-2", 15), replication("vm-4", 15)),
			planOf(at(1802), larger, tier(t, bronze, 240, 901), tag("gold"), tag("old").at("delete"), tag("bronze", "create"),
				tagged("gold", "vm-2", "vm-3", "vm-4").at("update"),
				replication("vm-1", 5).at("update"), replication("vm-2", 15).at("delete", "create"),
				replication("vm-3", 15).at("create"), replication("vm-4", 15).at("forget")),
		},
	}
}

// TestGolden compares each form of the difference with the file of its name.
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

// TestGolden_sameBytes: the same documents result in the same bytes.
func TestGolden_sameBytes(t *testing.T) {
	t.Parallel()
	for name, pair := range pairs(t) {
		write := func() map[string]string { return forms(t, compared(t, pair[0], pair[1])) }
		assert.Equal(t, write(), write(), "%s is different the second time", name)
	}
}

// TestOutcome: the decisive line, and what it means for a gate.
func TestOutcome(t *testing.T) {
	t.Parallel()
	const gold, silver = "`tier[\"gold\"]`", "`tier[\"silver\"]`"
	for name, want := range map[string]struct {
		outcome difference.Outcome
		line    string
		worse   bool
	}{
		"better":    {difference.Better, "## ✓ 1 promise now holds (" + gold + ").", false},
		"worse":     {difference.Worse, "## ✕ 1 promise no longer holds (" + gold + ").", true},
		"unknown":   {difference.Unclear, "## ? 1 promise is not known before apply (" + gold + ").", false},
		"removed":   {difference.Removed, `## \! 1 promise is no longer checked (` + gold + ").", true},
		"unchanged": {difference.Same, "## No verdict changes: 1 is still at risk, 1 holds.", false},
		// Silver: 30 VMs carry 150 GiB in 1,430 s, more than half of 30 minutes.
		"mixed": {
			difference.Mixed,
			"## ! 1 promise is now at risk (" + silver + "); 1 promise now holds; 1 new promise holds.", true,
		},
	} {
		pair := pairs(t)[name]
		d := compared(t, pair[0], pair[1])
		line, _, _ := strings.Cut(d.Markdown(limit), "\n")
		if d.Outcome != want.outcome || strings.Replace(line, `\!`, "!", 1) != strings.Replace(want.line, `\!`, "!", 1) ||
			d.GetsWorse() != want.worse {
			t.Errorf("%s: %s, %q, worse %t", name, d.Outcome, line, d.GetsWorse())
		}
	}
}

// TestTurned: the sentence states why: the reason of the calculator with its numbers, and the input that changed.
func TestTurned(t *testing.T) {
	t.Parallel()
	for name, says := range map[string][]string{
		"worse":  {"One cycle's changes take 24m 25s to send, longer than the RPO of 15 minutes", "throughput 901 Mbit/s → 440 Mbit/s"},
		"better": {"No longer true: One cycle's changes take 11m 56s to send, longer than half the RPO", "901 Mbit/s → 1,802 Mbit/s"},
	} {
		pair := pairs(t)[name]
		got := result(t, compared(t, pair[0], pair[1]), gold).Sentence
		for _, text := range says {
			assert.Contains(t, got, text, name)
		}
	}
}
