package difference

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"terraform-provider-vsla/internal/wording"
)

// Gate is the answer of the policies to the plan. Silent: they gave none.
type Gate struct {
	Denied, Warned []GateFinding
	Silent         bool
}

// GateFinding is a message of the gate with its code.
type GateFinding struct{ Code, Text string }

const maxGateBytes = 16 << 20

var errNoAnswer = errors.New("it has no answer of the gate; `conftest test --output json` writes one")

// ReadGate reads the output of `conftest test --output json`. Findings are sorted by their cause. It returns an error
// if no rule was applied.
func ReadGate(r io.Reader) (*Gate, error) {
	type found struct {
		Text     string `json:"msg"`
		Metadata struct {
			Code string `json:"code"`
		} `json:"metadata"`
	}
	var files []struct {
		Successes int     `json:"successes"`
		Failures  []found `json:"failures"`
		Warnings  []found `json:"warnings"`
	}
	if err := json.NewDecoder(io.LimitReader(r, maxGateBytes)).Decode(&files); err != nil {
		return nil, fmt.Errorf("%w: %w", errNoAnswer, err)
	}
	g, rules := &Gate{}, 0
	for _, file := range files {
		rules += file.Successes + len(file.Failures)
		for _, f := range file.Failures {
			g.Denied = append(g.Denied, GateFinding{f.Metadata.Code, f.Text})
		}
		for _, f := range file.Warnings {
			g.Warned = append(g.Warned, GateFinding{f.Metadata.Code, f.Text})
		}
	}
	if rules == 0 {
		return nil, errNoAnswer
	}
	slices.SortStableFunc(g.Denied, func(a, b GateFinding) int { return cause(a.Code) - cause(b.Code) })
	return g, nil
}

// The causes of a finding: a broken promise, a change that the settings refuse, a consequence of both.
const (
	causePromise = iota
	causeChange
	causeConsequence
)

// causeOf has the findings about promises in the order of their weight, and those that follow from others.
var causeOf = map[string]int{
	"rpo_missed": causePromise, "migration_missed": causePromise, "storage_exceeded": causePromise,
	"limit_exceeded": causePromise, "at_risk": causePromise, "exhausts_before": causePromise,
	"low_headroom": causePromise, "missing": causePromise,
	"check_failed": causeConsequence, "errored": causeConsequence, "partial": causeConsequence,
}

func cause(code string) int {
	if c, ok := causeOf[code]; ok {
		return c
	}
	return causeChange
}

// blocks are the answer as sections: what is refused by its cause, and the warnings.
func (g *Gate) blocks() []*block {
	if g == nil {
		return nil
	}
	first := &block{head: "### ✓ The gate passes\n\n", foot: "\n"}
	if g.Silent {
		first.head = "### ? The gate gave no answer\n\n"
	}
	if n := len(g.Denied); n > 0 {
		first.head = "### ✕ The gate refuses: " + wording.Count(n, "finding") + "\n\n"
	}
	for i, f := range g.Denied {
		text := "- " + prose(cut(f.Text, maxSentence)) + "\n"
		if cause(f.Code) == causeConsequence && i > 0 && cause(g.Denied[i-1].Code) != causeConsequence {
			text = "\nWhat follows:\n\n" + text
		}
		first.lines = append(first.lines, line{full: text, short: text})
	}
	all := []*block{first}
	if n := len(g.Warned); n > 0 {
		head := fmt.Sprintf("<details><summary>Warnings of the gate (%d)</summary>\n\n", n)
		b := &block{head: head, foot: "\n</details>\n\n"}
		for _, f := range g.Warned {
			b.lines = append(b.lines, line{full: "- " + prose(cut(f.Text, maxSentence)) + "\n"})
		}
		all = append(all, b)
	}
	return all
}
