// Command bench measures tagging against a simulated vCenter of 32 hosts and 3,200 VMs. It compares the life of a whole
// estate through Terraform with bare calls and with one resource for each tag, and writes docs/benchmark.md. Seconds
// are of the computer that it runs on; requests are exact.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"terraform-provider-vsla/internal/dev/lab/tagging"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
	"terraform-provider-vsla/internal/dev/terraformcli"
)

// options are the flags.
type options struct {
	out        string
	categories int
	tags       int // of each category
	vms        int
	perTag     int // tags that are made as one resource each
	latencies  []time.Duration
	quick      bool
}

func main() {
	o := options{
		categories: 10,
		tags:       1000,
		vms:        3200,
		perTag:     1000,
		latencies:  []time.Duration{0, 35 * time.Millisecond},
	}
	flag.StringVar(&o.out, "out", "docs", "folder for benchmark.md")
	flag.BoolVar(&o.quick, "quick", false, "a hundredth of the estate and no latency: whether it runs, not how fast")
	flag.Parse()
	if o.quick {
		o.categories, o.tags, o.vms, o.perTag, o.latencies = 2, 50, 100, 20, o.latencies[:1]
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, o)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o options) error {
	provider := filepath.Join("build", "bench")
	if err := terraformcli.BuildProvider(ctx, ".", provider, os.Stderr); err != nil {
		return fmt.Errorf("build the provider: %w", err)
	}
	cli, err := terraformcli.FindOrBuild(ctx, "build", os.Stderr)
	if err != nil {
		return err
	}
	results := results{cli: cli.Name(), options: o}
	for _, latency := range o.latencies {
		if err := measureAt(ctx, o, latency, cli, provider, &results); err != nil {
			return fmt.Errorf("at %s per request: %w", latency, err)
		}
	}
	return results.write(o.out)
}

func measureAt(
	ctx context.Context,
	o options,
	latency time.Duration,
	cli terraformcli.CLI,
	provider string,
	all *results,
) error {
	lab, err := vcsim.Start(ctx, vcsim.Config{Hosts: 32, VMs: o.vms})
	if err != nil {
		return err
	}
	defer func() { _ = lab.Close() }() // the process ends soon
	lab.Traffic().SetLatency(latency)
	m := meter{lab: lab, latency: latency, all: all}
	if err := estate(ctx, &m, o, cli, provider); err != nil {
		return fmt.Errorf("estate: %w", err)
	}
	return errors.Join(nothingLeft(lab), measureNewest(ctx, o, latency, cli, provider, all))
}

// measureNewest measures the estate on a vCenter that lists tags with their names.
func measureNewest(
	ctx context.Context,
	o options,
	latency time.Duration,
	cli terraformcli.CLI,
	provider string,
	all *results,
) error {
	lab, err := vcsim.Start(ctx, vcsim.Config{Hosts: 32, VMs: o.vms, Release: tagging.Release91})
	if err != nil {
		return err
	}
	defer func() { _ = lab.Close() }() // the process ends soon
	lab.Traffic().SetLatency(latency)
	m := meter{lab: lab, latency: latency, all: all}
	size := " of " + thousands(o.categories*o.tags) + " tags"
	config := fmt.Sprintf(bulkEstate, o.categories, o.tags)
	if err := inTerraform(ctx, &m, cli, provider, config, size, newest); err != nil {
		return fmt.Errorf("estate on %s: %w", tagging.Release91, err)
	}
	return nothingLeft(lab)
}

func nothingLeft(lab *vcsim.VCenter) error {
	if left := lab.Tags().Leftovers(); len(left) > 0 {
		return fmt.Errorf("%d objects are left in vCenter, %v among them", len(left), left[:min(3, len(left))])
	}
	return nil
}
