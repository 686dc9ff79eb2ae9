package cli

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"

	"github.com/spf13/cobra"
)

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

func replaceArgument(args []string, old, replacement string) []string {
	args = slices.Clone(args)
	for i, arg := range args {
		if arg == old {
			args[i] = replacement
		}
	}
	return args
}
