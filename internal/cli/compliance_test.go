package cli_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"

	"terraform-provider-vsla/internal/cli"
	"terraform-provider-vsla/internal/dev/lab/fault"
)

// checkMetrics has promtool check metrics, where make test-metrics has built it.
func checkMetrics(t *testing.T, metrics string) {
	t.Helper()
	promtool := os.Getenv("VSLA_TEST_PROMTOOL")
	if promtool == "" {
		return
	}
	check := exec.CommandContext(t.Context(), promtool, "check", "metrics")
	check.Stdin = strings.NewReader(metrics)
	if said, err := check.CombinedOutput(); err != nil || len(said) > 0 {
		t.Errorf("promtool: %v\n%s", err, said)
	}
}

// TestCompliance_openmetrics: every number of an estate, all of it gauges with help and unit, and an end.
func TestCompliance_openmetrics(t *testing.T) {
	t.Parallel()
	w := watch(t)
	code, out, errs := w.run(t, "--format", "openmetrics")
	if code != cli.ExitOK || errs != "" || !strings.HasSuffix(out, "\n# EOF\n") {
		t.Fatalf("exits with %d, %s\n%s", code, errs, out)
	}
	checkMetrics(t, out)
	families, got := series(t, out)
	for name, f := range families {
		if f.GetHelp() == "" || f.GetType() != dto.MetricType_GAUGE ||
			strings.HasSuffix(name, "_seconds") != strings.Contains(out, "# UNIT "+name+" seconds\n") {
			t.Errorf("%s lacks help, type or unit", name)
		}
	}
	host := strings.TrimPrefix(w.protected.URL(), "https://")
	want := map[string]float64{
		"vsla_compliance_info{pairing_id=" + w.PairingID() + ",vcenter=" + host + ",version=1.2.3}": 1,
		"vsla_compliance_read_timestamp_seconds{}":                                                  float64(w.Now().Unix()),
		"vsla_compliance_read_duration_seconds{}":                                                   0,
		"vsla_compliance_kept{}":                                                                    0,
		"vsla_tier_promised_rpo_seconds{tier=gold}":                                                 900,
		"vsla_tier_promised_rpo_seconds{tier=silver}":                                               3600,
		"vsla_tier_vms{tier=gold,verdict=compliant}":                                                1,
		"vsla_tier_vms{tier=gold,verdict=paused}":                                                   1,
		"vsla_tier_vms{tier=gold,verdict=unprotected}":                                              1,
		"vsla_tier_vms{tier=silver,verdict=compliant}":                                              1,
		"vsla_tier_fault_vms{fault=unprotected,tier=gold}":                                          2,
		"vsla_tier_fault_vms{fault=in_violation,tier=gold}":                                         0,
		"vsla_tier_oldest_sync_timestamp_seconds{tier=gold}":                                        w.oldest(0, 1),
		"vsla_tier_oldest_sync_timestamp_seconds{tier=silver}":                                      w.oldest(3),
		"vsla_uncovered_vms{}":                                                                      4,
		"vsla_uncovered_unknown_vms{}":                                                              0,
		"vsla_replicated_elsewhere_vms{}":                                                           1,
		"vsla_untagged_replicated_vms{}":                                                            1,
		"vsla_tagged_templates{}":                                                                   0,
		"vsla_orphaned_replications{}":                                                              0,
	}
	for name, value := range want {
		if v, ok := got[name]; !ok || v != value {
			t.Errorf("%s is %v (%v), want %v", name, v, ok, value)
		}
	}
	// 14 verdicts, 4 faults, RPO and oldest sync of 2 tiers, and 10 of the whole: without regard to the number of VMs.
	if want := 2*(14+4+2) + 10; len(got) != want {
		t.Errorf("got %d series, want %d", len(got), want)
	}
	for n := 4; n < 7; n++ {
		w.tag(t, w.gold, n)
	}
	_, out, _ = w.run(t, "--format", "openmetrics")
	if _, more := series(t, out); len(more) != len(got) || more["vsla_tier_vms{tier=gold,verdict=unprotected}"] != 4 {
		t.Errorf("%d series with more VMs: %v", len(more), more)
	}
	_, out, _ = w.run(t, "--format", "openmetrics", "--per-vm")
	_, each := series(t, out)
	if verdict := "vsla_vm_verdict_info{tier=gold,verdict=paused,vm=" + w.protected.VMs()[1].Name + ",vm_id=" + w.id(1) +
		"}"; each[verdict] != 1 {
		t.Errorf("%s is missing in %v", verdict, each)
	}
}

