// Command vslalab runs simulated vCenters in the foreground, for play and for tests by hand. It prints what to export.
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

	"terraform-provider-vsla/internal/lab/vcsim"
)

// statisticsLevel lets historical intervals hold writes, which vCenter's default of 1 does not.
const statisticsLevel = 2

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run serves until the context ends. It gives the exit code: 2 for wrong flags, 1 when the lab cannot start.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("vslalab", flag.ContinueOnError)
	flags.SetOutput(stderr)
	hosts := flags.Int("hosts", 2, "number of hosts, in two clusters")
	vms := flags.Int("vms", 8, "number of virtual machines")
	sites := flags.Int("sites", 1, "number of vCenters")
	latency := flags.Duration("latency", 0, "delay of each request")
	plain := flags.Bool("plain", false, "govmomi's own tagging service, gaps and all, in place of the lab's")
	logging := flags.Bool("log", false, "write one line for each request to standard error")
	counts := flags.Bool("counts", false, "print the number of requests by kind at the end")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return 0
		}
		return 2
	}
	if flags.NArg() > 0 || *hosts < 2 || *vms < 0 || *sites < 1 {
		fmt.Fprintln(stderr, "vslalab: at least two hosts and one site, no negative number of machines, and no further arguments")
		return 2
	}
	dir, err := os.MkdirTemp("", "vslalab-")
	if err != nil {
		fmt.Fprintln(stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if *vms == 0 {
		*vms = -1
	}
	var labs []*vcsim.VCenter
	defer func() {
		for _, lab := range labs {
			_ = lab.Close()
		}
	}()
	for site := range *sites {
		lab, err := vcsim.Start(ctx, vcsim.Config{Hosts: *hosts, VMs: *vms, Site: site, Plain: *plain, StatisticsLevel: statisticsLevel})
		if err != nil {
			fmt.Fprintln(stderr, "vslalab:", err)
			return 1
		}
		labs = append(labs, lab)
		lab.Traffic().SetLatency(*latency)
		if *logging {
			lab.Traffic().SetLog(stderr)
		}
		ca := filepath.Join(dir, fmt.Sprintf("site-%d-ca.pem", site+1))
		if err := os.WriteFile(ca, lab.CAPEM(), 0o600); err != nil {
			fmt.Fprintln(stderr, err)
			return 1
		}
		describe(stdout, lab, site, ca)
	}
	fmt.Fprintln(stdout, "# Ctrl-C ends the lab.")
	<-ctx.Done()
	if *counts {
		printCounts(stdout, labs)
	}
	return 0
}

func describe(w io.Writer, lab *vcsim.VCenter, site int, ca string) {
	fmt.Fprintf(w, "# vCenter %d: %d machines, instance UUID %s\n", site+1, len(lab.VMs()), lab.InstanceUUID())
	fmt.Fprintf(w, "export VSPHERE_SERVER=%s\nexport VSPHERE_USER=%s\nexport VSPHERE_PASSWORD=%s\nexport VSLA_CA_FILE=%s\n",
		lab.URL(), lab.User(), lab.Password(), ca)
}
