package docstest_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/cli"
	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/dev/lab/tagging"
	"terraform-provider-vsla/internal/dev/terraformcli"
	"terraform-provider-vsla/internal/plan/changerate"
	"terraform-provider-vsla/internal/plan/compliance"
	"terraform-provider-vsla/internal/plan/limits"
	"terraform-provider-vsla/internal/plan/quantity"
)

func TestReviewGuide(t *testing.T) {
	t.Parallel()
	guide := read(t, "templates", "guides", "capacity-review.md")
	config := regexp.MustCompile("(?s)```terraform\n(.*?)```").FindSubmatch(guide)
	require.NotNil(t, config)
	w, dir := acctest.Workspace(t, nil, "examples/readme")
	write(t, dir, "main.tf", string(config[1]))
	follow(t, guide, dir, w, 10)
	begin(t, dir, map[string]string{
		"review.html": "<!DOCTYPE html>",
		"review.md":   "# Capacity review\n\n**1 of 2 promises holds. Silver is at risk: 4 of 40 VMs are late; to fix this, provide",
	})
}

func TestFromAFileGuide(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"RVTools_tabvInfo.csv", "tiers.yaml"} {
		write(t, dir, name, string(read(t, "examples", "from-a-file", name)))
	}
	printed := follow(t, read(t, "templates", "guides", "from-a-file.md"), dir, nil, 9)
	// The twelve VMs, including one that is powered off, use 3,436,544 MiB (3,356 GiB).
	assert.Contains(t, printed, "12 VMs (1 powered off) with 3,356 GiB in use")
	begin(t, dir, map[string]string{
		"inventory.json": "{", "review.html": "<!DOCTYPE html>", "review.md": "# Capacity review",
	})
}

func follow(t *testing.T, guide []byte, dir string, w *terraformcli.Workspace, commands int) string {
	t.Helper()
	var printed strings.Builder
	for _, block := range regexp.MustCompile("(?s)```shell\n(.*?)```").FindAllSubmatch(guide, -1) {
		for line := range strings.Lines(strings.ReplaceAll(string(block[1]), "\\\n", "")) {
			commands--
			command, comment, _ := strings.Cut(strings.TrimSpace(line), "#")
			want := 0 // unless a comment names another exit code
			_, _ = fmt.Sscanf(comment, " exits with %d", &want)
			command, into, redirected := strings.Cut(command, ">")
			var out, errs bytes.Buffer
			code := 0
			if args, ok := strings.CutPrefix(command, "terraform "); ok {
				cmd := w.Command(t.Context(), strings.Fields(args)...)
				cmd.Stdout, cmd.Stderr = &out, &errs
				require.NoError(t, cmd.Run(), "%v, %v", line, errs.String())
			} else {
				code = cli.Program{In: strings.NewReader(""), Out: &out, Err: &errs}.Run(t.Context(), arguments(command, dir))
			}
			assert.Equal(t, want, code, "%v, %v", line, errs.String())
			if redirected {
				write(t, dir, strings.TrimSpace(into), out.String())
			}
			printed.WriteString(out.String())
		}
	}
	assert.Equal(t, 0, commands)
	return printed.String()
}

// arguments splits a command as a shell would and drops the program name. It prefixes file names with the folder.
func arguments(command, dir string) []string {
	args := []string{}
	for _, part := range regexp.MustCompile(`'[^']*'|\S+`).FindAllString(command, -1)[1:] {
		part = strings.Trim(part, "'")
		if regexp.MustCompile(`^([A-Za-z_-]+\.(csv|yaml|html|md|json)|tfplan)$`).MatchString(part) {
			part = filepath.Join(dir, part)
		}
		args = append(args, part)
	}
	return args
}

func begin(t *testing.T, dir string, begins map[string]string) {
	t.Helper()
	for name, want := range begins {
		text, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err, name)
		assert.True(t, bytes.HasPrefix(text, []byte(want)), "%s: %.100q", name, text)
	}
}

