package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"time"

	"terraform-provider-vsla/internal/dev/lab/fault"
	"terraform-provider-vsla/internal/dev/lab/gateway"
	"terraform-provider-vsla/internal/dev/lab/snapservice"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
)

// clocks lists the modes of virtual time.
const clocks = "frozen (by the control listener only), step (by each poll of a task) or scaled (faster than real time)"

type replicationFlags struct {
	on           bool
	clock        string
	step         time.Duration
	scale, link  float64
	realisticUse bool
}

func (f replicationFlags) pace() string {
	switch f.clock {
	case "step":
		return fmt.Sprintf("each poll of a task advances it by %v", f.step)
	case "scaled":
		return fmt.Sprintf("%v s of it pass in a second", f.scale)
	default:
		return "only the control below lets it pass"
	}
}

func (f replicationFlags) check() error {
	switch {
	case f.clock != "frozen" && f.clock != "step" && f.clock != "scaled":
		return errors.New("the clock is " + clocks)
	case f.step <= 0 || f.scale <= 0 || f.link <= 0:
		return errors.New("step, scale and link must be greater than 0")
	}
	return nil
}

type replication struct {
	gateway *gateway.Gateway
	control *http.Server
	address string
}

func startReplication(
	ctx context.Context, f replicationFlags, protected, recovery *vcsim.VCenter, log io.Writer,
) (*replication, error) {
	config := gateway.Config{Protected: protected, Recovery: recovery, Link: f.link, Log: log}
	config.Switches.UsedFromInventory = f.realisticUse
	if f.clock == "scaled" {
		config.Scale, config.Real = f.scale, time.Now //nolint:forbidigo // the lab's only use of real time, by request
		// Sessions keep their real lifetime, otherwise they would expire at once.
		scaled := func(d time.Duration) time.Duration { return time.Duration(float64(d) * f.scale) }
		s := &config.Switches
		s.SessionTTL, s.SessionIdle = scaled(5*time.Minute), scaled(5*time.Minute)
	}
	g, err := gateway.Start(ctx, config)
	if err != nil {
		return nil, err
	}
	if f.clock == "step" {
		g.StepPerPoll(f.step)
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		g.Close()
		return nil, err
	}
	r := &replication{
		gateway: g,
		control: &http.Server{Handler: g.Control(), ReadHeaderTimeout: time.Minute},
		address: listener.Addr().String(),
	}
	go func() { _ = r.control.Serve(listener) }() // ends with close
	return r, nil
}

func (r *replication) close() {
	_ = r.control.Close()
	r.gateway.Close()
}

func (r *replication) describe(w io.Writer, f replicationFlags) {
	g := r.gateway
	fmt.Fprintf(w, "# replication from vCenter 1 to vCenter 2: pairing %s, %.0f Mbit/s\n", g.PairingID(), f.link*8/1e6)
	fmt.Fprintf(w, "# its time begins at %s, and %s\n", gateway.Epoch.Format(time.RFC3339), f.pace())
	fmt.Fprintf(w,
		"export VSLA_REPLICATION_SERVER=%s\nexport VSLA_REPLICATION_USER=%s\nexport VSLA_REPLICATION_PASSWORD=%s\n", g.URL(),
		g.User(), g.Password())
	fmt.Fprintf(w, "export VSLA_REPLICATION_REMOTE_USER=%s\nexport VSLA_REPLICATION_REMOTE_PASSWORD=%s\n", g.RemoteUser(),
		g.RemotePassword())
	fmt.Fprintf(w, "# control: curl -X POST 'http://%s%sadvance?seconds=600'; curl http://%s%shelp\n",
		r.address, gateway.ControlPath, r.address, gateway.ControlPath)
}

// writeBundle writes all certificates into one file, because the provider trusts one bundle for all servers.
func writeBundle(dir string, labs []*vcsim.VCenter, r *replication, appliance *snapservice.Appliance) (string, error) {
	bundle := r.gateway.CAPEM()
	if appliance != nil {
		bundle = append(bundle, appliance.CAPEM()...)
	}
	for _, lab := range labs {
		bundle = append(bundle, lab.CAPEM()...)
	}
	file := filepath.Join(dir, "lab-ca.pem")
	return file, os.WriteFile(file, bundle, 0o600)
}

func printCounts(w io.Writer, labs []*vcsim.VCenter) {
	for i, lab := range labs {
		printRequests(w, fmt.Sprintf("vCenter %d", i+1), lab.Traffic())
	}
}

func printRequests(w io.Writer, of string, traffic *fault.Traffic) {
	counts := traffic.Counts()
	fmt.Fprintf(w, "# %s: %d requests\n", of, traffic.Total())
	for _, kind := range slices.Sorted(maps.Keys(counts)) {
		fmt.Fprintf(w, "%8d %s\n", counts[kind], kind)
	}
}

// startProtection starts the appliance on real time until the context is cancelled.
func startProtection(
	ctx context.Context, lab *vcsim.VCenter, o options, stderr io.Writer,
) (*snapservice.Appliance, error) {
	a, err := snapservice.Start(ctx, snapservice.Config{VCenter: lab})
	if err != nil {
		return nil, err
	}
	a.Traffic().SetLatency(o.latency)
	if o.logging {
		a.Traffic().SetLog(stderr)
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

func describeProtection(w io.Writer, a *snapservice.Appliance, lab *vcsim.VCenter) {
	fmt.Fprintf(w, "# vSAN Data Protection of vCenter 1, cluster %s\n", lab.Clusters()[0].ID)
	fmt.Fprintf(w, "export VSLA_DATA_PROTECTION_SERVER=%s\n", a.URL())
}
