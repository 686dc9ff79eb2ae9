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

	"terraform-provider-vsla/internal/dev/lab/gateway"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
)

const (
	// link is the throughput assumed in examples/protect, in bytes per second: 70% of 10 Gbit/s.
	link = 0.7 * 10e9 / 8
	// change is the fraction of a VM's data that changes per day, as assumed in examples/protect.
	change = 0.02
	// poll is how far each task poll advances the appliance's clock. It is long enough for a task to complete.
	poll = 10 * time.Second
	// override disables the provider's request limit and keeps only one tier of the example.
	override = `provider "vsla" {
  replication = { requests_per_minute = 0 }
}

locals {
  tiers = { gold = { rpo_minutes = 15, configured_rpo_minutes = 12, daily_change_percent = 2 } }
}
`
)

// parallel starts up to 20 replications at once, to shorten the wait for their tasks.
var parallel = []string{"-parallelism=20"}

type sites struct {
	*gateway.Gateway
	recovery *vcsim.VCenter
}

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
		Protected: protected,
		Recovery:  recovery,
		Link:      link,
		Switches:  gateway.Switches{UsedFromInventory: true},
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

func (d demo) protect() error {
	w, err := d.workspace("protect")
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(d.dir, "protect", "demo_override.tf"), []byte(override), 0o600); err != nil {
		return err
	}
	step(d.out, "apply: replicate the VMs that carry the tag gold with the tier's RPO, if the link can keep it")
	if err := d.expect(w, 0, "", from("Apply complete!"), slices.Concat(apply, parallel)...); err != nil {
		return err
	}
	fmt.Fprintf(
		d.out,
		"%d replications took %d requests. An appliance accepts 50 a minute, and the provider sends at most 45; the\n"+
			"simulated one has no limit, so the demo sets requests_per_minute = 0.\n",
		len(d.sites.Replications()),
		d.sites.Traffic().Total(),
	)
	var printed strings.Builder
	if _, err := w.Run(d.ctx, &printed, "output", "-raw", "predicted_initial_sync"); err != nil {
		return err
	}
	predicted, err := time.ParseDuration(strings.ReplaceAll(printed.String(), " ", ""))
	if err != nil {
		return fmt.Errorf("the predicted initial sync: %w", err)
	}
	begun := d.sites.Now()
	for _, look := range []struct {
		after time.Duration
		what  string
	}{
		{predicted / 2, "half of the predicted initial sync"},
		{predicted, "all of it"},
	} {
		d.sites.Advance(look.after - d.sites.Now().Sub(begun))
		step(d.out, "plan after %s: %s by the appliance's clock", look.what, d.sites.Now().Format(time.TimeOnly))
		if err := d.expect(w, 2, "", between("Changes to Outputs:", "\nYou can apply"), plan...); err != nil {
			return err
		}
	}
	d.sites.Advance(time.Minute) // wait for a delta sync, because the recovery point of the initial sync is already old
	before, since := d.sites.syncs(), d.sites.Now()
	d.sites.Advance(24 * time.Hour)
	step(
		d.out,
		"A day later, %d syncs and %d violations of the RPO since: apply records the outputs, and the next plan is "+
			"empty",
		d.sites.syncs()-before,
		d.sites.violations(since),
	)
	if err := d.expect(w, 0, "", between("protection =", "\n\n"), apply...); err != nil {
		return err
	}
	return d.expect(w, 0, "No changes.", lines("No changes."), plan...)
}

func (s *sites) syncs() int {
	sum := 0
	for _, r := range s.Replications() {
		sum += r.SyncCount
	}
	return sum
}

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
