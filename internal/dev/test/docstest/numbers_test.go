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
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/dev/lab/gateway"
	"terraform-provider-vsla/internal/dev/lab/tagging"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
	"terraform-provider-vsla/internal/dev/plantest"
	"terraform-provider-vsla/internal/dev/terraformcli"
	"terraform-provider-vsla/internal/dev/test/validation"
	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/calibration"
	"terraform-provider-vsla/internal/plan/quantity"
	"terraform-provider-vsla/internal/plan/registry"
)

// numbers computes the numbers in guides, as defined by the lines of testdata/numbers.txt:
//
//	page FILE ...
//	NAME = CALCULATOR {INPUTS}
//	NAME = OTHER NAME {CHANGES}
//	says TEXT
//
// The text must occur on one of the pages. In the text, "{ARITHMETIC | DECIMALS}" is a number, "{ARITHMETIC | time}" is
// a duration, and "{NAME.RESULT}" is a text result. Arithmetic can refer to results as NAME.RESULT.
type numbers struct {
	*testing.T

	pages   string
	inputs  map[string]map[string]any
	command map[string]string
	results map[string]map[string]any
}

func TestNumbers(t *testing.T) {
	t.Parallel()
	n := numbers{
		T: t, inputs: map[string]map[string]any{}, command: map[string]string{},
		results: map[string]map[string]any{"rows": countRows(), "basis": bandFactors(), "limit": {
			"seconds": float64(calibration.MeasurableSeconds),
		}},
	}
	said := 0
	for line := range strings.Lines(string(read(t, "internal", "dev", "test", "docstest", "testdata", "numbers.txt"))) {
		line = strings.TrimSpace(line)
		word, rest, _ := strings.Cut(line, " ")
		switch {
		case line == "", strings.HasPrefix(line, "#"):
		case word == "page":
			n.pages = ""
			for page := range strings.FieldsSeq(rest) {
				n.pages += " " + strings.Join(strings.Fields(string(read(t, "templates", "guides", page))), " ")
			}
		case word == "says":
			said++
			assert.Contains(t, n.pages, n.fillPlaceholders(rest))
		default:
			n.evaluate(word, strings.TrimPrefix(rest, "= "))
		}
	}
	assert.GreaterOrEqual(t, said, 80)
}

func (n numbers) evaluate(name, question string) {
	n.Helper()
	of, text, _ := strings.Cut(question, " ")
	var changes map[string]any
	if err := json.Unmarshal([]byte(text), &changes); err != nil {
		n.Fatalf("%s: %v", question, err)
	}
	inputs, command := map[string]any{}, of
	if known, ok := n.command[of]; ok {
		inputs, command = maps.Clone(n.inputs[of]), known
	}
	maps.Copy(inputs, changes)
	c, ok := registry.OfCommand(command)
	if !ok {
		n.Fatalf("%s: got %q, want a calculator", question, command)
	}
	result, err := c.Evaluate(expandVMs(inputs))
	if err != nil {
		n.Fatalf("%s: %v", question, err)
	}
	n.inputs[name], n.command[name], n.results[name] = inputs, command, result
}

// expandVMs replaces a VM named "160 on 16" with 160 VMs on 16 hosts.
func expandVMs(inputs map[string]any) map[string]any {
	vms, _ := inputs["virtual_machines"].(map[string]any)
	var count, hosts int
	for name, vm := range vms {
		one, isVM := vm.(map[string]any)
		if _, err := fmt.Sscanf(name, "%d on %d", &count, &hosts); err != nil || !isVM {
			return inputs
		}
		all := map[string]any{}
		for i := range count {
			copied := maps.Clone(one)
			copied["host"] = strconv.Itoa(i % hosts)
			all[strconv.Itoa(i)] = copied
		}
		inputs = maps.Clone(inputs)
		inputs["virtual_machines"] = all
	}
	return inputs
}

var (
	placeholder = regexp.MustCompile(`\{[^}]*\}`)
	resultPath  = regexp.MustCompile(`[a-z]\w*(\.[a-z]\w*)+`)
)

func (n numbers) fillPlaceholders(text string) string {
	n.Helper()
	return placeholder.ReplaceAllStringFunc(text, func(part string) string {
		asked, format, formatted := strings.Cut(strings.Trim(part, "{}"), " | ")
		arithmetic := resultPath.ReplaceAllStringFunc(asked, n.resultText)
		if !formatted {
			return arithmetic
		}
		v, err := plantest.Arithmetic(arithmetic)
		if err != nil {
			n.Fatalf("%s: %v", text, err)
		}
		if format == "time" {
			return quantity.Duration(v).String()
		}
		decimals, err := strconv.Atoi(format)
		if err != nil {
			n.Fatalf("%s: %v", text, err)
		}
		return plan.Thousands(v, decimals)
	})
}

