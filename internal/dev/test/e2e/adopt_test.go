package e2e_test

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/cli"
	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/dev/lab/tagging"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
)

const odd = `odd "name" ${path.module} %{if} | back\slash` + "\x1b[31m\n"

// tierRPOs contains the RPO in minutes of most replications in each tier.
var tierRPOs = []struct {
	name string
	rpo  int64
}{
	{"bronze", 240},
	{"gold", 15},
	{"silver", 60},
}

func TestCLI_adoptTags(t *testing.T) {
	t.Parallel()
	b := newBrownfield(t, 30, 0)
	// Names that look like composed keys: "z Folder" on a VM and "z" on a folder, "k"/"a/b" and "k/a"/"b" on a VM.
	for name, tags := range map[string][]string{
		"k":   {"z Folder", "z", "a/b", "a%2Fb"},
		"k/a": {"b"},
	} {
		category, err := b.Tags().AddCategory(tagging.Category{Name: name, Cardinality: "MULTIPLE"})
		require.NoError(t, err)
		for _, tag := range tags {
			b.tags[tag], err = b.Tags().AddTag(tagging.Tag{Name: tag, CategoryID: category})
			require.NoError(t, err)
			b.attach(t, tag, "VirtualMachine", b.VMs()[0].ID)
		}
	}
	b.attach(t, "z", "Folder", "group-3")
	// Three categories, three vsla_tags, and six associations: one for each of the three tiers, one for the tag odd,
	// and two for the tag "here", which is attached to a host and a VM. The two categories above have their vsla_tags
	// and six associations.
	w, dir := b.imported(t, 3+3+6+2+2+6, "--tier-category", "sla")
	file := filepath.Join(dir, "tiers.tf")
	tiers, err := os.ReadFile(file)
	require.NoError(t, err)
	require.NoError(
		t,
		os.WriteFile(file, bytes.Replace(tiers, []byte("# rpo_minutes"), []byte("rpo_minutes"), 1), 0o600),
	)
	out := flat(acctest.RunTerraform(t, w, 0, "plan", "-no-color", "-input=false"))
	assert.Contains(t, out, "VMs have a promise, but no replication. Set pairing_id")
}

// TestCLI_adopt imports several pages of tags and replications with mixed settings.
func TestCLI_adopt(t *testing.T) {
	t.Parallel()
	b := newBrownfield(t, 130, 110)
	w, dir := b.imported(t, 3+3+6+110, "--tier-category", "sla")
	before := b.gateway.Replications()
	moved := move(t, filepath.Join(dir, "virtual_machines.json"), 25)
	const link = "-var=link_mbps=1000"
	out := acctest.RunTerraform(t, w, 0, "plan", "-no-color", "-input=false")
	assert.NotContains(t, out, "data.vsla_sla_plan", "the link is not known yet")
	out = acctest.RunTerraform(t, w, 0, "plan", "-no-color", "-input=false", link, "-out=plan")
	if want := "Plan: 0 to add, 27 to change, 0 to destroy."; !strings.Contains(out, want) { // 25 replications, 2 tags
		t.Errorf("got a plan without %q:\n%s", want, out)
	}
	acctest.RunTerraform(t, w, 0, "apply", "-input=false", "plan")
	acctest.RunTerraform(t, w, 0, "plan", "-no-color", "-input=false", link, "-detailed-exitcode")
	page := filepath.Join(t.TempDir(), "plan.json")
	plan := acctest.RunTerraform(t, w, 0, "show", "-json", "plan")
	require.NoError(t, os.WriteFile(page, []byte(plan), 0o600))
	code, review := b.run(t, "review", page)
	for _, want := range []string{`data.vsla_sla_plan.estate["estate"]`, `data.vsla_sla_compliance.estate[`} {
		require.Equal(t, cli.ExitOK, code, review)
		assert.Contains(t, plan, strings.ReplaceAll(want, `"`, `\"`), review)
	}
	after := b.gateway.Replications()
	require.Len(t, after, len(before))
	for i, r := range after {
		want := before[i].RPOMinutes
		if moved[before[i].Name] {
			want = 60
		}
		require.Equal(t, before[i].ID, r.ID)
		assert.Equal(t, want, r.RPOMinutes)
	}
	// The plan does not warn about promises that cannot be evaluated, because four VMs are inaccessible, but about
	// promises that a slow link cannot keep.
	assert.NotContains(t, flat(out), "3 promises:")
	slow := flat(acctest.RunTerraform(t, w, 0, "plan", "-no-color", "-input=false", "-var=link_mbps=0.001"))
	assert.Contains(t, slow, "3 promises: 3 missed (bronze, gold, silver).")
	assert.Regexp(t, `VMs that break the promise of their tier \(\d+\): \S+ \(vm-\d+\): initial_sync, `, slow)
	name := slices.Min(slices.Collect(maps.Keys(moved)))
	edit(t, filepath.Join(dir, "virtual_machines.json"),
		func(vms map[string]map[string]any) { delete(vms[name], "tier") })
	out = acctest.RunTerraform(t, w, 1, "plan", "-no-color", "-input=false")
	assert.Regexp(t, acctest.ErrorPattern("VM "+name+" has no rpo_minutes: set it for tier none in tiers.tf"), out)
}

