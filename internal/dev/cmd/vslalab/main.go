// Command vslalab runs simulated vCenters in the foreground for manual tests, and prints the variables to export.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"terraform-provider-vsla/internal/dev/lab/gateway"
	"terraform-provider-vsla/internal/dev/lab/snapservice"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
)

// statisticsLevel enables write counters in historical intervals, which vCenter's default of 1 does not.
const statisticsLevel = 2

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

type options struct {
	hosts, vms, sites      int
	latency                time.Duration
	plain, logging, counts bool
	protection             bool
	replication            replicationFlags
}

func parse(args []string, stderr io.Writer) (o options, code int, ok bool) {
	flags := flag.NewFlagSet("vslalab", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.IntVar(&o.hosts, "hosts", 2, "number of hosts, in two clusters")
	flags.IntVar(&o.vms, "vms", 8, "number of VMs")
	flags.IntVar(&o.sites, "sites", 1, "number of vCenters")
	flags.DurationVar(&o.latency, "latency", 0, "delay of each request")
	flags.BoolVar(&o.plain, "plain", false, "govmomi's own tagging service, gaps and all, in place of the lab's")
	flags.BoolVar(&o.logging, "log", false, "write one line for each request to standard error")
	flags.BoolVar(&o.counts, "counts", false, "print the number of requests by kind at the end")
	flags.BoolVar(&o.protection, "protection", false, "a simulated appliance of vSAN Data Protection at the first vCenter")
	r := &o.replication
	flags.BoolVar(&r.on, "replication", false,
		"a second vCenter, and a simulated vSphere Replication appliance between the two")
	flags.StringVar(&r.clock, "replication-clock", "scaled", "how its time passes: "+clocks)
	flags.DurationVar(&r.step, "replication-step", 5*time.Second, "time for each poll of a task, with the clock step")
	flags.Float64Var(&r.scale, "replication-scale", 60, "seconds for each real second, with the clock scaled")
	flags.Float64Var(&r.link, "replication-link", gateway.DefaultLink, "bytes a second between the sites")
	flags.BoolVar(&r.realisticUse, "replication-used", true, "first syncs send what is used of disks, not their capacity")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return o, 0, false
		}
		return o, 2, false
	}
	if flags.NArg() > 0 || o.hosts < 2 || o.vms < 0 || o.sites < 1 {
		fmt.Fprintln(stderr, "vslalab: at least two hosts and one site, no negative number of VMs, and no further arguments")
		return o, 2, false
	}
	if err := r.check(); err != nil {
		fmt.Fprintln(stderr, "vslalab:", err)
		return o, 2, false
	}
	if o.vms == 0 {
		o.vms = -1
	}
	if r.on {
		o.sites = max(2, o.sites)
	}
	return o, 0, true
}

// run serves until the context is cancelled. It returns the exit code: 2 for invalid flags, 1 if the lab cannot
// start.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	o, code, ok := parse(args, stderr)
	if !ok {
		return code
	}
	dir, err := os.MkdirTemp("", "vslalab-")
	if err != nil {
		fmt.Fprintln(stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }()
	var labs []*vcsim.VCenter
	defer func() {
		for _, lab := range labs {
			_ = lab.Close()
		}
	}()
	for site := range o.sites {
		lab, err := vcsim.Start(ctx,
			vcsim.Config{Hosts: o.hosts, VMs: o.vms, Site: site, Plain: o.plain, StatisticsLevel: statisticsLevel})
		if err != nil {
			fmt.Fprintln(stderr, "vslalab:", err)
			return 1
		}
		labs = append(labs, lab)
		lab.Traffic().SetLatency(o.latency)
		if o.logging {
			lab.Traffic().SetLog(stderr)
		}
	}
	var appliance *snapservice.Appliance
	if o.protection {
		if appliance, err = startProtection(ctx, labs[0], o, stderr); err != nil {
			fmt.Fprintln(stderr, "vslalab:", err)
			return 1
		}
		defer appliance.Close()
	}
	if o.replication.on {
		err = serveReplicated(ctx, o, dir, labs, appliance, stdout, stderr)
	} else {
		err = serve(ctx, dir, labs, appliance, stdout)
	}
	if err != nil {
		fmt.Fprintln(stderr, "vslalab:", err)
		return 1
	}
	if o.counts {
		printCounts(stdout, labs)
	}
	return 0
}

// serve prints the variables to export and waits for the context.
func serve(
	ctx context.Context, dir string, labs []*vcsim.VCenter, appliance *snapservice.Appliance, stdout io.Writer,
) error {
	for site, lab := range labs {
		bundle := lab.CAPEM()
		if appliance != nil && site == 0 {
			bundle = append(bundle, appliance.CAPEM()...)
		}
		ca := filepath.Join(dir, fmt.Sprintf("site-%d-ca.pem", site+1))
		if err := os.WriteFile(ca, bundle, 0o600); err != nil {
			return err
		}
		describe(stdout, lab, site, ca)
	}
	if appliance != nil {
		describeProtection(stdout, appliance, labs[0])
	}
	fmt.Fprintln(stdout, "# Ctrl-C ends the lab.")
	<-ctx.Done()
	return nil
}

// serveReplicated is serve with replication: it exports the first vCenter and one CA bundle.
func serveReplicated(
	ctx context.Context, o options, dir string, labs []*vcsim.VCenter, appliance *snapservice.Appliance,
	stdout, stderr io.Writer,
) error {
	log := io.Writer(nil)
	if o.logging {
		log = stderr
	}
	r, err := startReplication(ctx, o.replication, labs[0], labs[1], log)
	if err != nil {
		return err
	}
	defer r.close()
	r.gateway.Traffic().SetLatency(o.latency)
	ca, err := writeBundle(dir, labs, r, appliance)
	if err != nil {
		return err
	}
	describe(stdout, labs[0], 0, ca)
	for site, lab := range labs[1:] {
		fmt.Fprintf(stdout, "# vCenter %d: %d VMs, instance UUID %s, at %s, user %s, password %s\n",
			site+2, len(lab.VMs()), lab.InstanceUUID(), lab.URL(), lab.User(), lab.Password())
	}
	r.describe(stdout, o.replication)
	if appliance != nil {
		describeProtection(stdout, appliance, labs[0])
	}
	fmt.Fprintln(stdout, "# Ctrl-C ends the lab.")
	<-ctx.Done()
	if o.counts {
		printRequests(stdout, "replication", r.gateway.Traffic())
	}
	return nil
}

func describe(w io.Writer, lab *vcsim.VCenter, site int, ca string) {
	fmt.Fprintf(w, "# vCenter %d: %d VMs, instance UUID %s\n", site+1, len(lab.VMs()), lab.InstanceUUID())
	fmt.Fprintf(w,
		"export VSPHERE_SERVER=%s\nexport VSPHERE_USER=%s\nexport VSPHERE_PASSWORD=%s\nexport VSLA_CA_FILE=%s\n", lab.URL(),
		lab.User(), lab.Password(), ca)
}
