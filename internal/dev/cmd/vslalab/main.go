// Command vslalab runs simulated vCenters in the foreground for manual tests. It prints the environment variables to
// export.
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

// statisticsLevel enables the write counters in historical intervals. vCenter's default level, 1, does not include
// them.
const statisticsLevel = 2

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "vslalab:", err)
		os.Exit(1)
	}
}

type options struct {
	hosts, vms  int
	protection  bool
	replication replicationFlags
}

func parse(args []string, stderr io.Writer) (o options, err error) {
	flags := flag.NewFlagSet("vslalab", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.IntVar(&o.hosts, "hosts", 2, "number of hosts, in two clusters")
	flags.IntVar(&o.vms, "vms", 8, "number of VMs")
	flags.BoolVar(
		&o.protection,
		"protection",
		false,
		"a simulated appliance of vSAN Data Protection at the first vCenter",
	)
	r := &o.replication
	flags.BoolVar(&r.on, "replication", false,
		"a second vCenter, and a simulated vSphere Replication appliance between the two")
	flags.Float64Var(&r.scale, "replication-scale", 60,
		"seconds of its time for each real second; 0 to advance it only by polls of tasks")
	flags.Float64Var(&r.link, "replication-link", gateway.DefaultLink, "bytes a second between the sites")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	if flags.NArg() > 0 || o.hosts < 2 || o.vms < 1 {
		return o, errors.New("at least two hosts and one VM, and no further arguments")
	}
	return o, r.check()
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	o, err := parse(args, stderr)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "vslalab-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	sites := 1
	if o.replication.on {
		sites = 2
	}
	var (
		labs   []*vcsim.VCenter
		bundle []byte // certificates of all servers, because the provider reads a single CA file
	)
	for site := range sites {
		lab, err := vcsim.Start(ctx,
			vcsim.Config{Hosts: o.hosts, VMs: o.vms, Site: site, StatisticsLevel: statisticsLevel})
		if err != nil {
			return err
		}
		defer func() { _ = lab.Close() }()
		labs, bundle = append(labs, lab), append(bundle, lab.CAPEM()...)
	}
	ca := filepath.Join(dir, "lab-ca.pem")
	describe(stdout, labs, ca)
	if o.replication.on {
		r, err := startReplication(ctx, o.replication, labs[0], labs[1])
		if err != nil {
			return err
		}
		defer r.close()
		bundle = append(bundle, r.gateway.CAPEM()...)
		r.describe(stdout, o.replication)
	}
	if o.protection {
		a, err := startProtection(ctx, labs[0])
		if err != nil {
			return err
		}
		defer a.Close()
		bundle = append(bundle, a.CAPEM()...)
		fmt.Fprintf(stdout, "# vSAN Data Protection of vCenter 1, cluster %s\n", labs[0].Clusters()[0].ID)
		fmt.Fprintf(stdout, "export VSLA_DATA_PROTECTION_SERVER=%s\n", a.URL())
	}
	if err := os.WriteFile(ca, bundle, 0o600); err != nil {
		return err
	}
	fmt.Fprintln(stdout, "# Ctrl-C ends the lab.")
	<-ctx.Done()
	return nil
}

func describe(w io.Writer, labs []*vcsim.VCenter, ca string) {
	for site, lab := range labs {
		fmt.Fprintf(w, "# vCenter %d: %d VMs, instance UUID %s, at %s, user %s, password %s\n",
			site+1, len(lab.VMs()), lab.InstanceUUID(), lab.URL(), lab.User(), lab.Password())
	}
	fmt.Fprintf(w,
		"export VSPHERE_SERVER=%s\nexport VSPHERE_USER=%s\nexport VSPHERE_PASSWORD=%s\nexport VSLA_CA_FILE=%s\n",
		labs[0].URL(), labs[0].User(), labs[0].Password(), ca)
}

// startProtection runs the appliance on the real clock until ctx is canceled.
func startProtection(ctx context.Context, lab *vcsim.VCenter) (*snapservice.Appliance, error) {
	a, err := snapservice.Start(ctx, snapservice.Config{VCenter: lab})
	if err != nil {
		return nil, err
	}
	go func() {
		seconds := time.NewTicker(time.Second)
		defer seconds.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-seconds.C:
				a.Advance(time.Second)
			}
		}
	}()
	return a, nil
}
