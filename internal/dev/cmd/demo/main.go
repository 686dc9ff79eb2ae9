// Command demo runs vsla against two simulated vCenters and a simulated vSphere Replication appliance. It plans and
// applies examples/demo, prints the verdicts, and checks that a second plan has no changes. It then replicates a tier
// with examples/protect, shows that a plan with an unattainable RPO fails, and destroys everything. It needs only Go,
// and builds OpenTofu if it finds no CLI.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"terraform-provider-vsla/internal/dev/lab/vcsim"
	"terraform-provider-vsla/internal/dev/terraformcli"
	"terraform-provider-vsla/internal/plan/quantity"
)

const (
	hosts    = 16
	vms      = 640
	buildDir = "build"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, out io.Writer) (err error) {
	step(out, "Building the provider")
	provider := filepath.Join(buildDir, "demo")
	if err := terraformcli.BuildProvider(ctx, ".", provider, out); err != nil {
		return fmt.Errorf("build the provider: %w", err)
	}
	cli, err := terraformcli.FindOrBuild(ctx, buildDir, out)
	if err != nil {
		return err
	}
	fmt.Fprintln(out, "Using", cli)

	step(out, "Starting a simulated vCenter with %d hosts and %d virtual machines", hosts, vms)
	lab, err := vcsim.Start(ctx, vcsim.Config{Hosts: hosts, VMs: vms})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lab.Close()) }()
	sites, err := startSites(ctx, lab)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, sites.close()) }()
	fmt.Fprintln(
		out,
		"Also a second vCenter and a simulated vSphere Replication appliance, whose clock the demo advances",
	)
	dir, err := os.MkdirTemp("", "vsla-demo-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	d := demo{ctx: ctx, out: out, cli: cli, lab: lab, sites: sites, provider: provider, dir: dir}
	for _, act := range []func() error{d.mainJob, d.protect, d.refusal, d.destroy, d.nothingLeft} {
		if err := act(); err != nil {
			return err
		}
	}
	return nil
}

type demo struct {
	ctx      context.Context //nolint:containedctx // the context of the run
	out      io.Writer
	cli      terraformcli.CLI
	lab      *vcsim.VCenter
	sites    *sites
	provider string
	dir      string
}

// Arguments of the CLI.
var (
	savePlanArgs  = []string{"plan", "-out=tfplan", "-input=false", "-no-color"}
	applyPlanArgs = []string{"apply", "-input=false", "-no-color", "tfplan"}
	applyArgs     = []string{"apply", "-auto-approve", "-input=false", "-no-color"}
	destroyArgs   = []string{"destroy", "-auto-approve", "-input=false", "-no-color"}
	planArgs      = []string{"plan", "-detailed-exitcode", "-input=false", "-no-color"}
)

func (d demo) mainJob() error {
	w, err := d.workspace("demo")
	if err != nil {
		return err
	}
	step(d.out, "plan: a category, three tiers, tags on %d VMs; the verdict on each tier is known before apply", vms)
	verdicts := func(printed string) string {
		return lines("Plan:")(printed) + "\n  " + between("+ verdicts", "\n\n")(printed)
	}
	if err := d.expect(w, outcome{show: verdicts}, savePlanArgs...); err != nil {
		return err
	}
	step(d.out, "apply")
	if err := d.expect(w, outcome{show: lines("Creation complete", "Apply complete")}, applyPlanArgs...); err != nil {
		return err
	}
	step(d.out, "The review")
	if err := d.expect(w, outcome{show: whole}, "output", "-raw", "review"); err != nil {
		return err
	}
	counts := d.lab.Traffic().Counts()
	fmt.Fprintf(d.out, "\n%d VMs were tagged with %d attach requests.\n", vms,
		counts["POST tag-association:attach-tag-to-multiple-objects"])
	step(d.out, "plan again: nothing changes")
	return d.expect(w, noChanges, planArgs...)
}

func (d demo) refusal() error {
	// The promise needs no connection. With one, the plan would also refuse the category, which the demo has created.
	w, err := d.workspace("precondition", "VSPHERE_SERVER=")
	if err != nil {
		return err
	}
	step(d.out, "A promise that the link cannot keep is refused at plan time")
	refused := outcome{code: 1, text: "promises what this link cannot keep", show: from("Error:")}
	return d.expect(w, refused, "plan", "-input=false", "-no-color")
}

func (d demo) destroy() error {
	for _, example := range []string{"protect", "demo"} {
		step(d.out, "destroy examples/%s", example)
		w, err := d.workspace(example)
		if err != nil {
			return err
		}
		destroyed := outcome{text: "Destroy complete!", show: lines("Plan:", "Destroy complete")}
		if err := d.expect(w, destroyed, slices.Concat(destroyArgs, parallel)...); err != nil {
			return err
		}
	}
	return nil
}

func (d demo) nothingLeft() error {
	step(d.out, "Left in vCenter and in vSphere Replication")
	rest, soap := d.lab.Sessions()
	left := d.lab.Tags().Leftovers()
	fmt.Fprintf(d.out, "%d tags, categories and associations, %d sessions\n", len(left), rest+soap)
	if len(left) > 0 || rest+soap > 0 {
		const most = 5
		return fmt.Errorf("left behind: %d sessions and %s", rest+soap, quantity.List(left, most))
	}
	return d.sites.nothingLeft(d.out)
}

// workspace copies an example to a folder of its own. Later calls for the same example reuse the folder and its state.
func (d demo) workspace(example string, env ...string) (*terraformcli.Workspace, error) {
	dir := filepath.Join(d.dir, example)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	if err := terraformcli.CopyFiles(filepath.Join("examples", example), dir); err != nil {
		return nil, err
	}
	ca := filepath.Join(dir, "ca.pem")
	if err := os.WriteFile(ca, append(d.lab.CAPEM(), d.sites.CAPEM()...), 0o600); err != nil {
		return nil, err
	}
	vcenter := []string{
		"VSPHERE_SERVER=" + d.lab.URL(), "VSPHERE_USER=" + d.lab.User(), "VSPHERE_PASSWORD=" + d.lab.Password(),
		"VSLA_CA_FILE=" + ca,
	}
	return terraformcli.NewWorkspace(d.cli, dir, d.provider, slices.Concat(d.sites.environment(), vcenter, env)...)
}

// outcome is what a run of the CLI must end with: its exit code and a part of its output. show selects what the demo
// prints of it.
type outcome struct {
	code int
	text string
	show func(printed string) string
}

var noChanges = outcome{text: "No changes.", show: lines("No changes.")}

// expect runs the CLI, and returns an error if it ends in another way than expected.
func (d demo) expect(w *terraformcli.Workspace, want outcome, args ...string) error {
	var printed strings.Builder
	code, err := w.Run(d.ctx, &printed, args...)
	if err != nil {
		return err
	}
	var problem error
	switch {
	case d.ctx.Err() != nil:
		return d.ctx.Err()
	case code != want.code:
		problem = fmt.Errorf("%s ended with %d, expected %d", args[0], code, want.code)
	case !strings.Contains(strings.Join(strings.Fields(printed.String()), " "), want.text):
		problem = fmt.Errorf("the output of %s lacks %q", args[0], want.text)
	}
	if problem != nil {
		fmt.Fprint(d.out, printed.String())
		return problem
	}
	fmt.Fprintln(d.out, want.show(printed.String()))
	return nil
}

func step(out io.Writer, format string, args ...any) {
	fmt.Fprintf(out, "\n=== "+format+" ===\n", args...)
}
