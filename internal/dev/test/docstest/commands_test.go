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
	"terraform-provider-vsla/internal/dev/terraformcli"
)

// TestReviewGuide follows the guide "A capacity review" line by line, to the result that it prints.
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
		"review.md":   "# Capacity review\n\n**1 of 2 promises hold. Silver is at risk: 4 of 40 VMs are late; provide",
	})
}

// TestFromAFileGuide runs the commands of "A capacity review before you have access" on the files of the example.
func TestFromAFileGuide(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"RVTools_tabvInfo.csv", "tiers.yaml"} {
		write(t, dir, name, string(read(t, "examples", "from-a-file", name)))
	}
	printed := follow(t, read(t, "templates", "guides", "from-a-file.md"), dir, nil, 9)
	// The used MiB of the twelve VMs, one of which is off, are 3,436,544: 3,356 GiB.
	assert.Contains(t, printed, "12 VMs, 1 of them off, with 3,356 GiB in use")
	begin(t, dir, map[string]string{
		"inventory.json": "{", "review.html": "<!DOCTYPE html>", "review.md": "# Capacity review",
	})
}

// follow runs the commands of a guide in a folder, with their redirections and exit codes, and returns what they print.
func follow(t *testing.T, guide []byte, dir string, w *terraformcli.Workspace, commands int) string {
	t.Helper()
	var printed strings.Builder
	for _, block := range regexp.MustCompile("(?s)```shell\n(.*?)```").FindAllSubmatch(guide, -1) {
		for line := range strings.Lines(strings.ReplaceAll(string(block[1]), "\\\n", "")) {
			commands--
			command, comment, _ := strings.Cut(strings.TrimSpace(line), "#")
			want, _ := strconv.Atoi(strings.TrimPrefix(comment, " exits with "))
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

// arguments splits a command as a shell does, with the names of files in a folder, and without the program.
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

// begin checks the first characters of files.
func begin(t *testing.T, dir string, begins map[string]string) {
	t.Helper()
	for name, want := range begins {
		text, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err, name)
		assert.True(t, bytes.HasPrefix(text, []byte(want)), "%s: %.100q", name, text)
	}
}
