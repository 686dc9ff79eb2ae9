package cli

import (
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestShellWord(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]string{
		"rvtools.xlsx":  "rvtools.xlsx",
		"a=1.5":         "a=1.5",
		"a b":           "'a b'",
		"a,b":           "'a,b'", // a list in PowerShell
		`C:\x`:          `'C:\x'`,
		"owner's file":  `"owner's file"`,
		`owner's $HOME`: `'owner'\''s $HOME'`,
		"":              "''",
	} {
		assert.Equal(t, want, shellWord(word), word)
	}
}

func TestCommandLine(t *testing.T) {
	t.Parallel()
	cmd := &cobra.Command{Use: "review", Run: func(*cobra.Command, []string) {}}
	flags := cmd.Flags()
	flags.Bool("init", false, "")
	flags.Bool("color", true, "")
	flags.StringArray("set", nil, "")
	flags.String("out", "", "")
	args := []string{"in put", "--set", "a=1", "--init", "--color=false", "--set", "b", "--out", "x"}
	require.NoError(t, cmd.ParseFlags(args))
	assert.Equal(t, "review 'in put' --color=false --init --set a=1 --set b", commandLine(cmd, "out"))
}