// TestCompliance_json has the names of the data source.
func TestCompliance_json(t *testing.T) {
	t.Parallel()
	w := watch(t)
	code, out, errs := w.run(t, "--format", "json", "--per-vm")
	var got struct {
		Compliant bool   `json:"compliant"`
		Summary   string `json:"summary"`
		VMCount   int    `json:"vm_count"`
		Tiers     map[string]struct {
			RPO      int            `json:"promised_rpo_minutes"`
			Verdicts map[string]int `json:"verdicts"`
		} `json:"tiers"`
		Unprotected []string                  `json:"unprotected"`
		Uncovered   []map[string]string       `json:"uncovered"`
		VMs         map[string]map[string]any `json:"virtual_machines"`
		ReadAt      time.Time                 `json:"read_at"`
	}
	if err := json.Unmarshal([]byte(out), &got); err != nil || code != cli.ExitOK || errs != "" {
		t.Fatalf("exits with %d, %v, %s\n%s", code, err, errs, out)
	}
	if got.Compliant || got.VMCount != 4 || got.Tiers["gold"].RPO != 15 || got.Tiers["gold"].Verdicts["paused"] != 1 ||
		len(got.Uncovered) != 4 || !got.ReadAt.Equal(w.Now()) || len(got.VMs) != 4 {
		t.Errorf("got %+v", got)
	}
	unprotected := []string{w.id(1), w.id(2)}
	slices.Sort(unprotected)
	if !slices.Equal(got.Unprotected, unprotected) || got.VMs[w.id(1)]["verdict"] != "paused" {
		t.Errorf("unprotected %v, want %v; %v", got.Unprotected, unprotected, got.VMs[w.id(1)])
	}
}

