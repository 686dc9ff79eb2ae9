// Package cli is the command line vsla: the calculators and the capacity review without Terraform.
//
// It defines no arithmetic and no names: commands, flags, units, ranges and results come from the descriptions
// of the calculators. Standard output carries the result and nothing else.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// The exit codes.
const (
	ExitOK    = 0
	ExitError = 1
	ExitUsage = 2
	// ExitMiss: the calculation succeeded and its verdict is a miss.
	ExitMiss = 3
)

// Program is the command line with the streams that it reads and writes.
type Program struct {
	// Version is the number of the build, Commit what it was built from.
	Version, Commit string

	In       io.Reader
	Out, Err io.Writer
	// Columns is the width of the terminal that Out writes to, 0 when Out is not a terminal.
	Columns int
	// After is the clock of the progress on Err. Without it there is none.
	After func(time.Duration) <-chan time.Time
	// Lines prints progress as lines that stay, for an Err that is not a terminal.
	Lines bool
	// Getenv reads the environment; nil means that it is empty.
	Getenv func(string) string
	// Sleep waits between the attempts of a request; nil means real time.
	Sleep func(context.Context, time.Duration) error
	// Now is the time of a reading; nil means real time.
	Now func() time.Time
}

func (p Program) getenv(name string) string {
	if p.Getenv == nil {
		return ""
	}
	return p.Getenv(name)
}

// failure is an error with a specific exit code. Every other error is one of usage.
type failure struct {
	code int
	err  error
}

// Error returns the message of the cause.
func (f *failure) Error() string { return f.err.Error() }

// Unwrap returns the cause.
func (f *failure) Unwrap() error { return f.err }

// errMiss ends a command whose result was printed.
var errMiss = &failure{code: ExitMiss, err: errors.New("the verdict is a miss")}

// errHelped ends a command that printed its help because an argument is missing.
var errHelped = &failure{code: ExitUsage, err: errors.New("an argument is missing")}

// IsPlugin reports whether the binary runs as Terraform's plugin and not as a command line: Terraform, which sets
// MagicCookie, starts it without arguments, and a developer with -debug.
func IsPlugin(args []string, getenv func(string) string) bool {
	if len(args) == 0 {
		return getenv(MagicCookie) != ""
	}
	name, _, _ := strings.Cut(args[0], "=")
	return name == "-debug" || name == "--debug"
}

// MagicCookie is the environment variable with which Terraform starts a plugin.
const MagicCookie = "TF_PLUGIN_MAGIC_COOKIE"

// Run runs a command line without the program's name and returns its exit code.
func (p Program) Run(ctx context.Context, args []string) int {
	root := p.root() //nolint:contextcheck // cobra hands the context to the commands
	// Terraform's commands take -help. SetArgs must not get nil, which stands for the arguments of the process.
	root.SetArgs(append([]string{}, replace(args, "-help", "--help")...))
	cmd, err := root.ExecuteContextC(ctx)
	if err == nil {
		return ExitOK
	}
	if own, ok := errors.AsType[*failure](err); ok {
		if own != errMiss && own != errHelped {
			fmt.Fprintln(p.Err, own)
		}
		return own.code
	}
	if cmd.Name() == "help" {
		cmd = root
	}
	fmt.Fprintf(p.Err, "%v\nRun `%s --help` for usage.\n", err, cmd.CommandPath())
	return ExitUsage
}

func replace(args []string, old, by string) []string {
	args = slices.Clone(args)
	for i, arg := range args {
		if arg == old {
			args[i] = by
		}
	}
	return args
}
