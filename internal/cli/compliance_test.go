package cli_test

import (
	"context"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/cli"
	"terraform-provider-vsla/internal/dev/lab/fault"
)

func checkMetrics(t *testing.T, metrics string) {
	t.Helper()
	promtool := os.Getenv("VSLA_TEST_PROMTOOL")
	if promtool == "" {
		return
	}
	check := exec.CommandContext(t.Context(), promtool, "check", "metrics")
	check.Stdin = strings.NewReader(metrics)
	said, err := check.CombinedOutput()
	require.NoError(t, err)
	assert.Empty(t, said)
}

// TestCompliance_openmetrics verifies the metric values of an estate. Every metric must be a gauge with a help text. A
// metric must have the unit seconds if, and only if, its name ends in _seconds.
func TestCompliance_openmetrics(t *testing.T) {
	t.Parallel()
	w := watch(t)
	code, out, errs := w.run(t, "--format", "openmetrics")
	require.Zero(t, code)
	require.Empty(t, errs)
	require.True(t, strings.HasSuffix(out, "\n# EOF\n"), "exits with %d, %s\n%s", code, errs, out)
	checkMetrics(t, out)
	families, got := series(t, out)
	for name, f := range families {
		assert.NotEmpty(t, f.GetHelp())
		assert.Equal(t, dto.MetricType_GAUGE, f.GetType())
		assert.Equal(t, strings.Contains(out, "# UNIT "+name+" seconds\n"), strings.HasSuffix(name, "_seconds"))
	}
	host := strings.TrimPrefix(w.protected.URL(), "https://")
	info := "vsla_compliance_info{pairing_id=" + w.PairingID() + ",vcenter=" + host + ",version=1.2.3}"
	want := map[string]float64{
		info: 1,
		"vsla_compliance_read_timestamp_seconds{}":             float64(w.Now().Unix()),
		"vsla_compliance_read_duration_seconds{}":              0,
		"vsla_compliance_kept{}":                               0,
		"vsla_tier_promised_rpo_seconds{tier=gold}":            900,
		"vsla_tier_promised_rpo_seconds{tier=silver}":          3600,
		"vsla_tier_vms{tier=gold,verdict=compliant}":           1,
		"vsla_tier_vms{tier=gold,verdict=paused}":              1,
		"vsla_tier_vms{tier=gold,verdict=unprotected}":         1,
		"vsla_tier_vms{tier=silver,verdict=compliant}":         1,
		"vsla_tier_fault_vms{fault=unprotected,tier=gold}":     2,
		"vsla_tier_fault_vms{fault=in_violation,tier=gold}":    0,
		"vsla_tier_oldest_sync_timestamp_seconds{tier=gold}":   w.oldest(0, 1),
		"vsla_tier_oldest_sync_timestamp_seconds{tier=silver}": w.oldest(3),
		"vsla_uncovered_vms{}":                                 4,
		"vsla_uncovered_unknown_vms{}":                         0,
		"vsla_replicated_elsewhere_vms{}":                      1,
		"vsla_untagged_replicated_vms{}":                       1,
		"vsla_tagged_templates{}":                              0,
		"vsla_orphaned_replications{}":                         0,
	}
	for name, value := range want {
		v, ok := got[name]
		require.True(t, ok, "%s is %v (%v), want %v", name, v, ok, value)
		assert.Equal(t, value, v, name)
	}
	// Each of the two tiers has samples for 14 verdicts, 4 faults, the RPO and the oldest sync. Another 10 samples do
	// not belong to a tier. The number of samples does not depend on the number of VMs.
	assert.Len(t, got, 2*(14+4+2)+10)
	for n := 4; n < 7; n++ {
		w.tag(t, w.gold, n)
	}
	_, out, _ = w.run(t, "--format", "openmetrics")
	_, more := series(t, out)
	require.Len(t, more, len(got))
	assert.Equal(t, 4.0, more["vsla_tier_vms{tier=gold,verdict=unprotected}"])
	_, out, _ = w.run(t, "--format", "openmetrics", "--per-vm")
	_, each := series(t, out)
	verdict := "vsla_vm_verdict_info{tier=gold,verdict=paused,vm=" + w.protected.VMs()[1].Name + ",vm_id=" + w.id(1) +
		"}"
	assert.Equal(t, 1.0, each[verdict])
}

