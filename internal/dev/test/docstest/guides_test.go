package docstest_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/cli"
	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/dev/lab/tagging"
	"terraform-provider-vsla/internal/dev/terraformcli"
	"terraform-provider-vsla/internal/plan/compliance"
)

var (
	word     = regexp.MustCompile(`'[^']*'|\S+`)
	fileName = regexp.MustCompile(`^([A-Za-z_-]+\.(csv|yaml|html|md|json)|tfplan)$`)
)

// arguments splits a command as a shell would and drops the program name. It prefixes file names with the folder.
func arguments(command, dir string) []string {
	args := []string{}
	for _, part := range word.FindAllString(command, -1)[1:] {
		part = strings.Trim(part, "'")
		if fileName.MatchString(part) {
			part = filepath.Join(dir, part)
		}
		args = append(args, part)
	}
	return args
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
				code = cli.Program{In: strings.NewReader(""), Out: &out, Err: &errs}.Run(t.Context(),
					arguments(command, dir))
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

func begin(t *testing.T, dir string, begins map[string]string) {
	t.Helper()
	for name, want := range begins {
		text, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err, name)
		assert.True(t, bytes.HasPrefix(text, []byte(want)), "%s: %.100q", name, text)
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
	verdict := strings.NewReplacer("not_active", "paused")
	power := strings.NewReplacer("poweredOff", "poweredOn")
	for config, code := range map[string]int{
		own:                                 1,
		verdict.Replace(own):                1,
		power.Replace(own):                  1,
		verdict.Replace(power.Replace(own)): 0,
	} {
		write(t, dir, "main.tf", config)
		acctest.RunTerraform(t, w, code, "plan", "-input=false", "-no-color")
	}
}
