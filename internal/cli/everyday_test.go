package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/text/encoding/unicode"

	"terraform-provider-vsla/internal/cli"
)

func fileOf(t *testing.T, name, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	return file
}

// TestFirstCommands: what a first try gets wrong is answered with the command to run.
func TestFirstCommands(t *testing.T) {
	t.Parallel()
	unknown := fileOf(t, "v m.csv", "Server;Size (GB);Site\na;1;x\n")
	tiers := filepath.Join(t.TempDir(), "tiers.yaml")
	for name, c := range map[string]struct {
		args []string
		code int
		says string
	}{
		"headers": {
			[]string{"inventory", unknown, "--power-state", "poweredOn"},
			cli.ExitError,
			"vsla inventory '" + unknown + "' --power-state poweredOn --column name=Server --column 'used_gb=Size (GB)'\n",
		},
		"what-if": {[]string{"what-if", "x.xlsx"}, cli.ExitUsage, "an inventory file is --inventory x.xlsx"},
		"review":  {[]string{"review", "x.xlsx"}, cli.ExitUsage, "an inventory file is --inventory x.xlsx"},
		"init": {
			[]string{
				"review", "--inventory", unknown, "--tiers", tiers, "--init", "--column", "name=Server",
				"--column", "used_gb=Size (GB)",
			},
			cli.ExitOK,
			"vsla review --column name=Server --column 'used_gb=Size (GB)' --inventory '" + unknown + "' --tiers " + tiers +
				" -o review.html",
		},
	} {
		code, _, errs := run(t, "", c.args...)
		require.Equal(t, c.code, code, name)
		assert.Contains(t, errs, c.says, name)
	}
	text, err := os.ReadFile(tiers)
	want := "#   vsla review --column name=Server "
	require.NoError(t, err)
	assert.Contains(t, string(text), want)
}

// TestInventory_notes: the summary counts VMs that are off and names an encoding that was guessed, as a review does.
func TestInventory_notes(t *testing.T) {
	t.Parallel()
	file := fileOf(t, "vms.csv", "VM;In Use MiB;Powerstate\nB\xfcro;1024;poweredOff\nb;1024;poweredOn\n")
	code, out, errs := run(t, "", "inventory", file)
	want := "2 VMs, 1 of them off, with 2 GiB in use (rvtools, read as Windows-1252).\n"
	require.EqualValues(t, cli.ExitOK, code, errs)
	assert.True(t, strings.HasPrefix(out, want), "got exit code %d, %s and %q, want %q", code, errs, out, want)
	tiers := fileOf(t, "tiers.yaml", "throughput_mbps: 1000\ndefaults: {daily_change_percent: 5}\n"+
		"tiers: [{name: all, match: {}, rpo_minutes: 60}]\n")
	code, out, errs = run(t, "", "review", "--inventory", file, "--tiers", tiers)
	if want := "was read as Windows-1252"; code != cli.ExitOK || !strings.Contains(out, want) {
		t.Errorf("got exit code %d, %s and a review without %q:\n%s", code, errs, want, out)
	}
}

// TestEstimate_utf16: standard input may be UTF-16, as PowerShell writes it.
func TestEstimate_utf16(t *testing.T) {
	t.Parallel()
	object := `{"vm_count": 1, "vm_size_gib": 1, "daily_change_percent": 1, "throughput_mbps": 1000, "rpo_minutes": 60}`
	wantCode, want, _ := run(t, object, "estimate", "replication", "-")
	for _, order := range []unicode.Endianness{unicode.LittleEndian, unicode.BigEndian} {
		for _, mark := range []unicode.BOMPolicy{unicode.UseBOM, unicode.IgnoreBOM} {
			text, err := unicode.UTF16(order, mark).NewEncoder().String(object)
			require.NoError(t, err)
			code, out, errs := run(t, text, "estimate", "replication", "-")
			require.Equal(t, wantCode, code, errs)
			assert.Equal(t, want, out)
		}
	}
}
