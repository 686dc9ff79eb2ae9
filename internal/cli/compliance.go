package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"terraform-provider-vsla/internal/estate"
	"terraform-provider-vsla/internal/estate/audit"
	"terraform-provider-vsla/internal/estate/exposition"
	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/quantity"
)

var complianceFormats = map[string]func(exposition.Snapshot, io.Writer) error{
	complianceText: exposition.Snapshot.WriteText,
	"openmetrics":  exposition.Snapshot.WriteOpenMetrics,
}

const complianceText = "text"

const (
	failBroken    = "broken"
	failUncovered = "uncovered"
)

const defaultReadTimeout = 15 * time.Minute

type complianceOptions struct {
	config  string
	format  string
	out     string
	failOn  string
	perVM   bool
	timeout time.Duration
}

func (p Program) complianceCommand() *cobra.Command {
	var o complianceOptions
	cmd := &cobra.Command{
		Use:   "compliance --config FILE [flags]",
		Short: "Compare running replications with the promises of their tiers, for monitoring",
		Long: "Reads tags, VMs and replications, and writes the attributes of the data source vsla_sla_compliance as " +
			"text or as OpenMetrics for Prometheus. Does not change anything. The connection is configured with the " +
			"environment variables of the provider: VSPHERE_SERVER, VSPHERE_USER, VSPHERE_PASSWORD, " +
			"VSLA_REPLICATION_SERVER, VSLA_REPLICATION_USER, VSLA_REPLICATION_PASSWORD, VSLA_REPLICATION_REMOTE_USER " +
			"and VSLA_REPLICATION_REMOTE_PASSWORD.",
		Example: "  " + programName + " compliance --config compliance.yaml\n" +
			"  " + programName + " compliance --config compliance.yaml --format openmetrics \\\n" +
			"    -o /var/lib/node_exporter/textfile/vsla.prom\n" +
			"  " + programName + " compliance --config compliance.yaml --fail-on uncovered",
		Args: cobra.NoArgs,
		Annotations: map[string]string{codesAnnotation: `  0  result written
  1  a read or write failed; the file of -o is unchanged
  2  invalid flags
  3  result written, and it reaches the level of --fail-on
`},
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.complete(); err != nil {
				return err
			}
			return p.writeCompliance(cmd.Context(), o)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&o.config, "config", "", "YAML `FILE` with the tiers.")
	flags.StringVar(&o.format, "format", complianceText, "Output format: `text|openmetrics`.")
	flags.StringVarP(&o.out, "output", "o", "",
		"Write to this `FILE`, which is replaced atomically. Default: standard output (-).")
	flags.BoolVar(&o.perVM, "per-vm", false,
		"Add all VMs with a tier and all uncovered VMs. In OpenMetrics, this adds two series per VM.")
	flags.StringVar(&o.failOn, "fail-on", "",
		"Exit with code 3 at this `LEVEL`. broken: a promise is broken or not known, or no VM has a tier. uncovered: "+
			"as broken, or a powered-on VM has neither a tier nor a replication, or might have neither.")
	flags.DurationVar(&o.timeout, "timeout", defaultReadTimeout, "Fail after this `DURATION`, for example 10m.")
	// SetAnnotation fails only if the flag does not exist.
	_ = flags.SetAnnotation("config", requiredAnnotation, []string{"true"})
	completeFlag(cmd, "format", slices.Sorted(maps.Keys(complianceFormats)))
	completeFlag(cmd, "fail-on", []string{failBroken, failUncovered})
	return cmd
}

func (o *complianceOptions) complete() error {
	switch {
	case o.config == "":
		return errors.New("--config is required: the YAML file with the tiers")
	case complianceFormats[o.format] == nil:
		return fmt.Errorf("--format must be text or openmetrics, got %q", o.format)
	case o.failOn != "" && o.failOn != failBroken && o.failOn != failUncovered:
		return fmt.Errorf("--fail-on must be broken or uncovered, got %q", o.failOn)
	case o.timeout <= 0:
		return fmt.Errorf("--timeout must be greater than 0, got %s", o.timeout)
	}
	return checkOutputs([]argument{{"--config", o.config}}, argument{"--output", o.out})
}

