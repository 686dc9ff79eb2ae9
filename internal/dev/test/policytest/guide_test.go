package policytest_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"terraform-provider-vsla/internal/dev/terraformcli"
)

// replaced replaces the one place in a text.
func replaced(t *testing.T, text, old, with string) string {
	t.Helper()
	if strings.Count(text, old) != 1 {
		t.Fatalf("%d places with %q", strings.Count(text, old), old)
	}
	return strings.Replace(text, old, with, 1)
}

const guideFile = "templates/guides/gate-a-pipeline.md"

// TestGuide_quickStart runs the quick start in a copy of the examples: the first plan passes, the second is refused.
func TestGuide_quickStart(t *testing.T) {
	t.Parallel()
	needConftest(t)
	_, guide, _ := strings.Cut(read(t, guideFile), "## Quick start\n")
	quick, _, _ := strings.Cut(guide, "\n## ")
	if lines := strings.Count(quick, "\n"); lines > 40 {
		t.Errorf("the quick start has %d lines, want at most 40", lines)
	}
	blocks := regexp.MustCompile("(?s)```(?:shell|text)\n(.*?)```").FindAllStringSubmatch(quick, -1)
	if len(blocks) != 3 {
		t.Fatalf("%d blocks, want 3", len(blocks))
	}
	each(t, func(t *testing.T, cli terraformcli.CLI) {
		t.Helper()
		r := newRunner(t, cli, map[string]string{})
		if err := os.CopyFS(filepath.Join(r.dir, "examples"), os.DirFS(filepath.Join(root(t), "examples"))); err != nil {
			t.Fatal(err)
		}
		begin := replaced(t, blocks[0][1], "make install\n",
			fromMirror)
		if out, ok := r.script(r.dir, "sh", begin); !ok {
			t.Fatalf("want a plan that passes:\n%s", out)
		}
		out, ok := r.script(filepath.Join(r.dir, "examples", "policy"), "sh", blocks[1][1])
		if want := flat(blocks[2][1]); ok || !strings.Contains(flat(out), want) {
			t.Errorf("passes %t, want %q in\n%s", ok, want, out)
		}
	})
}

// TestPipelines_capacity: the example with what the guide adds to it, after its first apply, is allowed by the bundle
// with the guide's commands, and refused as the guide describes.
func TestPipelines_capacity(t *testing.T) {
	t.Parallel()
	guide := read(t, guideFile)
	_, guide, _ = strings.Cut(guide, "## Growth, space, tags")
	blocks := regexp.MustCompile("(?s)```(terraform|yaml|shell)\n(.*?)```").FindAllStringSubmatch(guide, -1)
	if len(blocks) < 4 || blocks[0][1] != "terraform" || blocks[1][1] != "yaml" || blocks[3][1] != "shell" {
		t.Fatalf("%d blocks", len(blocks))
	}
	capacity, expected, beside, commands := blocks[0][2], blocks[1][2], blocks[2][2], blocks[3][2]
	each(t, func(t *testing.T, cli terraformcli.CLI) {
		t.Helper()
		r := newRunner(t, cli, map[string]string{"opa": opa.path(t)})
		dir := r.tree("capacity", nil)
		if err := os.Symlink(root(t), filepath.Join(dir, "vsla")); err != nil {
			t.Fatal(err)
		}
		begin := fromMirror + "terraform init -input=false\nterraform apply -input=false -auto-approve\n"
		if out, ok := r.script(dir, "sh", begin); !ok {
			t.Fatal(out)
		}
		change := func(file, old, with string) {
			path := filepath.Join(dir, file)
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(replaced(t, string(text), old, with)), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		const rpo, settings = "= each.value.rpo_minutes\n", "policy/settings.yaml"
		change("main.tf", rpo, rpo+"  growth_percent_per_year = 20\n")
		change(settings, "  approvers:", expected+beside+"  approvers:")
		if err := os.WriteFile(filepath.Join(dir, "capacity.tf"), []byte(capacity), 0o600); err != nil {
			t.Fatal(err)
		}
		why := strings.ReplaceAll(strings.ReplaceAll(commands, " --fail ", " "), "data.vsla.allow", "data.vsla.deny")
		for _, test := range []struct{ variable, says string }{
			{"", ""},
			// The delta of 10.9 GiB within half of 15 minutes: 208.4 Mbit/s; 12 ln(230 / 208.4) / ln 1.2 = 6.5 months.
			{"TF_VAR_link_mbps=230", `tier[\"gold\"] holds for 6 months; the settings ask for 12 (code exhausts_before`},
			// 660.4 GiB of 800 GiB leave 17.5 %.
			{"TF_VAR_target_free_gib=800", `tier[\"silver\"] leaves 17 % of the free space; the settings ask for 20 %`},
			{"^db-000", `tier[\"gold\"] detaches 8 tags; the settings allow 2`},
		} {
			if strings.HasPrefix(test.variable, "^") {
				change("main.tf", `"^db-"`, `"`+test.variable+`"`)
			}
			out, ok := r.script(dir, "sh", commands, test.variable)
			if ok != (test.says == "") {
				t.Errorf("%s: passes %t\n%s", test.variable, ok, out)
			}
			if out, ok := r.script(dir, "sh", why, test.variable); !ok || !strings.Contains(out, test.says) {
				t.Errorf("%s does not say %s:\n%s", test.variable, test.says, out)
			}
		}
	})
}
