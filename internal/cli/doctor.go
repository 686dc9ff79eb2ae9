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
	"terraform-provider-vsla/internal/connect"
)

// ExitWrite is the exit code of doctor if the life cycle of a tag failed or left an object behind.
const ExitWrite = 4

type doctorOptions struct {
	settings connect.Settings
	options  doctor.Options
	out      string
}

func (p Program) doctor() *cobra.Command {
	var o doctorOptions
	cmd := &cobra.Command{
		Use:   "doctor [flags]",
		Short: "Examine a vCenter and write a report that can be published",
		Long: "Connects to vCenter, and to a vSphere Replication appliance if one is set, with the environment variables " +
			"of the provider. It reports releases, privileges and limits, checks what vsla assumes about them, and writes a " +
			"report in Markdown without names, ids, addresses and secrets, of at most 60,000 characters: what would be " +
			"longer is left out at the end of the list of requests. It changes nothing without --write. Passwords are read " +
			"from " + connect.Password + ", " + connect.ReplicationPassword + " and " +
			connect.ReplicationRemotePassword + " only.",
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
			if err := o.complete(cmd, p.getenv); err != nil {
				return err
			}
			ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
			defer stop()
			return p.examine(ctx, o)
		},
	}
	o.addTo(cmd)
	return cmd
}

func (o *doctorOptions) addTo(cmd *cobra.Command) {
	flags := cmd.Flags()
	in := func(variable string) string { return " Environment: " + variable + "." }
	flags.String("vsphere-server", "", "vCenter as `HOST`, host:port or URL."+in(connect.Server))
	flags.String("user", "", "`USER` of vCenter."+in(connect.User))
	flags.Bool("allow-unverified-ssl", false, "Do not check certificates."+in(connect.Insecure))
	flags.String("ca-file", "", "PEM `FILE` of the authorities to trust."+in(connect.CAFile))
	flags.Int64("api-timeout-seconds", 0, "Time limit of one request in `SECONDS`."+in(connect.Timeout))
	flags.Float64("requests-per-second", 0, "Send at most this `NUMBER` of requests a second.")
	flags.String("replication-server", "", "vSphere Replication appliance as `HOST`, host:port or URL."+
		in(connect.ReplicationServer))
	flags.String("replication-user", "", "`USER` of the vCenter of its site."+in(connect.ReplicationUser))
	flags.String("replication-remote-user", "", "`USER` of the vCenter of the other site."+
		in(connect.ReplicationRemoteUser))
	flags.Int("replication-requests-per-minute", 0,
		"Send the appliance at most this `NUMBER` of requests a minute."+in(connect.ReplicationRequests))
	flags.BoolVar(&o.options.Write, "write", false,
		"Also create, change, list and delete a tag category and a tag, and remove them after a failure or Ctrl-C.")
	flags.StringVar(&o.options.Prefix, "prefix", "", "With --write: `TEXT` with which their names begin.")
	flags.StringVar(
		&o.options.VM,
		"vm",
		"",
		"With --write: managed object `ID` of a VM, such as vm-42, to attach the tag "+
			"to and detach it from.",
	)
	flags.BoolVar(&o.options.Build, "builds", false,
		"Also publish exact build numbers, which show the patches of a system.")
	flags.StringVarP(&o.out, "output", "o", "", "Write to this `FILE`. Without it, or with -, the report is printed.")
}

// doctorFlags are the flags that override an environment variable.
var doctorFlags = map[string]string{
	connect.Server: "vsphere-server", connect.User: "user", connect.Insecure: "allow-unverified-ssl",
	connect.CAFile: "ca-file", connect.Timeout: "api-timeout-seconds", connect.ReplicationServer: "replication-server",
	connect.ReplicationUser: "replication-user", connect.ReplicationRemoteUser: "replication-remote-user",
	connect.ReplicationRequests: "replication-requests-per-minute",
}

func (o *doctorOptions) complete(cmd *cobra.Command, getenv func(string) string) error {
	flags := cmd.Flags()
	settings, errs := connect.Read(func(variable string) string {
		if flag := flags.Lookup(doctorFlags[variable]); flag != nil && flag.Changed {
			return flag.Value.String()
		}
		return getenv(variable)
	})
	rate, err := flags.GetFloat64("requests-per-second")
	settings.RequestsPerSecond = rate
	o.settings = settings
	return errors.Join(append(errs, err, o.missing(), o.options.CheckWrite())...)
}

func (o *doctorOptions) missing() error {
	names := o.settings.Missing()
	if o.settings.Replication.Server != "" {
		names = append(names, o.settings.Replication.Missing()...)
	}
	if len(names) == 0 {
		return nil
	}
	for i, variable := range names {
		if flag := doctorFlags[variable]; flag != "" {
			names[i] = "--" + flag + " or " + variable
		}
	}
	return fmt.Errorf("missing: %s", strings.Join(names, ", "))
}

func (p Program) examine(ctx context.Context, o doctorOptions) error {
	o.options.Version, o.options.Commit, o.options.Sleep = p.Version, p.Commit, p.Sleep
	var report *doctor.Report
	var err error
	p.counted("Examining", func(count func(done, all int)) {
		o.options.Count = count
		report, err = doctor.Run(ctx, o.settings, o.options)
	})
	if err != nil {
		return err
	}
	verdict := p.verdict(report)
	if err := p.write(o.out, report.WriteMarkdown); err != nil {
		fmt.Fprintf(p.Err, "The report cannot be written: %v\n", err)
		if !report.WriteFailed() {
			return &failure{code: ExitError, err: errors.New(report.Summary())}
		}
	}
	return verdict
}

// verdict prints failures and objects left behind, and returns an error with the exit code.
func (p Program) verdict(report *doctor.Report) error {
	for _, text := range report.Failed {
		fmt.Fprintln(p.Err, text)
	}
	for _, left := range report.Left {
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
