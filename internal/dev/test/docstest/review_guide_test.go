package docstest_test

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/cli"
	"terraform-provider-vsla/internal/dev/acctest"
)

// TestReviewGuide follows the guide "A capacity review" line by line, to the result that it prints.
func TestReviewGuide(t *testing.T) {
	t.Parallel()
	guide := read(t, "templates", "guides", "capacity-review.md")
	config := regexp.MustCompile("(?s)```terraform\n(.*?)```").FindSubmatch(guide)
	blocks := regexp.MustCompile("(?s)```shell\n(.*?)```").FindAllSubmatch(guide, -1)
	require.NotNil(t, config)
	require.Len(t, blocks, 3)
	w, dir := acctest.Workspace(t, nil, "examples/readme")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "main.tf"), config[1], 0o600))
	inDir := func(args []string) []string {
		for i, arg := range args {
			if arg == "tfplan" || regexp.MustCompile(`^[a-z]+\.[a-z]+$`).MatchString(arg) {
				args[i] = filepath.Join(dir, arg)
			}
		}
		return args
	}
	for _, block := range blocks {
		for line := range strings.Lines(string(block[1])) {
			command, comment, _ := strings.Cut(strings.TrimSpace(line), "#")
			want, _ := strconv.Atoi(strings.TrimPrefix(comment, " exits with "))
			command, into, _ := strings.Cut(command, ">")
			args := strings.Fields(command)
			var out, errs bytes.Buffer
			code := 0
			if args[0] == "terraform" {
				cmd := w.Command(t.Context(), args[1:]...)
				cmd.Stdout, cmd.Stderr = &out, &errs
				require.NoError(t, cmd.Run(), "%v, %v", line, errs.String())
			} else {
				code = cli.Program{In: strings.NewReader(""), Out: &out, Err: &errs}.Run(t.Context(), inDir(args[1:]))
			}
			assert.Equal(t, want, code, "%v, %v", line, errs.String())
			if into = strings.TrimSpace(into); into != "" {
				require.NoError(t, os.WriteFile(filepath.Join(dir, into), out.Bytes(), 0o600))
			}
		}
	}
	for name, begins := range map[string]string{
		"review.html": "<!DOCTYPE html>",
		"review.md":   "# Capacity review\n\n**1 of 2 promises hold. Silver is at risk: 4 of 40 VMs are late; provide",
	} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err, name)
		assert.True(t, bytes.HasPrefix(text, []byte(begins)), "%s: %v, %.100q", name, err, text)
	}
}
