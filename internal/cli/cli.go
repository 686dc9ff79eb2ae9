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
	"runtime"
	"slices"
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

// Run runs a command line and returns its exit code. args does not include the program name.
func (p Program) Run(ctx context.Context, args []string) int {
	root := p.rootCommand() //nolint:contextcheck // cobra passes the context to the commands
	// Accept -help, as Terraform does. SetArgs(nil) would use the arguments of the process.
	root.SetArgs(append([]string{}, replaceArgument(args, "-help", "--help")...))
	cmd, err := root.ExecuteContextC(ctx)
	if err == nil {
		return ExitOK
	}
	if failed, ok := errors.AsType[*failure](err); ok {
		if failed != errMiss && failed != errHelpPrinted {
			fmt.Fprintln(p.Err, failed)
		}
		return failed.code
	}
	if cmd.Name() == "help" {
		cmd = root
	}
	fmt.Fprintf(p.Err, "%v\nRun `%s --help` for usage.\n", err, cmd.CommandPath())
	return ExitUsage
}

func replaceArgument(args []string, old, replacement string) []string {
	args = slices.Clone(args)
	for i, arg := range args {
		if arg == old {
			args[i] = replacement
		}
	}
	return args
}

const programName = "vsla"

const completionName = "completion"

// suggestionDistance is the maximum edit distance between a mistyped name and a suggestion.
const suggestionDistance = 2

func (p Program) rootCommand() *cobra.Command {
	version := fmt.Sprintf("%s %s (commit %s, %s, %s/%s)\n",
		programName, p.Version, p.Commit, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	root := &cobra.Command{
		Use:   programName,
		Short: "Plan and check replication and migration on vSphere",
		Long: "Calculates whether replications and migrations on vSphere keep their promises. Input is a set of " +
			"numbers, an inventory file or a Terraform plan; output is a page, a comment or JSON. Only doctor, " +
			"compliance and adopt connect to a server. Installed as terraform-provider-vsla, the same program is the " +
			"Terraform provider.",
		Example: "  " + programName + " estimate replication --vm-count 15 --vm-size 100GiB \\\n" +
			"    --daily-change-percent 5 --throughput 1Gbps --rpo-minutes 15\n" +
			"  " + programName + " review rvtools.xlsx --init\n" +
			"  terraform show -json tfplan | " + programName + " review - -o review.html",
		Version:       p.Version,
		Args:          rejectArguments("command"),
		RunE:          func(cmd *cobra.Command, _ []string) error { return printHelp(cmd) },
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.SetVersionTemplate(version)
	root.SetIn(p.In)
	root.SetOut(p.Out)
	root.SetErr(p.Err)
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) { fmt.Fprint(p.Out, p.helpText(cmd)) })
	root.SetUsageFunc(func(cmd *cobra.Command) error {
		_, err := fmt.Fprint(p.Err, p.helpText(cmd))
		return err
	})
	root.AddCommand(p.estimateCommand(), p.reviewCommand())
	root.AddCommand(p.doctorCommand(), p.complianceCommand(), p.adoptCommand(), p.gateCommand())
	root.AddCommand(&cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if _, err := fmt.Fprint(p.Out, version); err != nil {
				return &failure{code: ExitError, err: err}
			}
			return nil
		},
	})
	root.SetHelpCommand(&cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Print the help of a command",
		RunE: func(_ *cobra.Command, args []string) error {
			about, rest, err := root.Find(args)
			if err == nil && len(rest) > 0 {
				err = unknownError(about, "command", rest[0])
			}
			if err != nil {
				return err
			}
			return about.Help()
		},
	})
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, cmd := range root.Commands() {
		if cmd.Name() == completionName {
			cmd.Use, cmd.Short = completionName+" SHELL", "Print the completion script of a shell"
			cmd.Args = rejectArguments("shell")
			cmd.RunE = func(cmd *cobra.Command, _ []string) error { return printHelp(cmd) }
		}
	}
	return root
}

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
