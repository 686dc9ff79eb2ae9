package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"terraform-provider-vsla/internal/dev/terraformcli"
)

// override disables the provider's request limit and keeps only one tier of the example.
const override = `provider "vsla" {
  replication = { requests_per_minute = 0 }
}

locals {
  tiers = { gold = { rpo_minutes = 15, configured_rpo_minutes = 12, daily_change_percent = 2 } }
}
`

// parallel starts up to 20 replications at once, to shorten the wait for their tasks.
var parallel = []string{"-parallelism=20"}

func (d demo) protect() error {
	w, err := d.workspace("protect")
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(d.dir, "protect", "demo_override.tf"), []byte(override), 0o600); err != nil {
		return err
	}
	if err := d.startReplications(w); err != nil {
		return err
	}
	if err := d.waitForInitialSync(w); err != nil {
		return err
	}
	return d.waitForDay(w)
}

func (d demo) startReplications(w *terraformcli.Workspace) error {
	step(d.out, "apply: replicate the VMs that carry the tag gold with the tier's RPO, if the link can keep it")
	if err := d.expect(w, outcome{show: from("Apply complete!")}, slices.Concat(applyArgs, parallel)...); err != nil {
		return err
	}
	fmt.Fprintf(
		d.out,
		"%d replications took %d requests. An appliance accepts 50 a minute, and the provider sends at most 45; the\n"+
			"simulated one has no limit, so the demo sets requests_per_minute = 0.\n",
		len(d.sites.Replications()),
		d.sites.Traffic().Total(),
	)
	return nil
}

// waitForInitialSync shows a plan after half of the predicted initial sync and after all of it.
func (d demo) waitForInitialSync(w *terraformcli.Workspace) error {
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
		changed := outcome{code: 2, show: between("Changes to Outputs:", "\nYou can apply")}
		if err := d.expect(w, changed, planArgs...); err != nil {
			return err
		}
	}
	return nil
}

func (d demo) waitForDay(w *terraformcli.Workspace) error {
	d.sites.Advance(time.Minute) // wait for a delta sync, because the recovery point of the initial sync is already old
	before := d.sites.syncs()
	since := d.sites.Now()
	d.sites.Advance(24 * time.Hour)
	step(
		d.out,
		"A day later, %d syncs and %d violations of the RPO since: apply records the outputs, and the next plan is "+
			"empty",
		d.sites.syncs()-before,
		d.sites.violations(since),
	)
	if err := d.expect(w, outcome{show: between("protection =", "\n\n")}, applyArgs...); err != nil {
		return err
	}
	return d.expect(w, noChanges, planArgs...)
}
