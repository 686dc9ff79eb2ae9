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
)

// TestFromAFileGuide runs the commands of "A capacity review before you have access" on the files of the example.
func TestFromAFileGuide(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"RVTools_tabvInfo.csv", "tiers.yaml"} {
		write(t, dir, name, string(read(t, "examples", "from-a-file", name)))
	}
	guide := read(t, "templates", "guides", "from-a-file.md")
	var printed strings.Builder
	commands := 0
	for _, block := range regexp.MustCompile("(?s)```shell\n(.*?)```").FindAllSubmatch(guide, -1) {
		for line := range strings.Lines(strings.ReplaceAll(string(block[1]), "\\\n", "")) {
			commands++
			command, comment, _ := strings.Cut(strings.TrimSpace(line), "#")
			want, _ := strconv.Atoi(strings.TrimPrefix(comment, " exits with "))
			command, into, _ := strings.Cut(command, ">")
			var out, errs bytes.Buffer
			code := cli.Program{In: strings.NewReader(""), Out: &out, Err: &errs}.Run(t.Context(), arguments(command, dir))
			assert.Equal(t, want, code, "%v, %v", line, errs.String())
			into = strings.TrimSpace(into)
			assert.False(t, into != "" && !bytes.HasPrefix(out.Bytes(), []byte("{")), "%sprints %.100q", line, out.String())
			printed.WriteString(out.String())
		}
	}
	assert.Equal(t, 9, commands)
	// The used MiB of the twelve VMs, one of which is off, are 3,436,544: 3,356 GiB.
	assert.Contains(t, printed.String(), "12 VMs, 1 of them off, with 3,356 GiB in use")
	for name, begins := range map[string]string{"review.html": "<!DOCTYPE html>", "review.md": "# Capacity review"} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err, name)
		assert.True(t, bytes.HasPrefix(text, []byte(begins)), "%s: %v, %.100q", name, err, text)
	}
}

// arguments splits a command as a shell does, with the names of files in a folder, and without the program.
func arguments(command, dir string) []string {
	args := []string{}
	for _, part := range regexp.MustCompile(`'[^']*'|\S+`).FindAllString(command, -1)[1:] {
		part = strings.Trim(part, "'")
		if regexp.MustCompile(`^[A-Za-z_-]+\.(csv|yaml|html|md)$`).MatchString(part) {
			part = filepath.Join(dir, part)
		}
		args = append(args, part)
	}
	return args
}
