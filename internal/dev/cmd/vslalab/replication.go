package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"terraform-provider-vsla/internal/dev/lab/gateway"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
)

const clocks = "frozen (by the control listener only), step (by each poll of a task) or scaled (faster than real time)"

type replicationFlags struct {
	on          bool
	clock       string
	scale, link float64
}

func (f replicationFlags) pace() string {
	switch f.clock {
	case "step":
		return fmt.Sprintf("each poll of a task advances it by %v", step)
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
	case f.scale <= 0 || f.link <= 0:
		return errors.New("scale and link must be greater than 0")
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
	config.Switches.UsedFromInventory = true // initial syncs transfer only the used disk space
	config.Switches.Latest = gateway.AllOfLatest()
	if f.clock == "scaled" {
		config.Scale, config.Real = f.scale, time.Now //nolint:forbidigo // the lab uses real time only on request
		// Scale the session lifetimes too, because sessions would otherwise expire immediately.
		scaled := func(d time.Duration) time.Duration { return time.Duration(float64(d) * f.scale) }
		s := &config.Switches
		s.SessionTTL, s.SessionIdle = scaled(5*time.Minute), scaled(5*time.Minute)
	}
	g, err := gateway.Start(ctx, config)
	if err != nil {
		return nil, err
	}
	if f.clock == "step" {
		g.StepPerPoll(step)
	}
	g.SetMappings(gateway.Mapping{
		Source: protected.Clusters()[0].ID, Target: recovery.Clusters()[0].ID, Status: "OK",
		TestedAt:   time.Now().UnixMilli(), //nolint:forbidigo // the provider compares it with the real time
		Throughput: int64(f.link * 8 / 1e6), ThroughputUnits: "Mbps", Latency: 5, LatencyUnits: "ms",
	})
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		g.Close()
		return nil, err
	}
	r := &replication{
		gateway: g, control: &http.Server{Handler: g.Control(), ReadHeaderTimeout: time.Minute},
		address: listener.Addr().String(),
	}
	go func() { _ = r.control.Serve(listener) }()
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