// TestCLI_adoptPoweredOff replicates all VMs in their tiers. The 11th is then powered off, which breaks no promise.
func TestCLI_adoptPoweredOff(t *testing.T) {
	t.Parallel()
	b := brownfieldOf(t, vcsim.Config{VMs: 11}, 11)
	off := b.VMs()[10].ID
	require.NoError(t, b.SetPower(off, "poweredOn"))
	b.gateway.Advance(1000 * time.Hour)
	require.NoError(t, b.SetPower(off, "poweredOff"))
	w, dir := b.imported(t, 3+3+6+11, "--tier-category", "sla")
	out := flat(acctest.RunTerraform(t, w, 0, "plan", "-no-color", "-input=false"))
	_, warnings, ok := strings.Cut(out, "No changes.")
	require.True(t, ok)
	assert.NotContains(t, warnings, "Check block assertion failed")
	name := b.VMs()[0].Name
	edit(t, filepath.Join(dir, "virtual_machines.json"), func(vms map[string]map[string]any) {
		vms[name]["teir"], vms[name]["replication"] = "gold", map[string]any{"rpo_minuts": 5}
		vms[b.VMs()[1].Name]["replication"] = nil
	})
	out = flat(acctest.RunTerraform(t, w, 0, "plan", "-no-color", "-input=false"))
	assert.Contains(t, out, "contains names that are ignored: teir of "+name+", rpo_minuts of "+name+".")
}

func move(t *testing.T, file string, n int) map[string]bool {
	t.Helper()
	moved := make(map[string]bool)
	edit(t, file, func(vms map[string]map[string]any) {
		for name, vm := range vms {
			settings, replicated := vm["replication"].(map[string]any)
			if replicated && vm["tier"] == "gold" && settings["rpo_minutes"] == nil && len(moved) < n {
				vm["tier"], moved[name] = "silver", true
			}
		}
	})
	require.Len(t, moved, n)
	return moved
}

func TestCLI_adoptFiltered(t *testing.T) {
	t.Parallel()
	b := newBrownfield(t, 40, 24)
	// The imports are the category, its tags, one association per tier of the matching VMs, and their replications. VM
	// i is a web server if i mod 4 is 0 and an app server if i mod 4 is 1, so 12 of the 24 replicated VMs match. Of
	// these, VMs 0, 9, 12 and 21 are in the folder prod, which contains every third VM. All VMs in prod that have a
	// tier are bronze, so the second run imports only one association.
	b.imported(t, 1+1+3+12, "--category", "sla", "--name", "^(web|app)-")
	b.imported(t, 1+1+1+4, "--category", "sla", "--name", "^(web|app)-", "--folder", "prod",
		"--cluster", "DC0_C0", "--cluster", "DC0_C1")
	carriers := 0
	for _, tier := range tierRPOs {
		carriers += len(b.Tags().Objects(b.tags[tier.name]))
	}
	assert.Equal(t, len(b.VMs())-len(b.VMs())/10, carriers)
}

