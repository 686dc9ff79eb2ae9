// The tree of commands.

package cli

import (
	"fmt"
	"runtime"
	"strings"

	"github.com/spf13/cobra"
)

const programName = "terraform-provider-vsla"

// completionName is the command that cobra adds.
const completionName = "completion"

// suggestionDistance is how many letters a mistyped name may differ by.
const suggestionDistance = 2

func (p Program) root() *cobra.Command {
	version := fmt.Sprintf("%s %s (%s, %s/%s)\n", programName, p.Version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	root := &cobra.Command{
		Use:   programName,
		Short: "vsla without Terraform",
		Long: "The Terraform provider vsla. Terraform starts this program as a plugin; as a command it runs the provider's " +
			"calculators, reads inventory files and writes capacity reviews, without Terraform and without a connection. " +
			"Only doctor and compliance connect.",
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
	root.AddCommand(p.estimate(), p.report(), p.inventory(), p.fileReview(), p.doctor(), p.compliance(), &cobra.Command{
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
