package cli

import (
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

var (
	plainWord    = regexp.MustCompile(`^[\w./:=%+-]+$`)
	inDoubleWord = regexp.MustCompile("^[^\"$`\\\\!]+$")
)

// shellWord quotes a word for use in both POSIX shells and PowerShell. A word with both kinds of quotation marks is
// quoted for POSIX shells only.
func shellWord(s string) string {
	switch {
	case plainWord.MatchString(s):
		return s
	case strings.Contains(s, "'") && inDoubleWord.MatchString(s):
		return `"` + s + `"`
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// commandLine formats the command with its arguments and then its flags, as help does, without the excluded flags.
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
			word := "--" + f.Name
			if value := f.Value.String(); value != "true" {
				word += "=" + value
			}
			words = append(words, word)
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
