package exposition_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/estate"
	"terraform-provider-vsla/internal/estate/audit"
	"terraform-provider-vsla/internal/estate/exposition"
	"terraform-provider-vsla/internal/plan/compliance"
	"terraform-provider-vsla/internal/vsphere"
)

var noon = time.Date(2026, 1, 5, 12, 0, 0, 0, time.UTC)

// snapshot returns n VMs of tier gold. Every second one is replicated and was synced i seconds before noon.
func snapshot(n int) exposition.Snapshot {
	tiers := map[string]compliance.Tier{"gold": {RPOMinutes: 15}}
	var vms []compliance.VM
	var replications []compliance.Replication
	last := make(map[string]time.Time)
	for i := range n {
		id := fmt.Sprintf("vm-%d", i)
		vms = append(vms, compliance.VM{ID: id, Name: fmt.Sprintf("a \"b\"\\\n%d", i), Tiers: []string{"gold"}, Found: true})
		if i%2 == 0 {
			replications = append(replications, compliance.Replication{
				ID: "r-" + id, VMID: id, RPOMinutes: 15, Status: "OK", ConfigurationState: "OK", Synced: true,
			})
			last[id] = noon.Add(-time.Duration(i) * time.Second)
		}
	}
	return exposition.Snapshot{
		Version: "1.2.3", VCenter: "vcenter.example", ReadAt: noon, Took: 1500 * time.Millisecond,
		Scope:  audit.Scope{PairingID: "p", Tiers: map[string]audit.Tier{"gold": {RPOMinutes: 15}}},
		Result: compliance.Judge(tiers, vms, replications), LastSyncs: last,
		Uncovered: audit.Uncovered{VMs: []vsphere.VMReference{{ID: "vm-x", Name: "forgotten\x1b[2J"}}},
	}
}

func parse(t *testing.T, s exposition.Snapshot) map[string]*dto.MetricFamily {
	t.Helper()
	var text strings.Builder
	require.NoError(t, s.WriteOpenMetrics(&text))
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(text.String()))
	if err != nil {
		t.Fatalf("%v in\n%s", err, text.String())
	}
	return families
}

func count(families map[string]*dto.MetricFamily) int {
	n := 0
	for _, f := range families {
		n += len(f.GetMetric())
	}
	return n
}

// TestOpenMetrics_cardinality checks that the number of series does not depend on the number of VMs, unless
// requested: then each VM adds its verdict and its last sync, if any.
func TestOpenMetrics_cardinality(t *testing.T) {
	t.Parallel()
	few, many := count(parse(t, snapshot(10))), count(parse(t, snapshot(10_000)))
	if few != many || few != 14+4+2+10 {
		t.Errorf("%d series of 10 VMs, %d of 10,000", few, many)
	}
	each := snapshot(10)
	each.PerVM = true
	if got := count(parse(t, each)); got != few+10+5+1 {
		t.Errorf("%d series with those of VMs, want %d", got, few+10+5+1)
	}
}

// TestOpenMetrics_escapes checks that a name with quotes, a backslash and a line break is preserved.
func TestOpenMetrics_escapes(t *testing.T) {
	t.Parallel()
	s := snapshot(1)
	s.PerVM = true
	for _, l := range parse(t, s)["vsla_vm_verdict_info"].GetMetric()[0].GetLabel() {
		if l.GetName() == "vm" && l.GetValue() != "a \"b\"\\\n0" {
			t.Errorf("got %q", l.GetValue())
		}
	}
}

// TestOpenMetrics_oldestSync checks the VM with the oldest sync, and VMs without any.
func TestOpenMetrics_oldestSync(t *testing.T) {
	t.Parallel()
	const name = "vsla_tier_oldest_sync_timestamp_seconds"
	got := parse(t, snapshot(10))[name].GetMetric()[0].GetGauge().GetValue()
	if want := float64(noon.Unix() - 8); got != want { // VM 8 is the last of the even ones
		t.Errorf("got %v, want %v", got, want)
	}
	never := snapshot(10)
	never.LastSyncs = nil
	if _, ok := parse(t, never)[name]; ok {
		t.Error("there is one without a sync")
	}
}

// TestBroken checks that an estate without VMs in tiers counts as broken.
func TestBroken(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]bool{0: true, 1: false, 2: true} {
		if got := snapshot(n).Broken(); got != want {
			t.Errorf("%d VMs: %v", n, got)
		}
	}
}