func TestCompliance_text(t *testing.T) {
	t.Parallel()
	w := watch(t)
	code, out, errs := w.run(t)
	for _, want := range []string{
		"Of 4 VMs with a tier: 2 unprotected", "gold    15 min  3    1          2", "silver  60 min  1    1          0",
		"Powered on, without a tier or replication: 4 VMs (" + w.protected.VMs()[4].Name,
		"Replicated elsewhere, without a tier: 1 VM (" + w.protected.VMs()[7].Name + ").",
	} {
		assert.Contains(t, out, want)
	}
	require.Equal(t, cli.ExitOK, code)
	assert.Empty(t, errs)
	w.columns = 80
	_, out, _ = w.run(t)
	assert.True(t, strings.HasPrefix(out, red+"Of 4 VMs with a tier: 2 unprotected"),
		"on a terminal: got\n%s\nwant a red summary", out)
}

func TestCompliance_reads(t *testing.T) {
	t.Parallel()
	w := watch(t)
	code, _, errs := w.run(t)
	require.Equal(t, cli.ExitOK, code, errs)
	allowed := []string{"login", "logout", "createRemoteSession", "get", "check"}
	for kind := range w.Traffic().Counts() {
		assert.True(t, slices.ContainsFunc(allowed, func(verb string) bool { return strings.HasPrefix(kind, verb) }),
			"the appliance got the request %s", kind)
	}
	rest, soap := w.protected.Sessions()
	assert.Equal(t, 0, w.Sessions()+rest+soap)
}

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
		"another format": {
			w,
			"--format csv",
			cli.ExitUsage,
			`--format must be text or openmetrics, got "csv"`,
		},
		"another level": {w, "--fail-on x", cli.ExitUsage, `--fail-on must be broken or uncovered, got "x"`},
		"no time":       {w, "--timeout 0s", cli.ExitUsage, "--timeout must be greater than 0"},
		"no file":       {with(w, "none.yaml"), "", cli.ExitError, "none.yaml"},
		"no such tag": {
			with(w, write(t, strings.Replace(complianceText, "second", "third", 1))), "", cli.ExitError,
			`tiers["silver"].tag: category "sla": tag "third": not found. Available: "gold", "second".`,
		},
		"no such category": {
			with(w, write(t, strings.Replace(complianceText, "category: sla", "category: none", 1))), "", cli.ExitError,
			`compliance.yaml: category: category "none": not found. Available: "sla".`,
		},
		"no such folder": {
			with(w, write(t, complianceText+"folder: none\n")), "", cli.ExitError,
			`compliance.yaml: folder: list VMs: folder "none": not found`,
		},
		"wrong file": {
			with(w, write(t, complianceText+"tier: 1\n")),
			"",
			cli.ExitError,
			"compliance.yaml:5: tier is not a valid key here",
		},
	} {
		code, _, errs := test.run.run(t, strings.Fields(test.args)...)
		assert.Equal(t, test.code, code, name)
		assert.Contains(t, errs, test.says, name)
		assert.Equal(t, errs == "", test.says == "", name)
	}
	code, _, errs := run(t, "", "compliance")
	require.Equal(t, cli.ExitUsage, code)
	assert.Contains(t, errs, "--config is required")
	none := *w
	none.env = map[string]string{"VSPHERE_SERVER": "vcenter.example"}
	code, _, errs = none.run(t)
	assert.Equal(t, cli.ExitError, code, "exits with %d", code)
	assert.Contains(t, errs, "the environment must have VSPHERE_USER, VSPHERE_PASSWORD, VSLA_REPLICATION_SERVER",
		"exits with %d", code)
}