func (p Program) writeCompliance(ctx context.Context, o complianceOptions) error {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, o.timeout)
	defer cancel()
	var s exposition.Snapshot
	var err error
	p.withProgress("Reading the estate", func() { s, err = p.readSnapshot(ctx, o) })
	if errors.Is(ctx.Err(), context.Canceled) {
		return errInterrupted
	}
	if err != nil {
		return &failure{code: ExitError, err: err}
	}
	s.PerVM = o.perVM
	if o.format == complianceText && (o.out == "" || o.out == "-") {
		s.Result.Summary = p.colorVerdict(p.onTerminal(), levelOf(s), s.Result.Summary)
	}
	err = p.write(o.out, func(w io.Writer) error { return complianceFormats[o.format](s, w) })
	if err != nil {
		return &failure{code: ExitError, err: err}
	}
	uncovered := len(s.Uncovered.VMs)+len(s.Uncovered.Unknown) > 0 || s.Uncovered.UnprovenReason != ""
	if (o.failOn != "" && s.IsBroken()) || (o.failOn == failUncovered && uncovered) {
		return errMiss
	}
	return nil
}

func levelOf(s exposition.Snapshot) plan.Level {
	switch {
	case !s.Result.Compliant:
		return plan.Misses
	case s.IsBroken():
		return plan.Unknown
	}
	return plan.Meets
}

func (p Program) readSnapshot(ctx context.Context, o complianceOptions) (exposition.Snapshot, error) {
	file, err := readCompliance(o.config)
	if err != nil {
		return exposition.Snapshot{}, err
	}
	reader, closeAll, err := p.newClients(replicationRequired)
	if err != nil {
		return exposition.Snapshot{}, err
	}
	defer closeAll(ctx)
	begin := p.now()
	scope, err := reader.Resolve(ctx, scopeOf(file))
	if err != nil {
		return exposition.Snapshot{}, withArgument(o.config, err)
	}
	read, err := reader.Read(ctx, scope)
	if err != nil {
		return exposition.Snapshot{}, withArgument(o.config, err)
	}
	s := exposition.New(scope, read)
	s.Version = p.Version
	s.VCenter = reader.VSphere.Server()
	s.ReadAt = begin
	s.ReadDuration = p.now().Sub(begin)
	return s, nil
}

func readCompliance(name string) (estate.ComplianceFile, error) {
	file, err := openFile(name)
	if err != nil {
		return estate.ComplianceFile{}, err
	}
	defer file.Close() //nolint:errcheck // nothing was written
	return estate.ReadCompliance(name, file)
}

func scopeOf(file estate.ComplianceFile) audit.NamedScope {
	n := audit.NamedScope{
		Scope: audit.Scope{
			PairingID: file.PairingID,
			Folder:    file.Folder,
			Cluster:   file.Cluster,
			Tiers:     make(map[string]audit.Tier, len(file.Tiers)),
		},
		Category: file.Category,
		TagNames: make(map[string]string),
	}
	for _, t := range file.Tiers {
		n.Tiers[t.Name] = audit.Tier{
			TagID:                t.TagID,
			RPOMinutes:           t.RPOMinutes,
			ConfiguredRPOMinutes: t.ConfiguredRPOMinutes,
		}
		if t.Tag != "" {
			n.TagNames[t.Name] = t.Tag
		}
	}
	return n
}

func withArgument(file string, err error) error {
	argument, ok := errors.AsType[*audit.ArgumentError](err)
	if !ok {
		return err
	}
	if argument.Advice != "" {
		return fmt.Errorf("%s: %s: %w. %s", file, argument.Path, err, argument.Advice)
	}
	if existing := quantity.Existing(err); existing != "" {
		return fmt.Errorf("%s: %s: %w.%s", file, argument.Path, err, existing)
	}
	return fmt.Errorf("%s: %s: %w", file, argument.Path, err)
}