func TestChangeRatesGuide(t *testing.T) {
	t.Parallel()
	guide := read(t, "templates", "guides", "change-rates.md")
	text := strings.Join(strings.Fields(string(guide)), " ")
	says := func(what string) {
		t.Helper()
		assert.Contains(t, text, what)
	}
	rates := func(factor float64) changerate.Rates {
		t.Helper()
		estate, err := changerate.NewEstate(changerate.Input{IntervalSeconds: 300, CoalescingFactor: factor})
		require.NoError(t, err)
		r, err := estate.Add(changerate.VM{
			Size:   quantity.FromGiB(100),
			Series: changerate.Series{Times: []int64{300}, Instances: map[string][]int64{"scsi0:0": {1000}}},
		})
		require.NoError(t, err)
		return r
	}
	whole := rates(1)
	says(fmt.Sprintf("writes %.3f Mbit/s and %.2f GiB a day", whole.MeanWriteMbps, whole.DailyWriteGiB))
	says(fmt.Sprintf("that is %.2f%% a day", *whole.DailyChangePercent))
	factor := 6.0 / 10
	says(fmt.Sprintf("give %.1f.", factor))
	says(fmt.Sprintf("`coalescing_factor = %.1f` it is %.2f%%", factor, *rates(factor).DailyChangePercent))
	// 2 GiB per sync, four syncs per hour
	says(fmt.Sprintf("are %d GiB a day", 2*4*24))
	// The series has twelve hours at 10 KBps, followed by twelve hours at 30 KBps.
	day := changerate.Series{Instances: map[string][]int64{}}
	for hour := range int64(24) {
		day.Times = append(day.Times, (hour+1)*3600, hour*3600+1800)
		kbps := 10 + hour/12*20
		day.Instances["scsi0:0"] = append(day.Instances["scsi0:0"], kbps, kbps)
	}
	estate, err := changerate.NewEstate(changerate.Input{IntervalSeconds: 1800, CoalescingFactor: 1})
	require.NoError(t, err)
	profile, err := estate.Add(changerate.VM{Series: day})
	require.NoError(t, err)
	require.NotNil(t, profile.Hours.Weights)
	says(fmt.Sprintf("the weights are %.1f twelve times, then %.1f twelve times",
		profile.Hours.Weights[0], profile.Hours.Weights[23]))
	says(fmt.Sprintf("above %.0f GiB/s", float64(changerate.MaxKBps)/(1<<20)))
	kept := map[int64]string{20: "1 hour", 300: "1 day", 1800: "1 week", 7200: "30 days", 86400: "1 year"}
	for interval, back := range kept {
		hours := map[string]float64{"1 hour": 1, "1 day": 24, "1 week": 168, "30 days": 720, "1 year": 8760}[back]
		assert.Equal(t, hours, changerate.KeptHours(interval), back)
		says(fmt.Sprintf("| %d | %s |", interval, back))
	}
}

func TestComplianceGuide(t *testing.T) {
	t.Parallel()
	guide := read(t, "templates", "guides", "sla-compliance.md")
	blocks := regexp.MustCompile("(?s)```terraform\n(.*?)```").FindAllSubmatch(guide, -1)
	said := regexp.MustCompile("(?s)```text\n(.*?)\n```").FindSubmatch(guide)
	require.Len(t, blocks, 5)
	require.NotNil(t, said)
	for _, verdict := range compliance.Verdicts() {
		assert.Contains(t, string(guide), "`"+verdict+"`")
	}

	lab, g := tiersLab(t)
	lab.KeepObjects()
	category, err := lab.Tags().AddCategory(tagging.Category{Name: "sla", Cardinality: "SINGLE"})
	require.NoError(t, err)
	for tier, machine := range map[string]string{"gold": "db-0003", "silver": "app-0002"} {
		tag, err := lab.Tags().AddTag(tagging.Tag{Name: tier, CategoryID: category})
		require.NoError(t, err)
		for _, vm := range lab.VMs() {
			if vm.Name != machine {
				continue
			}
			require.NoError(t, lab.Tags().Attach(tag, tagging.Object{Type: "VirtualMachine", ID: vm.ID}))
			require.NoError(t, g.AddReplications(15, vm.ID))
		}
	}
	g.Advance(30 * time.Minute)
	w, dir := acctest.Workspace(t, lab, "examples/sla-tiers")
	for _, file := range []string{
		"main.tf", "compliance.tf", "outputs.tf", "variables.tf", "versions.tf", "terraform.tfvars", "README.md",
	} {
		require.NoError(t, os.Remove(filepath.Join(dir, file)))
	}
	write(t, dir, "main.tf", string(blocks[1][1])+string(blocks[4][1]))
	out := acctest.RunTerraform(t, w, 0, "plan", "-input=false", "-no-color")
	require.Contains(t, out, "broken")
	assert.Contains(t, out, "The last sync sent")
	// Remove the folder filter, because the lab has VMs without a tier but no folder prod.
	uncovered := regexp.MustCompile(`folder +=.*`).ReplaceAllString(string(blocks[0][1]), "")
	write(t, dir, "main.tf", string(blocks[1][1])+uncovered)
	out = acctest.RunTerraform(t, w, 1, "plan", "-input=false", "-no-color")
	require.Contains(t, out, "VMs without a tier: ")
	assert.NotContains(t, out, "Of 2 VMs with a tier")
	write(t, dir, "main.tf", string(blocks[1][1])+string(blocks[4][1]))
	for _, r := range g.Replications() {
		if r.Name == "app-0002" {
			g.PauseReplication(r.VM, true)
		}
	}
	out = acctest.RunTerraform(t, w, 1, "plan", "-input=false", "-no-color")
	words := strings.Join(strings.Fields(strings.ReplaceAll(out, "│", " ")), " ")
	assert.Contains(t, words, string(said[1]), out)
	// The guide's alternative condition accepts only a powered-off VM with the verdict not_active. The VM is powered on
	// and paused, so the plan passes only if both values in the condition are changed.
	condition := strings.TrimSpace(string(blocks[3][1]))
	own := regexp.MustCompile(`condition +=.*`).ReplaceAllLiteralString(string(blocks[1][1]), condition)
	own += string(blocks[2][1])
	verdict, power := strings.NewReplacer("not_active", "paused"), strings.NewReplacer("poweredOff", "poweredOn")
	for config, code := range map[string]int{
		own: 1, verdict.Replace(own): 1, power.Replace(own): 1, verdict.Replace(power.Replace(own)): 0,
	} {
		write(t, dir, "main.tf", config)
		acctest.RunTerraform(t, w, code, "plan", "-input=false", "-no-color")
	}
}

