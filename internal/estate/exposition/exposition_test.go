package exposition_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/estate"
	"terraform-provider-vsla/internal/estate/audit"
	"terraform-provider-vsla/internal/estate/exposition"
	"terraform-provider-vsla/internal/plan/compliance"
	"terraform-provider-vsla/internal/vsphere"
)

var noon = time.Date(2026, 1, 5, 12, 0, 0, 0, time.UTC)

// newSnapshot returns n VMs in tier gold. VMs with an even number i are replicated and were last synced i seconds
// before noon.
func newSnapshot(n int) exposition.Snapshot {
	tiers := map[string]compliance.Tier{"gold": {RPOMinutes: 15}}
	var vms []compliance.VM
	var replications []compliance.Replication
	last := make(map[string]time.Time)
	for i := range n {
		id := fmt.Sprintf("vm-%d", i)
		vms = append(vms,
			compliance.VM{ID: id, Name: fmt.Sprintf("a \"b\"\\\n%d", i), Tiers: []string{"gold"}, Found: true})
		if i%2 == 0 {
			replications = append(replications, compliance.Replication{
				ID:                 "r-" + id,
				VMID:               id,
				RPOMinutes:         15,
				Status:             "OK",
				ConfigurationState: "OK",
				Synced:             true,
			})
			last[id] = noon.Add(-time.Duration(i) * time.Second)
		}
	}
	return exposition.Snapshot{
		Version:      "1.2.3",
		VCenter:      "vcenter.example",
		ReadAt:       noon,
		ReadDuration: 1500 * time.Millisecond,
		Scope:        audit.Scope{PairingID: "p", Tiers: map[string]audit.Tier{"gold": {RPOMinutes: 15}}},
		Result:       compliance.Judge(tiers, vms, replications),
		LastSyncs:    last,
		Uncovered:    audit.Uncovered{VMs: []vsphere.VMReference{{ID: "vm-x", Name: "forgotten\x1b[2J"}}},
	}
}

func parse(t *testing.T, s exposition.Snapshot) map[string]*dto.MetricFamily {
	t.Helper()
	var text strings.Builder
	require.NoError(t, s.WriteOpenMetrics(&text))
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(text.String()))
	require.NoError(t, err, text.String())
	return families
}

func sampleCount(families map[string]*dto.MetricFamily) int {
	n := 0
	for _, f := range families {
		n += len(f.GetMetric())
	}
	return n
}

// TestOpenMetrics_cardinality checks that the number of series does not depend on the number of VMs unless PerVM is
// set. With PerVM, each VM adds a series for its verdict and, if it has been synced, another for its last sync.
func TestOpenMetrics_cardinality(t *testing.T) {
	t.Parallel()
	few := sampleCount(parse(t, newSnapshot(10)))
	many := sampleCount(parse(t, newSnapshot(10_000)))
	require.Equal(t, many, few)
	assert.Equal(t, 14+4+2+10, few)
	each := newSnapshot(10)
	each.PerVM = true
	assert.Equal(t, few+10+5+1, sampleCount(parse(t, each)))
}

func TestOpenMetrics_escapes(t *testing.T) {
	t.Parallel()
	s := newSnapshot(1)
	s.PerVM = true
	for _, l := range parse(t, s)["vsla_vm_verdict_info"].GetMetric()[0].GetLabel() {
		if l.GetName() == "vm" {
			assert.Equal(t, "a \"b\"\\\n0", l.GetValue())
		}
	}
}

func TestOpenMetrics_oldestSync(t *testing.T) {
	t.Parallel()
	const name = "vsla_tier_oldest_sync_timestamp_seconds"
	got := parse(t, newSnapshot(10))[name].GetMetric()[0].GetGauge().GetValue()
	if want := float64(noon.Unix() - 8); got != want { // VM 8 has the oldest sync
		t.Errorf("got %v, want %v", got, want)
	}
	never := newSnapshot(10)
	never.LastSyncs = nil
	_, ok := parse(t, never)[name]
	assert.False(t, ok, "there is one without a sync")
}

func TestIsBroken(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]bool{0: true, 1: false, 2: true} {
		assert.Equal(t, want, newSnapshot(n).IsBroken(), "%+v", n)
	}
}

func TestUnproven(t *testing.T) {
	t.Parallel()
	for _, n := range []int{1, 2} {
		s := newSnapshot(n)
		s.Uncovered.UnprovenReason = "it lacks System.Read"
		assert.True(t, s.IsBroken(), n)
		assert.Zero(t, parse(t, s)["vsla_compliance_kept"].GetMetric()[0].GetGauge().GetValue(), n)
	}
}

func TestText_controlCharacters(t *testing.T) {
	t.Parallel()
	s := newSnapshot(1)
	s.PerVM = true
	var text strings.Builder
	require.NoError(t, s.WriteText(&text))
	require.NotContains(t, text.String(), "\x1b")
	assert.Contains(t, text.String(), `a "b"\ 0 (vm-0), gold: compliant.`)
}

func TestExamples(t *testing.T) {
	t.Parallel()
	s := newSnapshot(2)
	s.PerVM = true
	families := parse(t, s)
	root := filepath.Join("..", "..", "..")
	metric := regexp.MustCompile(`\bvsla_[a-z_]+\b`)
	notMetrics := []string{"vsla_sla_compliance"}
	const guide = "templates/guides/sla-compliance.md"
	read := func(name string) string {
		t.Helper()
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		require.NoError(t, err)
		if name == guide {
			_, text, _ = bytes.Cut(text, []byte("\n## In Prometheus\n"))
		}
		return string(text)
	}
	files := []string{
		"examples/monitoring/alerts.yaml", "examples/monitoring/alerts_test.yaml",
		"examples/monitoring/dashboard.json", guide,
	}
	for _, name := range files {
		found := metric.FindAllString(read(name), -1)
		assert.GreaterOrEqual(t, len(found), 5, name)
		for _, m := range found {
			if families[m] == nil {
				assert.Contains(t, notMetrics, m)
			}
		}
	}
	for name := range families {
		assert.Contains(t, read(guide), "`"+name+"`")
	}
	for _, alert := range regexp.MustCompile(`alert: (\w+)`).FindAllStringSubmatch(read(files[0]), -1) {
		require.Contains(t, read(guide), "`"+alert[1]+"`")
		assert.Contains(t, read(files[1]), alert[1])
	}
	var dashboard struct {
		Panels []struct {
			ID      int    `json:"id"`
			Title   string `json:"title"`
			Targets []struct {
				Expr string `json:"expr"`
			} `json:"targets"`
		} `json:"panels"`
	}
	require.NoError(t, json.Unmarshal([]byte(read(files[2])), &dashboard))
	require.NotEmpty(t, dashboard.Panels)
	for i, p := range dashboard.Panels {
		assert.Equal(t, i+1, p.ID)
		assert.NotEmpty(t, p.Title)
		require.NotEmpty(t, p.Targets, p.Title)
		assert.Regexp(t, metric, p.Targets[0].Expr)
	}
	file, err := estate.ReadCompliance("compliance.yaml",
		strings.NewReader(read("examples/monitoring/compliance.yaml")))
	gold := estate.PromisedTier{Name: "gold", Tag: "gold", RPOMinutes: 15}
	require.NoError(t, err)
	require.Len(t, file.Tiers, 2)
	assert.Equal(t, gold, file.Tiers[0])
}
