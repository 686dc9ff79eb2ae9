package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"terraform-provider-vsla/internal/cli/doctor"
)

// ExitWrite is the exit code of doctor if the tag life cycle failed or left objects behind.
const ExitWrite = 4

func (p Program) doctorCommand() *cobra.Command {
	var o doctor.Options
	var out string
	cmd := &cobra.Command{
		Use:   "doctor [flags]",
		Short: "Examine a vCenter and write a report that can be published",
		Long: "Connects to vCenter, and to a vSphere Replication appliance if one is set, with the environment variables " +
			"of the provider. It reports releases, privileges and limits, checks what vsla assumes about them, and writes a " +
			"report in Markdown without names, ids, addresses and secrets, of at most 60,000 characters: what would be " +
			"longer is left out at the end of the list of requests. It changes nothing without --write.",
		Example: "  " + programName + " doctor -o report.md\n" +
			"  " + programName + " doctor --write --prefix test -o report.md",
		Args: cobra.NoArgs,
		Annotations: map[string]string{codesAnnotation: `  0  examined
  1  no connection, or interrupted, or the report cannot be written
  2  wrong flags or settings
  3  examined, and a check differs
  4  the life cycle of a tag failed, or left something behind, which standard error names
`},
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
			defer stop()
			return p.runDoctor(ctx, o, out)
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&o.Write, "write", false,
		"Also create, change, list and delete a tag category and a tag, and remove them after a failure or Ctrl-C.")
	flags.StringVar(&o.Prefix, "prefix", "", "With --write: `TEXT` with which their names begin.")
	flags.StringVar(&o.VM, "vm", "",
		"With --write: managed object `ID` of a VM, such as vm-42, to attach the tag to and detach it from.")
	flags.BoolVar(&o.Build, "builds", false, "Also publish exact build numbers, which show the patches of a system.")
	flags.StringVarP(&out, "output", "o", "", "Write to this `FILE`. Without it, or with -, the report is printed.")
	return cmd
}

func (p Program) runDoctor(ctx context.Context, o doctor.Options, out string) error {
	settings, err := p.settings(false)
	if err := errors.Join(err, o.CheckWrite()); err != nil {
		return err
	}
	o.Version, o.Commit, o.Sleep = p.Version, p.Commit, p.Sleep
	var report *doctor.Report
	p.withProgressCount("Examining", func(count func(done, all int)) {
		o.Count = count
		report, err = doctor.Run(ctx, settings, o)
	})
	if err != nil {
		return err
	}
	verdict := p.printVerdict(report)
	if err := p.write(out, report.WriteMarkdown); err != nil {
		fmt.Fprintf(p.Err, "The report cannot be written: %v\n", err)
		if !report.WriteFailed() {
			return &failure{code: ExitError, err: errors.New(report.Summary())}
		}
	}
	return verdict
}

func (p Program) printVerdict(report *doctor.Report) error {
	for _, text := range report.Failed {
		fmt.Fprintln(p.Err, text)
	}
	for _, left := range report.Remaining {
		fmt.Fprintf(p.Err, "Left behind: %s. Delete it in the vSphere Client.\n", left)
	}
	summary := report.Summary()
	if report.Interrupted {
		summary = "interrupted; the report ends there. " + summary
	}
	switch {
	case report.WriteFailed():
		return &failure{code: ExitWrite, err: errors.New(summary + " The life cycle of a tag failed.")}
	case report.Interrupted:
		return &failure{code: ExitError, err: errors.New(summary)}
	case len(report.Failed) > 0:
		return &failure{code: ExitError, err: errors.New(summary + " The examination is not complete.")}
	case report.Count(doctor.Differs) > 0:
		return &failure{code: ExitMiss, err: errors.New(summary)}
	}
	fmt.Fprintln(p.Err, summary)
	return nil
}
