// Package cli implements the vsla command line, which does not need Terraform.
//
// The flags, units, ranges and results of the estimate commands are derived from the calculators. Only results are
// written to standard output.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

// Exit codes. ExitMiss means that the calculation succeeded with the verdict "misses".
const (
	ExitOK    = 0
	ExitError = 1
	ExitUsage = 2
	ExitMiss  = 3
)

// Program is the vsla program with its streams and clocks.
type Program struct {
	// Version and Commit identify the build.
	Version, Commit string

	In       io.Reader
	Out, Err io.Writer
	// Columns is the width of the terminal. It is 0 if Out is not a terminal.
	Columns int
	// After is called to wait for the next update of the progress display on Err. If it is nil, no progress is shown.
	After func(time.Duration) <-chan time.Time
	// ProgressLines prints each progress update on a new line. Set it if Err is not a terminal.
	ProgressLines bool
	// Getenv reads the environment. If it is nil, the environment is empty.
	Getenv func(string) string
	// Sleep waits before a request is sent again. It defaults to the real clock.
	Sleep func(context.Context, time.Duration) error
	// Now returns the current time. It defaults to the real clock.
	Now func() time.Time
}

func (p Program) getenv(name string) string {
	if p.Getenv == nil {
		return ""
	}
	return p.Getenv(name)
}

func (p Program) now() time.Time {
	if p.Now == nil {
		return time.Now() //nolint:forbidigo // the default for an injectable clock
	}
	return p.Now()
}

// failure is an error with an exit code. All other errors are usage errors.
type failure struct {
	code int
	err  error
}

// Error returns the message of the wrapped error.
func (f *failure) Error() string { return f.err.Error() }

// Unwrap returns the wrapped error.
func (f *failure) Unwrap() error { return f.err }

var errMiss = &failure{code: ExitMiss, err: errors.New("the verdict is a miss")}

var errHelpPrinted = &failure{code: ExitUsage, err: errors.New("an argument is missing")}

// IsPlugin reports whether the binary was started by Terraform, or by a developer with -debug.
func IsPlugin(args []string, getenv func(string) string) bool {
	if len(args) == 0 {
		return getenv(MagicCookie) != ""
	}
	name, _, _ := strings.Cut(args[0], "=")
	return name == "-debug" || name == "--debug"
}

// MagicCookie is the environment variable that Terraform sets for a plugin.
const MagicCookie = "TF_PLUGIN_MAGIC_COOKIE"

const programName = "vsla"

const completionName = "completion"

// suggestionDistance is the maximum edit distance between a mistyped name and a suggestion.
const suggestionDistance = 2

func printHelp(cmd *cobra.Command) error {
	if err := cmd.Help(); err != nil {
		return err
	}
	return errHelpPrinted
}

// rejectArguments rejects every argument. cobra does not call it if the argument is a subcommand.
func rejectArguments(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return nil
		}
		return unknownError(cmd, what, args[0])
	}
}

func unknownError(cmd *cobra.Command, what, name string) error {
	near := suggestions(cmd, name)
	if len(near) == 0 {
		return fmt.Errorf("unknown %s %q", what, name)
	}
	return fmt.Errorf("unknown %s %q; did you mean %s?", what, name, strings.Join(near, " or "))
}

func suggestions(cmd *cobra.Command, name string) []string {
	cmd.SuggestionsMinimumDistance = suggestionDistance
	var near []string
	for _, s := range cmd.SuggestionsFor(name) {
		near = append(near, "`"+s+"`")
	}
	for _, sub := range cmd.Commands() {
		if sub.Name() == completionName {
			continue
		}
		for _, s := range suggestions(sub, name) {
			near = append(near, "`"+sub.Name()+" "+strings.TrimPrefix(s, "`"))
		}
	}
	return near
}