func (n numbers) resultText(path string) string {
	n.Helper()
	name, rest, _ := strings.Cut(path, ".")
	var v any = n.results[name]
	for step := range strings.SplitSeq(rest, ".") {
		of, _ := v.(map[string]any)
		v = of[step]
	}
	switch v := v.(type) {
	case float64:
		return "(" + strconv.FormatFloat(v, 'f', -1, 64) + ")"
	case string:
		return v
	}
	n.Fatalf("%s: got %v, want a result", path, v)
	return ""
}

// countRows counts the rows on the validation page, in total and in each group, and the mismatches by cause. Groups are
// numbered in page order.
func countRows() map[string]any {
	titles, hold, rows := validation.CountByGroup()
	counts := map[string]any{"all": 0.0, "misses": 0.0}
	for i, title := range titles {
		counts["hold"+strconv.Itoa(i)], counts["of"+strconv.Itoa(i)] = float64(hold[title]), float64(rows[title])
	}
	add := func(name string) {
		n, _ := counts[name].(float64)
		counts[name] = n + 1
	}
	for _, r := range validation.Rows() {
		add("all")
		if r.Mismatch.Cause != "" {
			add("misses")
			add(map[validation.Cause]string{
				validation.CauseInput: "input", validation.CauseSource: "source", validation.CauseModel: "model",
				validation.CauseUnexplained: "unexplained",
			}[r.Mismatch.Cause])
		}
	}
	return counts
}

func bandFactors() map[string]any {
	factors := map[string]any{}
	for _, basis := range []string{plan.BasisTransfer, plan.BasisNominal} {
		fourOfFive, nineOfTen := plan.BandFactors(basis)
		factors[basis+"_80"], factors[basis+"_90"] = fourOfFive, nineOfTen
	}
	return factors
}

const tiersExample = "examples/sla-tiers"

// impatient raises the request limit so that the provider does not wait. The lab has no limit.
const impatient = "provider \"vsla\" {\n  replication = {\n    requests_per_minute = 6000\n  }\n}\n"

// tiersLab returns a lab with two VMs for each tier of the example and very short initial syncs.
func tiersLab(t *testing.T) (*acctest.Lab, *gateway.Gateway) {
	t.Helper()
	lab := acctest.Start(t, vcsim.Config{VMs: 8})
	g := lab.AddReplication(t, gateway.Config{})
	g.StepPerPoll(20 * time.Second)
	for _, vm := range lab.VMs() {
		g.SetUsed(vm.ID, 1e6)
	}
	return lab, g
}

func TestTiers_terraformTest(t *testing.T) {
	t.Parallel()
	root, err := acctest.Root()
	require.NoError(t, err)
	acctest.ForEachCLI(t, func(t *testing.T, cli terraformcli.CLI) {
		t.Helper()
		lab, _ := tiersLab(t)
		w, dir := acctest.WorkspaceWithCLI(t, cli, lab, tiersExample)
		require.NoError(t, os.CopyFS(filepath.Join(dir, "tests"), os.DirFS(filepath.Join(root, tiersExample, "tests"))))
		write(t, dir, "provider.tf", impatient)
		out := acctest.RunTerraform(t, w, 0, "test", "-no-color")
		assert.Contains(t, out, "7 passed, 0 failed")
	})
}

type complianceOutput struct {
	Compliant             bool              `json:"compliant"`
	Summary               string            `json:"summary"`
	Count                 int               `json:"vm_count"`
	Unprotected           []string          `json:"unprotected"`
	Weaker                []string          `json:"weaker_than_promised"`
	InViolation           []string          `json:"in_violation"`
	SeveralTiers          []string          `json:"several_tiers"`
	UntaggedButReplicated []string          `json:"untagged_but_replicated"`
	Verdicts              map[string]string `json:"verdicts"`
}

