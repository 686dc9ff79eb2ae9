package e2e_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/cli"
	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/dev/lab/gateway"
	"terraform-provider-vsla/internal/dev/lab/tagging"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
	"terraform-provider-vsla/internal/dev/terraformcli"
)

type brownfield struct {
	*acctest.Lab
	gateway *gateway.Gateway
	env     map[string]string
	tags    map[string]string // IDs by name
}

// newBrownfield creates an estate in which 9 of 10 VMs belong to one of three tiers, and the first VMs are replicated
// with mixed settings.
func newBrownfield(t *testing.T, vms, replications int) *brownfield {
	t.Helper()
	return brownfieldOf(t, vcsim.Config{VMs: vms, Templates: 1, Inaccessible: 4}, replications)
}

func brownfieldOf(t *testing.T, config vcsim.Config, replications int) *brownfield {
	t.Helper()
	lab := acctest.Start(t, config)
	b := &brownfield{Lab: lab, tags: make(map[string]string)}
	b.KeepObjects()
	for _, c := range []tagging.Category{
		{Name: "sla", Cardinality: "SINGLE", Description: odd, AssociableTypes: []string{"VirtualMachine"}},
		{Name: odd, Cardinality: "MULTIPLE"},
		{
			Name:            "place",
			Cardinality:     "MULTIPLE",
			AssociableTypes: []string{"HostSystem", "VirtualMachine", "Datastore"},
		},
		{Name: "SRM-com.vmware.vcDr:::group", Cardinality: "MULTIPLE"},
	} {
		id, err := b.Tags().AddCategory(c)
		require.NoError(t, err)
		for _, name := range map[string][]string{
			"sla":                         {"gold", "silver", "bronze"},
			"place":                       {"here", "unused"},
			odd:                           {odd},
			"SRM-com.vmware.vcDr:::group": {"group"},
		}[c.Name] {
			b.tags[name], err = b.Tags().AddTag(tagging.Tag{Name: name, CategoryID: id, Description: odd})
			require.NoError(t, err)
		}
	}
	for i, vm := range b.VMs() {
		if i%10 != 9 {
			b.attach(t, tierRPOs[i%3].name, "VirtualMachine", vm.ID)
		}
		if i%7 == 0 {
			b.attach(t, odd, "VirtualMachine", vm.ID)
		}
	}
	b.attach(t, "here", "HostSystem", b.VMs()[0].HostID)
	b.attach(t, "here", "VirtualMachine", b.VMs()[0].ID)
	b.env = map[string]string{
		"VSPHERE_SERVER":   b.URL(),
		"VSPHERE_USER":     b.User(),
		"VSPHERE_PASSWORD": b.Password(),
		"VSLA_CA_FILE":     b.CAFile(),
	}
	if replications > 0 {
		b.replicate(t, replications, true)
	}
	return b
}

func (b *brownfield) attach(t *testing.T, tag, objectType, id string) {
	t.Helper()
	require.NoError(t, b.Tags().Attach(b.tags[tag], tagging.Object{Type: objectType, ID: id}))
}

// replicate configures replications with mixed settings. Every eleventh replication has twice the RPO of its tier. With
// capitals, the appliance writes the IDs of the vCenters in capitals.
func (b *brownfield) replicate(t *testing.T, n int, capitals bool) {
	t.Helper()
	b.gateway = b.AddReplication(t, gateway.Config{
		Switches: gateway.Switches{
			PageCap:     100,
			SessionTTL:  -1,
			SessionIdle: -1,
			Capitals:    capitals,
			Latest:      gateway.Latest{DiskFormat: true},
		},
	})
	for i, vm := range b.VMs()[:n] {
		r := gateway.ReplicationOptions{
			VM:              vm.ID,
			RPOMinutes:      tierRPOs[i%3].rpo,
			Compression:     i%2 == 0,
			Encryption:      i%5 == 0,
			Quiesce:         i%4 == 3 && i%3 != 1,
			DataSets:        i%6 == 5,
			NoAutoReplicate: i%8 == 7,
			Datastore:       i % 2,
			Policy:          i % 3 / 2,
		}
		if i%11 == 9 {
			r.RPOMinutes *= 2
		}
		if i%5 == 2 {
			r.Instances, r.Days = 3, int32(i%7)
		}
		r.LastDisk = gateway.DiskOptions{Excluded: i%9 == 4, Format: []string{"THIN", "FLAT"}[i%2]}
		if i%9 == 5 {
			r.LastDisk.Datastore = 1
		}
		require.NoError(t, b.gateway.AddReplication(r))
	}
	b.gateway.Advance(time.Hour)
	b.gateway.StepPerPoll(time.Minute)
	for name, value := range map[string]string{
		"SERVER":              b.gateway.URL(),
		"USER":                b.gateway.User(),
		"PASSWORD":            b.gateway.Password(),
		"REMOTE_USER":         b.gateway.RemoteUser(),
		"REMOTE_PASSWORD":     b.gateway.RemotePassword(),
		"REQUESTS_PER_MINUTE": "0",
	} {
		b.env["VSLA_REPLICATION_"+name] = value
	}
}

func (b *brownfield) run(t *testing.T, args ...string) (code int, out string) {
	t.Helper()
	var printed bytes.Buffer
	p := cli.Program{
		Version: "test",
		Out:     &printed,
		Err:     &printed,
		Getenv:  func(name string) string { return b.env[name] },
	}
	code = p.Run(t.Context(), args)
	return code, printed.String()
}

func (b *brownfield) adopt(t *testing.T, folder string, args ...string) (files map[string]string, summary string) {
	t.Helper()
	code, summary := b.run(t, append([]string{"adopt", "--output", folder}, args...)...)
	require.Equal(t, cli.ExitOK, code, summary)
	files = make(map[string]string)
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	for _, entry := range entries {
		content, err := os.ReadFile(filepath.Join(folder, entry.Name()))
		require.NoError(t, err)
		files[entry.Name()] = string(content)
	}
	return files, summary
}

func (b *brownfield) imported(t *testing.T, imports int, args ...string) (w *terraformcli.Workspace, dir string) {
	t.Helper()
	w, dir = acctest.Workspace(
		t, b.Lab, "internal/dev/test/e2e/testdata/adopted", "VSLA_REPLICATION_REQUESTS_PER_MINUTE=0",
	)
	b.adopt(t, dir, args...)
	out := acctest.RunTerraform(t, w, 0, "plan", "-no-color", "-input=false", "-out=plan")
	want := fmt.Sprintf("Plan: %d to import, 0 to add, 0 to change, 0 to destroy.", imports)
	assert.Contains(t, out, want)
	acctest.RunTerraform(t, w, 0, "apply", "-input=false", "plan")
	for _, name := range []string{"imports.tf", "imports.json"} {
		require.NoError(t, os.Remove(filepath.Join(dir, name)))
	}
	acctest.RunTerraform(t, w, 0, "plan", "-no-color", "-input=false", "-detailed-exitcode")
	return w, dir
}