// TestFirstPlan checks that the verdicts are already known in the first plan, before any tag exists.
func TestFirstPlan(t *testing.T) {
	t.Parallel()
	lab, _ := tiersLab(t)
	for _, test := range []struct {
		example, output string
		keys            []string
	}{
		{"examples/demo", "verdicts", []string{"gold", "silver", "bronze"}},
		{tiersExample, "verdicts", []string{"gold", "silver"}},
	} {
		t.Run(test.example, func(t *testing.T) {
			t.Parallel()
			w, dir := acctest.Workspace(t, lab, test.example)
			write(t, dir, "provider_override.tf", impatient)
			verdicts := plannedVerdicts(t, w, test.output)
			for _, tier := range test.keys {
				assert.Equal(t, "meets", verdicts[tier])
			}
		})
	}
}

// plannedVerdicts runs a plan and returns the verdicts in an output. A verdict is empty if it is unknown.
func plannedVerdicts(t *testing.T, w *terraformcli.Workspace, output string) map[string]string {
	t.Helper()
	acctest.RunTerraform(t, w, 0, "plan", "-out=tfplan", "-input=false", "-no-color")
	cmd := w.Command(t.Context(), "show", "-json", "tfplan")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, io.Discard
	require.NoError(t, cmd.Run())
	var plan struct {
		Changes map[string]struct {
			After any `json:"after"`
		} `json:"output_changes"`
	}
	require.NoError(t, json.Unmarshal(out.Bytes(), &plan))
	verdicts := map[string]string{}
	after, _ := plan.Changes[output].After.(map[string]any)
	for name, verdict := range after {
		verdicts[name], _ = verdict.(string)
	}
	return verdicts
}

func TestLimitsPage(t *testing.T) {
	t.Parallel()
	page := read(t, "templates", "data-sources", "configuration_limits.md.tmpl")
	for _, product := range limits.Products() {
		for _, version := range limits.Versions(product) {
			result, err := limits.Check(limits.Input{Product: product, Version: version})
			require.NoError(t, err)
			names := strings.Join(slices.Sorted(maps.Keys(result.Limits)), "`, `")
			assert.Contains(t, string(page), fmt.Sprintf("| `%s` | %s | `%s` |\n", product, version, names))
		}
	}
}

func TestMocksGuide(t *testing.T) {
	t.Parallel()
	guide := read(t, "templates", "guides", "test-with-mocks.md")
	blocks := regexp.MustCompile("(?s)```terraform\n(.*?)```").FindAllStringSubmatch(string(guide), -1)
	require.Len(t, blocks, 2)
	acctest.ForEachCLI(t, func(t *testing.T, cli terraformcli.CLI) {
		t.Helper()
		w, dir := acctest.WorkspaceWithCLI(t, cli, nil, "examples/readme")
		write(t, dir, "main.tf", blocks[1][1])
		require.NoError(t, os.Mkdir(filepath.Join(dir, "tests"), 0o700))
		write(t, dir, "tests/promise.tftest.hcl", blocks[0][1])
		assert.Contains(t, acctest.RunTerraform(t, w, 0, "test", "-no-color"), "2 passed, 0 failed")
	})
}

func TestGuides_versions(t *testing.T) {
	t.Parallel()
	root, err := acctest.Root()
	require.NoError(t, err)
	files, err := filepath.Glob(filepath.Join(root, "templates", "guides", "*.md"))
	require.NoError(t, err)
	job := filepath.Join(root, "examples", "pipeline", "github-actions.yml")
	files = append(files, filepath.Join(root, "README.md"), job)
	install := regexp.MustCompile(`go install (github\.com/[\w./-]+)@(\S+)`)
	seen := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, found := range install.FindAllStringSubmatch(string(text), -1) {
			seen++
			module := filepath.Join(root, "internal", "dev", "tools", filepath.Base(found[1]), "go.mod")
			pinned, err := os.ReadFile(module)
			want := found[1] + " " + found[2]
			require.NoError(t, err, "%v, %v, %v", filepath.Base(file), found[0], module)
			assert.Contains(t, string(pinned), want, "%v, %v, %v", filepath.Base(file), found[0], module)
		}
	}
	assert.NotEqual(t, 0, seen, "got no program that a guide installs, want conftest")
}
