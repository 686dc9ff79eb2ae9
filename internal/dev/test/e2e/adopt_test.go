package e2e_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"terraform-provider-vsla/internal/cli"
	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/dev/lab/gateway"
	"terraform-provider-vsla/internal/dev/lab/tagging"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
	"terraform-provider-vsla/internal/dev/terraformcli"
)

// odd is a name that would be code in a template.
const odd = `odd "name" ${path.module} %{if} | back\slash` + "\x1b[31m\n"

// brownfield is a vCenter that other clients have tagged and replicated, and the environment that reaches it.
type brownfield struct {
	*acctest.Lab
	gateway *gateway.Gateway
	env     map[string]string
	tags    map[string]string // ids by name
}

// tiers of the brownfield with the RPO of most of their replications.
var tierRPOs = []struct {
	name string
	rpo  int64
}{{"bronze", 240}, {"gold", 15}, {"silver", 60}}

// newBrownfield tags all VMs but every tenth, in three tiers in turn, and replicates the first of them with mixed
// settings.
func newBrownfield(t *testing.T, vms, replications int) *brownfield {
	t.Helper()
	lab := acctest.Start(t, vcsim.Config{VMs: vms, Templates: 1, Inaccessible: 4})
	b := &brownfield{Lab: lab, tags: make(map[string]string)}
	b.Keep()
	for _, c := range []tagging.Category{
		{Name: "sla", Cardinality: "SINGLE", Description: odd, AssociableTypes: []string{"VirtualMachine"}},
		{Name: odd, Cardinality: "MULTIPLE"},
		{Name: "place", Cardinality: "MULTIPLE", AssociableTypes: []string{"HostSystem", "VirtualMachine", "Datastore"}},
		{Name: "SRM-com.vmware.vcDr:::group", Cardinality: "MULTIPLE"},
	} {
		id, err := b.Tags().AddCategory(c)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range map[string][]string{
			"sla": {"gold", "silver", "bronze"}, "place": {"here", "unused"}, odd: {odd},
			"SRM-com.vmware.vcDr:::group": {"group"},
		}[c.Name] {
			if b.tags[name], err = b.Tags().AddTag(tagging.Tag{Name: name, CategoryID: id, Description: odd}); err != nil {
				t.Fatal(err)
			}
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
		"VSPHERE_SERVER": b.URL(), "VSPHERE_USER": b.User(), "VSPHERE_PASSWORD": b.Password(), "VSLA_CA_FILE": b.CAFile(),
	}
	if replications > 0 {
		b.replicate(t, replications)
	}
	return b
}

func (b *brownfield) attach(t *testing.T, tag, objectType, id string) {
	t.Helper()
	if err := b.Tags().Attach(b.tags[tag], tagging.Object{Type: objectType, ID: id}); err != nil {
		t.Fatal(err)
	}
}

// replicate configures replications with mixed settings, of which every eleventh has twice the RPO of its tier.
func (b *brownfield) replicate(t *testing.T, n int) {
	t.Helper()
	b.gateway = b.Replicate(t, gateway.Switches{PageCap: 7, SessionTTL: -1, SessionIdle: -1})
	for i, vm := range b.VMs()[:n] {
		r := gateway.Replicated{
			VM: vm.ID, RPOMinutes: tierRPOs[i%3].rpo, Compression: i%2 == 0, Encryption: i%5 == 0,
			Quiesce: i%4 == 3 && i%3 != 1, DataSets: i%6 == 5, KeepsNewDisksOut: i%8 == 7, Datastore: i % 2, Policy: i % 3 / 2,
		}
		if i%11 == 10 {
			r.RPOMinutes *= 2
		}
		if i%5 == 2 {
			r.Instances, r.Days = 3, int32(i%7)
		}
		r.LastDisk = gateway.Other{LeftOut: i%9 == 4}
		if i%9 == 5 {
			r.LastDisk.Datastore = 1
		}
		if err := b.gateway.AddReplication(r); err != nil {
			t.Fatal(err)
		}
	}
	b.gateway.Advance(time.Hour)
	for name, value := range map[string]string{
		"SERVER": b.gateway.URL(), "USER": b.gateway.User(), "PASSWORD": b.gateway.Password(),
		"REMOTE_USER": b.gateway.RemoteUser(), "REMOTE_PASSWORD": b.gateway.RemotePassword(),
		"REQUESTS_PER_MINUTE": "0",
	} {
		b.env["VSLA_REPLICATION_"+name] = value
	}
}

// adopt runs the command and returns the files that it wrote.
func (b *brownfield) adopt(t *testing.T, folder string, args ...string) (files map[string]string, summary string) {
	t.Helper()
	var out, errs bytes.Buffer
	p := cli.Program{Version: "test", Out: &out, Err: &errs, Getenv: func(name string) string { return b.env[name] }}
	if code := p.Run(t.Context(), append([]string{"adopt", "--output", folder}, args...)); code != cli.ExitOK {
		t.Fatalf("adopt exits with %d, want 0:\n%s", code, errs.String())
	}
	files = make(map[string]string)
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		content, err := os.ReadFile(filepath.Join(folder, entry.Name()))
		if err != nil {
			t.Fatal(err)
		}
		files[entry.Name()] = string(content)
	}
	return files, out.String()
}

// imported runs plan and apply, and fails unless they import and do nothing else.
func (b *brownfield) imported(t *testing.T, imports int, args ...string) (w *terraformcli.Workspace, dir string) {
	t.Helper()
	w, dir = acctest.Workspace(
		t, b.Lab, "internal/dev/test/e2e/testdata/adopted", "VSLA_REPLICATION_REQUESTS_PER_MINUTE=0",
	)
	b.adopt(t, dir, args...)
	out := acctest.Terraform(t, w, 0, "plan", "-no-color", "-input=false", "-out=plan")
	want := fmt.Sprintf("Plan: %d to import, 0 to add, 0 to change, 0 to destroy.", imports)
	if !strings.Contains(out, want) {
		t.Errorf("got a plan without %q:\n%s", want, out)
	}
	acctest.Terraform(t, w, 0, "apply", "-input=false", "plan")
	for _, name := range []string{"imports.tf", "imports.json"} {
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	acctest.Terraform(t, w, 0, "plan", "-no-color", "-input=false", "-detailed-exitcode")
	return w, dir
}

// TestCLI_adoptTags imports tags without an appliance.
func TestCLI_adoptTags(t *testing.T) {
	t.Parallel()
	b := newBrownfield(t, 30, 0)
	// Three categories, their tags, and five associations: three tiers, odd, and here on a host and on a VM.
	b.imported(t, 3+3+6)
}

// TestCLI_adopt imports tags and replications with mixed settings over several pages of the listing.
func TestCLI_adopt(t *testing.T) {
	t.Parallel()
	b := newBrownfield(t, 60, 40)
	b.imported(t, 3+3+6+40, "--tier-category", "sla")
}
