package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"terraform-provider-vsla/internal/cli/doctor"
)

func (p Program) doctorCommand() *cobra.Command {
	var o doctor.Options
	var out string
	cmd := &cobra.Command{
		Use:   "doctor [flags]",
		Short: "Check a vCenter and write a report that can be published",
		Long: "Connects to vCenter and, if configured, to a vSphere Replication appliance with the environment " +
			"variables of the provider, and checks the assumptions of vsla about the servers. The first line of the " +
			"report states whether you may start, and what is missing. With --full, the report is meant for " +
			"publication: it has no names, IDs, addresses or secrets, and at most 60,000 characters; the list of " +
			"requests is truncated if necessary. Does not change anything.",
		Example: "  " + programName + " doctor\n" +
			"  " + programName + " doctor --full -o report.md",
		Args: cobra.NoArgs,
		Annotations: map[string]string{codesAnnotation: `  0  all checks passed
  1  connection failed, interrupted, or the report could not be written
  2  invalid flags or settings
  3  a check failed
`},
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
			defer stop()
			return p.runDoctor(ctx, o, out)
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&o.Full, "full", false, "Also report privileges, limits, all checks and the requests.")
	flags.BoolVar(&o.Build, "builds", false, "Include exact build numbers, which reveal the patch level.")
	flags.StringVarP(&out, "output", "o", "", "Write to this `FILE`. Default: standard output (-).")
	return cmd
}

func (p Program) runDoctor(ctx context.Context, o doctor.Options, out string) error {
	settings, err := p.settings(replicationOptional)
	if missing := doctor.ReplicationMissing(settings.Replication); err != nil && len(missing) > 0 {
		err = fmt.Errorf("%w; for replication, also %s", err, strings.Join(missing, ", "))
	}
	if err != nil {
		return err
	}
	o.Version = p.Version
	o.Commit = p.Commit
	o.Sleep = p.Sleep
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
		return &failure{code: ExitError, err: errors.New(report.Summary())}
	}
	return verdict
}

func (p Program) printVerdict(report *doctor.Report) error {
	for _, text := range report.Failed {
		fmt.Fprintln(p.Err, text)
	}
	summary := report.Summary()
	if report.Interrupted {
		summary = "interrupted; the report ends there. " + summary
	}
	switch {
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
