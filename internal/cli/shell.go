package cli

import (
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

var plainWord = regexp.MustCompile(`^[\w./:\\=@%+,-]+$`)

// shellWord quotes a word for use in both POSIX shells and PowerShell.
func shellWord(s string) string {
	if plainWord.MatchString(s) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// commandLine formats the command with its arguments and flags, without the excluded flags.
func commandLine(cmd *cobra.Command, excluded ...string) string {
	words := []string{cmd.CommandPath()}
	for _, arg := range cmd.Flags().Args() {
		words = append(words, shellWord(arg))
	}
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if slices.Contains(excluded, f.Name) {
			return
		}
		if f.Value.Type() == "bool" {
			words = append(words, "--"+f.Name)
			return
		}
		values := []string{f.Value.String()}
		if list, ok := f.Value.(pflag.SliceValue); ok {
			values = list.GetSlice()
		}
		for _, value := range values {
			words = append(words, "--"+f.Name, shellWord(value))
		}
	})
	return strings.Join(words, " ")
}