// TestCompliance_text is the default.
func TestCompliance_text(t *testing.T) {
	t.Parallel()
	w := watch(t)
	code, out, errs := w.run(t)
	for _, want := range []string{
		"Of 4 VMs with a tier: 2 unprotected", "gold    15 min  3    1          2", "silver  60 min  1    1          0",
		"Powered on, without tier and replication: 4 VMs (" + w.protected.VMs()[4].Name,
		"Replicated elsewhere, without tier: 1 VM (" + w.protected.VMs()[7].Name + ").",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	if code != cli.ExitOK || errs != "" {
		t.Errorf("exits with %d, %s", code, errs)
	}
	w.columns = 80
	if _, out, _ = w.run(t); !strings.HasPrefix(out, red+"Of 4 VMs with a tier: 2 unprotected") {
		t.Errorf("on a terminal: got\n%s\nwant a red summary", out)
	}
}

// TestCompliance_reads: only requests that read, and no session stays open.
func TestCompliance_reads(t *testing.T) {
	t.Parallel()
	w := watch(t)
	if code, _, errs := w.run(t); code != cli.ExitOK {
		t.Fatalf("exits with %d, %s; want %d", code, errs, cli.ExitOK)
	}
	allowed := []string{"login", "logout", "createRemoteSession", "get", "check"}
	for kind := range w.Traffic().Counts() {
		if !slices.ContainsFunc(allowed, func(verb string) bool { return strings.HasPrefix(kind, verb) }) {
			t.Errorf("the appliance got the request %s", kind)
		}
	}
	rest, soap := w.protected.Sessions()
	if n := w.Sessions(); n+rest+soap != 0 {
		t.Errorf("%d, %d and %d sessions stay open", n, rest, soap)
	}
}

// TestCompliance_exitCodes: the failures, their messages, and that a broken promise fails only on request.
func TestCompliance_exitCodes(t *testing.T) {
	t.Parallel()
	w := watch(t)
	kept := *w
	kept.config = write(t, "category: sla\ntiers: [{name: silver, tag: second, rpo_minutes: 60}]\n")
	for name, test := range map[string]struct {
		run  *watched
		args string
		code int
		says string
	}{
		"no condition":        {w, "", cli.ExitOK, ""},
		"broken":              {w, "--fail-on broken", cli.ExitMiss, ""},
		"kept":                {&kept, "--fail-on broken", cli.ExitOK, ""},
		"kept, but uncovered": {&kept, "--fail-on uncovered", cli.ExitMiss, ""},
		"another format":      {w, "--format csv", cli.ExitUsage, `--format must be text, json or openmetrics, got "csv"`},
		"another level":       {w, "--fail-on x", cli.ExitUsage, `--fail-on must be broken or uncovered, got "x"`},
		"no time":             {w, "--timeout 0s", cli.ExitUsage, "--timeout must be greater than 0"},
		"no file":             {with(w, "none.yaml"), "", cli.ExitError, "none.yaml"},
		"no such tag": {
			with(w, write(t, strings.Replace(complianceText, "second", "third", 1))), "", cli.ExitError,
			`tiers["silver"].tag: category "sla": tag "third": not found. There are: "gold", "second".`,
		},
		"no such category": {
			with(w, write(t, strings.Replace(complianceText, "category: sla", "category: none", 1))), "", cli.ExitError,
			`compliance.yaml: category: category "none": not found. There are: "sla".`,
		},
		"no such folder": {
			with(w, write(t, complianceText+"folder: none\n")), "", cli.ExitError,
			`compliance.yaml: folder: list VMs: folder "none": not found`,
		},
		"wrong file": {
			with(w, write(t, complianceText+"tier: 1\n")), "", cli.ExitError, "compliance.yaml:5: tier is not a key here",
		},
	} {
		code, _, errs := test.run.run(t, strings.Fields(test.args)...)
		if code != test.code || !strings.Contains(errs, test.says) || (test.says == "") != (errs == "") {
			t.Errorf("%s: exits with %d, want %d: %s", name, code, test.code, errs)
		}
	}
	if code, _, errs := run(t, "", "compliance"); code != cli.ExitUsage || !strings.Contains(errs, "--config must name") {
		t.Errorf("exits with %d: %s", code, errs)
	}
	none := *w
	none.env = map[string]string{"VSPHERE_SERVER": "vcenter.example"}
	if code, _, errs := none.run(t); code != cli.ExitError ||
		!strings.Contains(errs, "the environment must have VSPHERE_USER, VSPHERE_PASSWORD, VSLA_REPLICATION_SERVER") {
		t.Errorf("exits with %d: %s", code, errs)
	}
}

// with returns the same sites with another file.
func with(w *watched, config string) *watched {
	other := *w
	other.config = config
	return &other
}

// TestCompliance_file: a file is replaced as a whole, stays as it was after a failure, and nothing else is left.
func TestCompliance_file(t *testing.T) {
	t.Parallel()
	w := watch(t)
	name := filepath.Join(t.TempDir(), "vsla.prom")
	content := func() string {
		t.Helper()
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	if code, out, errs := w.run(t, "--format", "openmetrics", "-o", name); code != cli.ExitOK || out+errs != "" {
		t.Fatalf("exits with %d, %s%s", code, out, errs)
	}
	first := content()
	w.protected.Traffic().Break(fault.Rule{Kind: "soap:RetrievePropertiesEx", Status: 503})
	if code, _, errs := w.run(t, "--format", "openmetrics", "-o", name); code != cli.ExitError || errs == "" {
		t.Errorf("exits with %d, %s", code, errs)
	}
	if content() != first {
		t.Error("a failure changed the file")
	}
	w.protected.Traffic().Mend()
	w.Advance(time.Hour)
	if code, _, errs := w.run(t, "--format", "openmetrics", "-o", name); code != cli.ExitOK || content() == first {
		t.Errorf("exits with %d, %s; the file is the old one", code, errs)
	}
	if left, err := os.ReadDir(filepath.Dir(name)); err != nil || len(left) != 1 {
		t.Errorf("files %v, error %v; want the one file", left, err)
	}
}

// TestCompliance_secrets: neither passwords nor sessions are in the output, even if a login fails.
func TestCompliance_secrets(t *testing.T) {
	t.Parallel()
	w := watch(t)
	var all strings.Builder
	try := func(want int, args ...string) {
		t.Helper()
		code, out, errs := w.run(t, args...)
		if code != want {
			t.Errorf("%v exits with %d: %s", args, code, errs)
		}
		all.WriteString(out + errs)
	}
	secrets := []string{w.protected.Password(), w.Password(), w.RemotePassword(), "not-the-password"}
	for _, format := range []string{"text", "json", "openmetrics"} {
		try(cli.ExitOK, "--format", format, "--per-vm")
	}
	for _, variable := range []string{
		"VSPHERE_PASSWORD", "VSLA_REPLICATION_PASSWORD", "VSLA_REPLICATION_REMOTE_PASSWORD",
	} {
		right := w.env[variable]
		w.env[variable] = "not-the-password"
		try(cli.ExitError)
		w.env[variable] = right
	}
	ids := append(w.SessionIDs(), w.protected.SessionIDs()...)
	if len(ids) < 6 {
		t.Fatalf("only %d sessions, so nothing was checked", len(ids))
	}
	for _, secret := range append(secrets, ids...) {
		if secret != "" && strings.Contains(all.String(), secret) {
			t.Errorf("%q is in the output", secret)
		}
	}
}