func with(w *watched, config string) *watched {
	other := *w
	other.config = config
	return &other
}

func TestCompliance_file(t *testing.T) {
	t.Parallel()
	w := watch(t)
	name := filepath.Join(t.TempDir(), "vsla.prom")
	content := func() string {
		t.Helper()
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		return string(text)
	}
	code, out, errs := w.run(t, "--format", "openmetrics", "-o", name)
	require.Equal(t, cli.ExitOK, code)
	require.Empty(t, out+errs)
	first := content()
	w.protected.Traffic().Break(fault.Rule{Kind: "soap:RetrievePropertiesEx", Status: 503})
	code, _, errs = w.run(t, "--format", "openmetrics", "-o", name)
	assert.Equal(t, cli.ExitError, code)
	assert.NotEmpty(t, errs)
	assert.Equal(t, first, content(), "a failure changed the file")
	w.protected.Traffic().Mend()
	w.Advance(time.Hour)
	code, _, errs = w.run(t, "--format", "openmetrics", "-o", name)
	assert.Zero(t, code, errs)
	assert.NotEqual(t, first, content())
	left, err := os.ReadDir(filepath.Dir(name))
	require.NoError(t, err)
	assert.Len(t, left, 1)
}

func TestCompliance_secrets(t *testing.T) {
	t.Parallel()
	w := watch(t)
	var all strings.Builder
	try := func(want int, args ...string) {
		t.Helper()
		code, out, errs := w.run(t, args...)
		assert.Equal(t, want, code, "%v, %v", args, errs)
		assert.NotContains(t, errs, "compliance.yaml") // has no password
		all.WriteString(out + errs)
	}
	secrets := []string{w.protected.Password(), w.Password(), w.RemotePassword(), "not-the-password"}
	for _, format := range []string{"text", "openmetrics"} {
		try(cli.ExitOK, "--format", format, "--per-vm")
	}
	for _, site := range []string{"VSPHERE", "VSLA_REPLICATION", "VSLA_REPLICATION_REMOTE"} {
		variable := site + "_PASSWORD"
		right := w.env[variable]
		w.env[variable] = "not-the-password"
		try(cli.ExitError)
		w.env[variable] = right
	}
	ids := append(w.SessionIDs(), w.protected.SessionIDs()...)
	require.GreaterOrEqual(t, len(ids), 6)
	for _, secret := range append(secrets, ids...) {
		if secret != "" {
			assert.NotContains(t, all.String(), secret)
		}
	}
}

// TestCompliance_interrupted interrupts the command while it reads. It still ends its sessions.
func TestCompliance_interrupted(t *testing.T) {
	t.Parallel()
	w := watch(t)
	ctx, interrupt := context.WithCancel(t.Context())
	w.Traffic().Break(fault.Rule{
		Kind:            "getAllReplications",
		Before:          func(*http.Request) { interrupt() },
		CloseConnection: true,
	})
	p := w.program()
	p.Out, p.Err = io.Discard, io.Discard
	assert.NotZero(t, p.Run(ctx, []string{"compliance", "--config", w.config}))
	assert.Zero(t, w.Sessions())
	rest, soap := w.protected.Sessions()
	assert.Zero(t, rest)
	assert.Zero(t, soap)
}

// series parses metrics the way node_exporter's textfile collector does.
func series(t *testing.T, text string) (map[string]*dto.MetricFamily, map[string]float64) {
	t.Helper()
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(text))
	require.NoError(t, err, text)
	samples := make(map[string]float64)
	for name, f := range families {
		for _, m := range f.GetMetric() {
			var labels []string
			for _, l := range m.GetLabel() {
				labels = append(labels, l.GetName()+"="+l.GetValue())
			}
			slices.Sort(labels)
			samples[name+"{"+strings.Join(labels, ",")+"}"] = m.GetGauge().GetValue()
		}
	}
	return families, samples
}