func TestAdopt_files(t *testing.T) {
	t.Parallel()
	b := newBrownfield(t, 60, 0)
	b.replicate(t, 40, false)
	folder := filepath.Join(t.TempDir(), "estate")
	first, summary := b.adopt(t, folder, "--tier-category", "sla")
	again, _ := b.adopt(t, folder, "--tier-category", "sla")
	other, _ := b.adopt(t, t.TempDir(), "--tier-category", "sla")
	require.Equal(t, again, first, "got other files in another run, want the same")
	assert.Equal(t, other, first, "got other files in another run, want the same")
	assert.Contains(t, summary, "  cd "+folder+"\n  terraform init\n  terraform plan -out=adopt.tfplan\n")
	_, got := b.adopt(t, t.TempDir(), "--category", "sla")
	assert.True(t, strings.HasPrefix(got, "1 tag category, 3 tags, "), "got %s, want 1 tag category with 3 tags", got)
	for name, text := range first {
		for _, secret := range []string{b.Password(), b.gateway.Password(), b.gateway.RemotePassword()} {
			assert.NotContains(t, text, secret, name)
		}
	}
	// Of the 40 replicated VMs, the RPO of the 10th, 21st and 32nd is doubled: the 10th has no tier, 20 mod 3 = 2
	// (silver), and 31 mod 3 = 1 (gold).
	for _, want := range []string{
		"| gold   | 15 min  |", "| silver | 60 min  |", "| bronze | 240 min |",
		"3 tag categories, 6 tags, ",
		"The RPO of 2 VMs differs",
		b.VMs()[20].Name + "   | silver | 60 min          | 120 min ",
		"tag categories of Site Recovery Manager (1): SRM-com.vmware.vcDr:::group",
	} {
		require.Contains(t, summary, want)
		assert.Contains(t, first["ADOPTED.md"], want)
	}
	tiers := filepath.Join(folder, "tiers.tf")
	require.NoError(t, os.WriteFile(tiers, []byte("# mine\n"), 0o600))
	code, errs := b.run(t, "adopt", "--output", folder, "--tier-category", "sla")
	text, err := os.ReadFile(tiers)
	if code != cli.ExitError || !strings.Contains(errs, "already contains tiers.tf") ||
		string(text) != "# mine\n" || err != nil {
		t.Errorf("got exit code %d, %q, and %q in the file; want 1 and the file as it was", code, errs, text)
	}
}

func TestAdopt_scope(t *testing.T) {
	t.Parallel()
	b := newBrownfield(t, 10, 5)
	for args, want := range map[string]string{
		"--category none":      `--category: vCenter has no tag category "none", only "place", "sla", "SRM-`,
		"--folder none":        `--folder "none"`,
		"--cluster none":       `--cluster "none"`,
		"--tier-category none": `--tier-category: the tag category "none" is not adopted, only "place", "sla", "odd `,
		"--name (":             "--name: ",
		"":                     "replicated VMs have tags of several categories",
	} {
		folder := filepath.Join(t.TempDir(), "estate")
		code, errs := b.run(t, append([]string{"adopt", "-o", folder}, strings.Fields(args)...)...)
		_, err := os.Stat(folder)
		assert.Equal(t, cli.ExitUsage, code, args)
		assert.Contains(t, errs, want, args)
		assert.Error(t, err, args)
	}
}

// TestAdopt_requests checks the number of requests. Of 2,105 VMs, 1,895 have a tier and 30 others have a tag of another
// category, so their IDs fill two pages of 1,000. The appliance returns 210 replications in three pages of 100, and
// each replica is read individually.
func TestAdopt_requests(t *testing.T) {
	t.Parallel()
	b := newBrownfield(t, 2100, 210)
	b.Traffic().Reset()
	b.gateway.Traffic().Reset()
	b.adopt(t, t.TempDir(), "--tier-category", "sla")
	for kind, want := range map[string]int{
		"GET category":                    1,
		"GET category/{id}":               4,
		"GET tag/{id}":                    6,
		"POST tag:list-tags-for-category": 3,
		"POST tag-association:list-attached-objects-on-tags": 1,
		"soap:RetrievePropertiesEx":                          2,
		"POST session":                                       1,
		"soap:Login":                                         1,
	} {
		assert.Equal(t, want, b.Traffic().Counts()[kind], kind)
	}
	counts := b.gateway.Traffic().Counts()
	total := 0
	for _, n := range counts {
		total += n
	}
	// The other requests are logins and completeness checks.
	assert.Equal(t, 3, counts["getAllReplications"], "appliance")
	assert.Equal(t, 210, counts["getReplicatedVmDisks"], "appliance")
	assert.LessOrEqual(t, total, 3+210+7, "appliance")
}
