package e2e_test

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/dev/lab/tagging"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
	"terraform-provider-vsla/internal/dev/terraformcli"
)

// BenchmarkTagging uses Terraform to create, change and destroy an estate of 10,000 tags and 3,200 VMs once.
func BenchmarkTagging(b *testing.B) {
	root, err := acctest.Root()
	require.NoError(b, err)
	cli, err := terraformcli.FindOrBuild(b.Context(), filepath.Join(root, "build"), io.Discard)
	require.NoError(b, err)
	provider := b.TempDir()
	require.NoError(b, terraformcli.BuildProvider(b.Context(), root, provider, io.Discard))
	for name, release := range map[string]tagging.Release{"vCenter8.0": "", "vCenter9.1": tagging.Release91} {
		b.Run(name, func(b *testing.B) {
			lab, err := vcsim.Start(b.Context(), vcsim.Config{Hosts: 32, VMs: 3200, Release: release})
			require.NoError(b, err)
			w := estateOf(b, cli, provider, lab)
			for _, stage := range []struct{ name, args string }{
				{"apply", "apply -auto-approve"},
				{"empty plan", "plan -detailed-exitcode"},
				{"one change", "apply -auto-approve -var=changed=1"},
				{"destroy", "destroy -auto-approve -var=changed=1"},
			} {
				b.Run(stage.name, func(b *testing.B) {
					for range b.N {
						runStage(b, w, lab, strings.Fields(stage.args))
					}
				})
			}
			assert.Empty(b, lab.Tags().Leftovers())
		})
	}
}

func estateOf(b *testing.B, cli terraformcli.CLI, provider string, lab *vcsim.VCenter) *terraformcli.Workspace {
	b.Helper()
	dir := b.TempDir()
	ids := make([]string, 0, len(lab.VMs()))
	for _, vm := range lab.VMs() {
		ids = append(ids, vm.ID)
	}
	vms, err := json.Marshal(ids)
	require.NoError(b, err)
	ca := filepath.Join(dir, "ca.pem")
	for file, content := range map[string][]byte{
		filepath.Join(dir, "main.tf"):  []byte(taggedEstate),
		filepath.Join(dir, "vms.json"): vms,
		ca:                             lab.CAPEM(),
	} {
		require.NoError(b, os.WriteFile(file, content, 0o600))
	}
	w, err := terraformcli.NewWorkspace(cli, dir, provider, "VSPHERE_SERVER="+lab.URL(), "VSPHERE_USER="+lab.User(),
		"VSPHERE_PASSWORD="+lab.Password(), "VSLA_CA_FILE="+ca)
	require.NoError(b, err)
	return w
}

func runStage(b *testing.B, w *terraformcli.Workspace, lab *vcsim.VCenter, args []string) {
	b.Helper()
	traffic := lab.Traffic()
	traffic.Reset()
	cmd := w.Command(b.Context(), append(args, "-input=false", "-no-color")...)
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = io.Discard, &out
	require.NoError(b, cmd.Run(), "%v, %v", args, out.String())
	requests := traffic.Total()
	for _, kind := range []string{
		"POST session", "DELETE session", "soap:Login", "soap:Logout", "soap:RetrieveServiceContent",
	} {
		requests -= traffic.Count(kind)
	}
	b.ReportMetric(float64(requests), "requests")
	if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		b.ReportMetric(float64(usage.Maxrss)/1024, "MiB")
	}
}
