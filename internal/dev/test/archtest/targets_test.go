package archtest_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// byHand lists the Makefile targets that no workflow needs to run, with reasons.
var byHand = map[string]string{
	"ci":          "the job check runs each of its steps",
	"help":        "prints",
	"demo":        "TestDemo runs it",
	"lab":         "runs until it is stopped",
	"clean":       "removes build/",
	"fmt":         "changes files, and lint checks them",
	"change":      "asks its user",
	"validation":  "TestPage_drift checks the page",
	"vr-contract": "needs the vendor's document",
	"test-unit":   "a part of test",
}

var target = regexp.MustCompile(`(?m)^([a-z][a-z-]*):([^#\n=]*)(?:##.*)?$`)

func TestTargets(t *testing.T) {
	t.Parallel()
	const root = "../../../../"
	makefile, err := os.ReadFile(root + "GNUmakefile")
	require.NoError(t, err)
	files, err := filepath.Glob(root + ".github/workflows/*.yml")
	require.NoError(t, err)
	var commands strings.Builder
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		for line := range strings.Lines(string(text)) {
			if _, command, ok := strings.Cut(line, "make "); ok {
				commands.WriteString(" " + command)
			}
		}
	}
	needs := map[string][]string{}
	for _, m := range target.FindAllStringSubmatch(string(makefile), -1) {
		needs[m[1]] = append(needs[m[1]], strings.Fields(m[2])...)
	}
	run := strings.Fields(commands.String())
	for i := 0; i < len(run); i++ {
		for _, name := range needs[run[i]] {
			if !slices.Contains(run, name) {
				run = append(run, name)
			}
		}
	}
	require.GreaterOrEqual(t, len(needs), 30)
	for name := range needs {
		switch ran, reason := slices.Contains(run, name), byHand[name]; {
		case ran && reason != "":
			t.Errorf("a workflow runs %s, want it removed from byHand (%q)", name, reason)
		case !ran && reason == "":
			t.Errorf("no workflow runs %s, want one, or a reason in byHand", name)
		}
	}
}
