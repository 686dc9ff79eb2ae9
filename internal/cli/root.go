// The tree of commands.

package cli

import (
	"fmt"
	"runtime"
	"strings"

	"github.com/spf13/cobra"
)

const programName = "vsla"

// completionName is the command that cobra adds.
const completionName = "completion"

// suggestionDistance is how many letters a mistyped name may differ by.
const suggestionDistance = 2

func (p Program) root() *cobra.Command {
	version := fmt.Sprintf("%s %s (commit %s, %s, %s/%s)\n",
		programName, p.Version, p.Commit, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	root := &cobra.Command{
		Use:   programName,
		Short: "Plan and check replication and migration on vSphere",
		Long: "Calculates whether replication and migration on vSphere keep their promises, from numbers, from an " +
			"inventory file or from a Terraform plan, and writes the answer as a page, a comment or JSON. Only " +
			"doctor, compliance and adopt connect to a server. The same program, installed as terraform-provider-vsla, is " +
			"the Terraform provider.",
		Example: "  " + programName + " estimate replication --vm-count 15 --vm-size 100GiB \\\n" +
			"    --daily-change-percent 5 --throughput 1Gbps --rpo-minutes 15\n" +
			"  " + programName + " review --inventory rvtools.xlsx --init\n" +
			"  terraform show -json tfplan | " + programName + " report - -o review.html",
		Version:       p.Version,
		Args:          known("command"),
		RunE:          func(cmd *cobra.Command, _ []string) error { return helped(cmd) },
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.SetVersionTemplate(version)
	root.SetIn(p.In)
	root.SetOut(p.Out)
	root.SetErr(p.Err)
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) { fmt.Fprint(p.Out, p.helpOf(cmd)) })
	root.SetUsageFunc(func(cmd *cobra.Command) error {
		_, err := fmt.Fprint(p.Err, p.helpOf(cmd))
		return err
	})
	root.AddCommand(p.estimate(), p.report(), p.inventory(), p.fileReview(), p.whatIf())
	root.AddCommand(p.doctor(), p.compliance(), p.adopt())
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
				err = unknown(about, "command", rest[0])
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
			cmd.Args = known("shell")
			cmd.RunE = func(cmd *cobra.Command, _ []string) error { return helped(cmd) }
		}
	}
	return root
}

// helped prints the help of a command that needs an argument.
func helped(cmd *cobra.Command) error {
	if err := cmd.Help(); err != nil {
		return err
	}
	return errHelped
}

// known rejects arguments: those that name a command below do not get here.
func known(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return nil
		}
		return unknown(cmd, what, args[0])
	}
}

// unknown is the error for a name that no command below cmd has.
func unknown(cmd *cobra.Command, what, name string) error {
	near := suggestions(cmd, name)
	if len(near) == 0 {
		return fmt.Errorf("unknown %s %q", what, name)
	}
	return fmt.Errorf("unknown %s %q; did you mean %s?", what, name, strings.Join(near, " or "))
}

// suggestions returns the commands below cmd, at any depth, whose names are near.
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