func planned(t *testing.T, w *terraformcli.Workspace, code int) (complianceOutput, string) {
	t.Helper()
	said := acctest.RunTerraform(t, w, code, "plan", "-detailed-exitcode", "-out=tfplan", "-input=false", "-no-color")
	cmd := w.Command(t.Context(), "show", "-json", "tfplan")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, io.Discard
	require.NoError(t, cmd.Run())
	var plan struct {
		Values struct {
			Outputs struct {
				Compliance struct {
					Value complianceOutput `json:"value"`
				} `json:"compliance"`
			} `json:"outputs"`
		} `json:"planned_values"`
	}
	require.NoError(t, json.Unmarshal(out.Bytes(), &plan))
	return plan.Values.Outputs.Compliance.Value, said
}

func TestTiers_drift(t *testing.T) {
	t.Parallel()
	acctest.ForEachCLI(t, func(t *testing.T, cli terraformcli.CLI) {
		t.Helper()
		lab, g := tiersLab(t)
		w, dir := acctest.WorkspaceWithCLI(t, cli, lab, tiersExample)
		write(t, dir, "provider.tf", impatient)
		acctest.RunTerraform(t, w, 0, "apply", "-auto-approve", "-input=false", "-no-color")
		id := make(map[string]string)
		for _, vm := range lab.VMs() {
			id[vm.Name] = vm.ID
		}
		db, app, other := id["db-0003"], id["app-0002"], id["web-0001"]
		gold := tagID(t, lab, "gold")

		// The first plan after the apply refreshes all resources, so only the output changes.
		now, said := planned(t, w, 0)
		if !now.Compliant || now.Count != 4 || len(now.Verdicts) > 0 ||
			now.Summary != "All promises are met for 4 VMs." {
			t.Fatalf("%+v\n%s", now, said)
		}
		want := complianceOutput{
			Count: 4, Unprotected: []string{}, Weaker: []string{}, InViolation: []string{}, SeveralTiers: []string{},
			UntaggedButReplicated: []string{}, Verdicts: map[string]string{},
		}
		for _, step := range []struct {
			what   string
			do     func()
			expect func()
		}{
			{"the tag is taken off", func() {
				require.NoError(t, lab.Tags().Detach(gold, tagging.Object{Type: "VirtualMachine", ID: id["db-0007"]}))
			}, func() {
				want.Compliant, want.Count = true, 3
				want.UntaggedButReplicated, want.Verdicts[id["db-0007"]] = []string{id["db-0007"]}, "untagged"
			}},
			{"the RPO is weakened", func() { g.ChangeRPO(db, 240) }, func() {
				want.Compliant = false
				want.Weaker, want.Verdicts[db] = []string{db}, "weaker_than_promised"
			}},
			{"a replication is paused", func() { g.PauseReplication(app, true) }, func() {
				want.Unprotected, want.Verdicts[app] = []string{app}, "paused"
			}},
			{"a VM is tagged by hand", func() {
				require.NoError(t, lab.Tags().Attach(gold, tagging.Object{Type: "VirtualMachine", ID: other}))
			}, func() {
				want.Count = 4
				want.Unprotected, want.Verdicts[other] = []string{other, app}, "unprotected"
			}},
		} {
			step.do()
			step.expect()
			got, said := planned(t, w, 2)
			want.Summary = got.Summary
			assert.Equal(t, want, got, step.what)
			assert.NotEqual(t, want.Compliant, strings.Contains(said, "Check block assertion failed"),
				"%v, %v", step.what, said)
		}
		// The apply repairs the tag and the RPO. It does not resume the paused replication or remove the tag attached by
		// hand.
		acctest.RunTerraform(t, w, 0, "apply", "-auto-approve", "-input=false", "-no-color")
		got, _ := planned(t, w, 2)
		want.Count, want.Weaker, want.UntaggedButReplicated = 5, []string{}, []string{}
		want.Verdicts = map[string]string{app: "paused", other: "unprotected"}
		want.Summary = got.Summary
		assert.Equal(t, want, got)
		require.NoError(t, lab.Tags().Detach(gold, tagging.Object{Type: "VirtualMachine", ID: other}))
		acctest.RunTerraform(t, w, 0, "destroy", "-auto-approve", "-input=false", "-no-color")
		assert.Empty(t, g.Replications())
	})
}

func tagID(t *testing.T, lab *acctest.Lab, name string) string {
	t.Helper()
	for _, tag := range lab.Tags().Tags() {
		if tag.Name == name {
			return tag.ID
		}
	}
	t.Fatalf("there is no tag %q", name)
	return ""
}

func read(t *testing.T, path ...string) []byte {
	t.Helper()
	root, err := acctest.Root()
	require.NoError(t, err)
	content, err := os.ReadFile(filepath.Join(root, filepath.Join(path...)))
	require.NoError(t, err)
	return content
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
}
