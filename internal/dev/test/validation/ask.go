package validation

import (
	"errors"
	"fmt"
	"maps"
	"strconv"
	"strings"

	"terraform-provider-vsla/internal/plan/registry"
)

var defaultInputs = map[string]map[string]any{
	"replication": {"vm_count": 1.0, "daily_change_percent": 0.0, "rpo_minutes": 60.0},
	"latency":     {"think_seconds": 0.0, "rtt_before_ms": 0.0},
}

var errNoAnswer = errors.New("vsla has no answer")

// predict answers a question. It returns one answer, two if the question contains ranges, or none if the result is
// null.
//
// A question is "command input=value ... -> answer" with a subcommand of `estimate`. "100..70" is a range; all ranges
// of a question are evaluated at the same end. "10:1.5,60:4" is a map. "a.b" is an input in an object. "vms=8" adds
// eight identical VMs to a plan. An answer is a result, optionally converted as in "result / 60", "result * 8", "22.2 /
// result" or "result - 44". Questions can be chained with "; ", where "?" stands for the previous answer.
func predict(question string) ([]float64, error) {
	answers := []float64{0}
	for step := range strings.SplitSeq(question, "; ") {
		ends := answers
		if strings.Contains(step, "..") {
			ends = make([]float64, len(".."))
		}
		next := make([]float64, len(ends))
		for end := range ends {
			var err error
			next[end], err = evaluateStep(step, end, strconv.FormatFloat(ends[end], 'g', -1, 64))
			if errors.Is(err, errNoAnswer) {
				return nil, nil
			}
			if err != nil {
				return nil, fmt.Errorf("%s: %w", step, err)
			}
		}
		answers = next
	}
	return answers, nil
}

// evaluateStep answers a question at one end of its ranges. previous is the previous answer.
func evaluateStep(step string, end int, previous string) (float64, error) {
	calculation, wanted, _ := strings.Cut(step, " -> ")
	words := strings.Fields(calculation)
	c, ok := registry.OfCommand(words[0])
	if !ok {
		return 0, fmt.Errorf("%q is not a calculator", words[0])
	}
	values := maps.Clone(defaultInputs[c.Command])
	if values == nil {
		values = map[string]any{}
	}
	for _, word := range words[1:] {
		name, text, _ := strings.Cut(word, "=")
		if low, high, ok := strings.Cut(text, ".."); ok {
			text = [...]string{low, high}[end]
		}
		if text == "?" {
			text = previous
		}
		setInput(values, name, text)
	}
	if _, ok := values["change_curve"]; ok {
		delete(values, "daily_change_percent")
	}
	if text, ok := values["vms"].(string); ok {
		vms, err := strconv.Atoi(text)
		if err != nil {
			return 0, err
		}
		values["virtual_machines"] = identicalVMs(vms, values["memory_gib"])
		delete(values, "vms")
		delete(values, "memory_gib")
	}
	result, err := c.Evaluate(values)
	if err != nil {
		return 0, err
	}
	return convertResult(result, strings.Fields(wanted))
}

func identicalVMs(vms int, memoryGiB any) map[string]any {
	all := map[string]any{}
	for i := range vms {
		all[strconv.Itoa(i)] = map[string]any{"memory_gib": memoryGiB, "memory_dirty_mbps": 0.0}
	}
	return all
}

// setInput sets an input from its text. The calculators convert numeric text.
func setInput(values map[string]any, name, text string) {
	if object, member, ok := strings.Cut(name, "."); ok {
		inner, _ := values[object].(map[string]any)
		if inner == nil {
			inner = map[string]any{}
			values[object] = inner
		}
		setInput(inner, member, text)
		return
	}
	if !strings.Contains(text, ":") {
		values[name] = text
		return
	}
	points := map[string]any{}
	for point := range strings.SplitSeq(text, ",") {
		x, y, _ := strings.Cut(point, ":")
		points[x] = y
	}
	values[name] = points
}

func convertResult(results map[string]any, words []string) (float64, error) {
	const operation = 3
	if len(words) != 1 && len(words) != operation {
		return 0, fmt.Errorf("%q is not an answer", words)
	}
	operands := [operation]float64{}
	for i := 0; i < len(words); i += 2 {
		var err error
		if operands[i], err = strconv.ParseFloat(words[i], 64); err == nil {
			continue
		}
		switch v, ok := results[words[i]]; v := v.(type) {
		case float64:
			operands[i] = v
		case nil:
			if ok {
				return 0, errNoAnswer
			}
			return 0, fmt.Errorf("%s is not a result", words[i])
		default:
			return 0, fmt.Errorf("%s is %v, want a number", words[i], v)
		}
	}
	switch {
	case len(words) == 1:
		return operands[0], nil
	case words[1] == "/":
		return operands[0] / operands[2], nil
	case words[1] == "*":
		return operands[0] * operands[2], nil
	case words[1] == "-":
		return operands[0] - operands[2], nil
	}
	return 0, fmt.Errorf("%q is not an operation", words[1])
}
