// The second half of the story: the machines of tier gold are replicated to a second vCenter, by examples/protect.

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/vmware/govmomi/vim25/types"

	"terraform-provider-vsla/internal/lab/gateway"
	"terraform-provider-vsla/internal/lab/vcsim"
)

const (
	// link is what examples/protect counts on, in bytes a second: 70 % of 10 Gbit/s.
	link = 0.7 * 10e9 / 8
	// change is what it takes for granted of a machine: 2 % of its data in a day.
	change = 0.02
	// poll is how far the stand-in's clock goes on with each question after a task: a task has ended then.
	poll = 10 * time.Second
	// quota turns the provider's own limit of requests off. It is merged into the example's provider block.
	quota = `provider "vsla" {
  replication = { requests_per_minute = 0 }
}
`
)

// parallel lets all replications of the demo be worked on at once, which shortens the wait for their tasks.
var parallel = []string{"-parallelism=20"}

// sites is the stand-in for vSphere Replication, with the vCenter to which it replicates.
type sites struct {
	*gateway.Gateway
	recovery *vcsim.VCenter
}

// startSites starts both. Every machine of the protected vCenter runs, and changes as the example takes for granted.
func startSites(ctx context.Context, protected *vcsim.VCenter) (*sites, error) {
	for _, m := range protected.VMs() {
		if err := protected.SetPower(m.ID, types.VirtualMachinePowerStatePoweredOn); err != nil {
			return nil, err
		}
	}
	recovery, err := vcsim.Start(ctx, vcsim.Config{Site: 1, VMs: 2})
	if err != nil {
		return nil, err
	}
	g, err := gateway.Start(ctx, gateway.Config{
		Protected: protected, Recovery: recovery, Link: link, Switches: gateway.Switches{UsedFromInventory: true},
	})
	if err != nil {
		return nil, errors.Join(err, recovery.Close())
	}
	g.StepPerPoll(poll)
	for _, m := range protected.VMs() {
		g.SetChangeRate(m.ID, float64(m.UsedBytes)*change/(24*time.Hour).Seconds())
	}
	return &sites{g, recovery}, nil
}

func (s *sites) close() error {
	s.Close()
	return s.recovery.Close()
}

func (s *sites) environment() []string {
	return []string{
		"VSLA_REPLICATION_SERVER=" + s.URL(),
		"VSLA_REPLICATION_USER=" + s.User(),
		"VSLA_REPLICATION_PASSWORD=" + s.Password(),
		"VSLA_REPLICATION_REMOTE_USER=" + s.RemoteUser(),
		"VSLA_REPLICATION_REMOTE_PASSWORD=" + s.RemotePassword(),
	}
}

// nothingLeft asks the gateway itself.
func (s *sites) nothingLeft(out io.Writer) error {
	files := 0
	for _, d := range s.recovery.Datastores() {
		files += len(s.Files("Datastore:" + d.ID + ":" + s.RemoteVCenterID()))
	}
	left := len(s.Replications())
	fmt.Fprintf(out, "%d replications, %d replica disks, %d sessions\n", left, files, s.Sessions())
	if left+files+s.Sessions() > 0 {
		return errors.New("vSphere Replication is not as it was before")
	}
	return nil
}

// protect replicates tier gold, and looks at the first copy when half of the predicted time has passed, and all of it.
func (d demo) protect() error {
	w, err := d.workspace("protect")
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(d.dir, "protect", "quota_override.tf"), []byte(quota), 0o600); err != nil {
		return err
	}
	step(d.out, "apply: replicate what carries the tag gold, with the tier's RPO, if the link can keep it")
	if err := d.expect(w, 0, "", from("Apply complete!"), slices.Concat(apply, parallel)...); err != nil {
		return err
	}
	fmt.Fprintf(
		d.out,
		"%d replications took %d requests. An appliance takes 50 a minute, and the provider keeps to 45; this stand-in\n"+
			"takes any number, so the demo sets requests_per_minute = 0.\n",
		len(d.sites.Replications()),
		d.sites.Traffic().Total(),
	)
	var printed strings.Builder
	if _, err := w.Run(d.ctx, &printed, "output", "-raw", "predicted_first_copy"); err != nil {
		return err
	}
	predicted, err := time.ParseDuration(strings.ReplaceAll(printed.String(), " ", ""))
	if err != nil {
		return fmt.Errorf("the predicted first copy: %w", err)
	}
	begun := d.sites.Now()
	for _, look := range []struct {
		after time.Duration
		what  string
	}{
		{predicted / 2, "half of the predicted first copy"},
		{predicted, "all of it"},
	} {
		d.sites.Advance(look.after - d.sites.Now().Sub(begun))
		step(d.out, "plan after %s: %s by the stand-in's clock", look.what, d.sites.Now().Format(time.TimeOnly))
		if err := d.expect(w, 2, "", between("Changes to Outputs:", "\nYou can apply"), plan...); err != nil {
			return err
		}
	}
	d.sites.Advance(time.Minute) // until a replica is there that is not older than the first copy took
	before, since := d.sites.syncs(), d.sites.Now()
	d.sites.Advance(24 * time.Hour)
	step(
		d.out,
		"A day later, %d syncs and %d violations of the RPO since: write the outputs down, and plan again",
		d.sites.syncs()-before,
		d.sites.violations(since),
	)
	if err := d.expect(
		w,
		0,
		"",
		between("protection =", "\n\n"),
		slices.Concat(apply, []string{"-refresh-only"})...); err != nil {
		return err
	}
	return d.expect(w, 0, "No changes.", lines("No changes."), plan...)
}

// syncs is how many syncs have ended.
func (s *sites) syncs() int {
	sum := 0
	for _, r := range s.Replications() {
		sum += r.SyncCount
	}
	return sum
}

// violations is how many times a replica has become older than its RPO since.
func (s *sites) violations(since time.Time) int {
	sum := 0
	for _, r := range s.Replications() {
		for _, v := range r.Violations {
			if v.Start.After(since) {
				sum++
			}
		}
	}
	return sum
}
