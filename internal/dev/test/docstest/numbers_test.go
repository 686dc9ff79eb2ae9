package docstest_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"terraform-provider-vsla/internal/dev/plantest"
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
		T:       t,
		inputs:  map[string]map[string]any{},
		command: map[string]string{},
		results: map[string]map[string]any{
			"rows":  countRows(),
			"basis": bandFactors(),
			"limit": {
				"seconds": float64(calibration.MeasurableSeconds),
			},
		},
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
	assert.GreaterOrEqual(t, said, 70)
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
	n.inputs[name] = inputs
	n.command[name] = command
	n.results[name] = result
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
		counts["hold"+strconv.Itoa(i)] = float64(hold[title])
		counts["of"+strconv.Itoa(i)] = float64(rows[title])
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
				validation.CauseInput:       "input",
				validation.CauseSource:      "source",
				validation.CauseModel:       "model",
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