// TestUnproven checks that the compliance is unknown if the account cannot read every VM.
func TestUnproven(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{1: "null", 2: "false"} {
		s := snapshot(n)
		s.Uncovered.Unproven = "it lacks System.Read"
		var text strings.Builder
		require.NoError(t, s.WriteJSON(&text))
		var got struct {
			Compliant json.RawMessage `json:"compliant"`
		}
		if err := json.Unmarshal([]byte(text.String()), &got); err != nil || string(got.Compliant) != want {
			t.Errorf("%d VMs: got compliant %s, %v, want %s", n, got.Compliant, err, want)
		}
		kept := parse(t, s)["vsla_compliance_kept"].GetMetric()[0].GetGauge().GetValue()
		if !s.Broken() || kept != 0 {
			t.Errorf("%d VMs: got broken %t and kept %g, want true and 0", n, s.Broken(), kept)
		}
	}
}

// TestText_controlCharacters checks that names cannot control a terminal or break a line.
func TestText_controlCharacters(t *testing.T) {
	t.Parallel()
	s := snapshot(1)
	s.PerVM = true
	var text strings.Builder
	require.NoError(t, s.WriteText(&text))
	if strings.Contains(text.String(), "\x1b") || !strings.Contains(text.String(), `a "b"\ 0 (vm-0), gold: compliant.`) {
		t.Errorf("got %q", text.String())
	}
}

// TestJSON_withoutVMs checks that empty lists are [] instead of null.
func TestJSON_withoutVMs(t *testing.T) {
	t.Parallel()
	s := snapshot(0)
	s.Uncovered = audit.Uncovered{}
	var text strings.Builder
	require.NoError(t, s.WriteJSON(&text))
	var got map[string]any
	require.NoError(t, json.Unmarshal([]byte(text.String()), &got))
	for _, name := range []string{"unprotected", "uncovered", "templates", "orphaned_replication_ids"} {
		if list, ok := got[name].([]any); !ok || len(list) != 0 {
			t.Errorf("%s is %v", name, got[name])
		}
	}
	if _, ok := got["virtual_machines"]; ok {
		t.Error("there are VMs without --per-vm")
	}
}

// TestExamples checks that rules, their tests, dashboard and guide use existing metrics with their labels, that the
// guide names each, and that the command can read the example file.
func TestExamples(t *testing.T) {
	t.Parallel()
	s := snapshot(2)
	s.PerVM = true
	families := parse(t, s)
	root := filepath.Join("..", "..", "..")
	metric := regexp.MustCompile(`\bvsla_[a-z_]+\b`)
	notMetrics := []string{"vsla_sla_compliance"}
	read := func(name string) string {
		t.Helper()
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		require.NoError(t, err)
		return string(text)
	}
	const guide = "templates/guides/monitoring.md"
	files := []string{
		"examples/monitoring/alerts.yaml", "examples/monitoring/alerts_test.yaml",
		"examples/monitoring/dashboard.json", guide,
	}
	for _, name := range files {
		found := metric.FindAllString(read(name), -1)
		if len(found) < 5 {
			t.Errorf("%s has %d metrics only", name, len(found))
		}
		for _, m := range found {
			if families[m] == nil && !slices.Contains(notMetrics, m) {
				t.Errorf("%s has %s, which is no metric", name, m)
			}
		}
	}
	for name := range families {
		if !strings.Contains(read(guide), "`"+name+"`") {
			t.Errorf("the guide lacks %s", name)
		}
	}
	for _, alert := range regexp.MustCompile(`alert: (\w+)`).FindAllStringSubmatch(read(files[0]), -1) {
		if !strings.Contains(read(guide), "`"+alert[1]+"`") || !strings.Contains(read(files[1]), alert[1]) {
			t.Errorf("guide or tests lack the alert %s", alert[1])
		}
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
	if err := json.Unmarshal([]byte(read(files[2])), &dashboard); err != nil || len(dashboard.Panels) == 0 {
		t.Fatalf("%d panels, %v", len(dashboard.Panels), err)
	}
	for i, p := range dashboard.Panels {
		if p.ID != i+1 || p.Title == "" || len(p.Targets) == 0 || !metric.MatchString(p.Targets[0].Expr) {
			t.Errorf("panel %d: %+v", i, p)
		}
	}
	file, err := estate.ReadCompliance("compliance.yaml", strings.NewReader(read("examples/monitoring/compliance.yaml")))
	gold := estate.PromisedTier{Name: "gold", Tag: "gold", RPOMinutes: 15}
	if err != nil || len(file.Tiers) != 2 || file.Tiers[0] != gold {
		t.Errorf("got %+v, %v, want two tiers, gold first", file, err)
	}
}
