package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"time"

	"terraform-provider-vsla/internal/dev/lab/gateway"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
)

const (
	// advancePath is the path of the request that advances the clock of the appliance.
	advancePath = "/_control/advance"
	// step is how far each poll of a task advances the clock if its scale is 0.
	step = 5 * time.Second
)

type replicationFlags struct {
	on          bool
	scale, link float64
}

func (f replicationFlags) check() error {
	if f.scale < 0 || f.link <= 0 {
		return errors.New("the scale must be at least 0, and the link greater than 0")
	}
	return nil
}

func (f replicationFlags) pace() string {
	if f.scale == 0 {
		return fmt.Sprintf("each poll of a task advances it by %v", step)
	}
	return fmt.Sprintf("%v s of it pass in a second", f.scale)
}

type replication struct {
	gateway *gateway.Gateway
	control *http.Server
	address string
}

func startReplication(
	ctx context.Context, f replicationFlags, protected, recovery *vcsim.VCenter,
) (*replication, error) {
	config := gateway.Config{Protected: protected, Recovery: recovery, Link: f.link}
	config.Switches.UsedFromInventory = true // initial syncs transfer only the used disk space
	config.Switches.Latest = gateway.AllOfLatest()
	if f.scale > 0 {
		config.Scale, config.Real = f.scale, time.Now //nolint:forbidigo // the lab uses real time only on request
		// Scale the session lifetimes too, because sessions would otherwise expire immediately.
		lifetime := time.Duration(float64(5*time.Minute) * f.scale)
		config.Switches.SessionTTL, config.Switches.SessionIdle = lifetime, lifetime
	}
	g, err := gateway.Start(ctx, config)
	if err != nil {
		return nil, err
	}
	if f.scale == 0 {
		g.StepPerPoll(step)
	}
	g.SetMappings(gateway.Mapping{
		Source:          protected.Clusters()[0].ID,
		Target:          recovery.Clusters()[0].ID,
		Status:          "OK",
		TestedAt:        time.Now().UnixMilli(), //nolint:forbidigo // the provider compares it with the real time
		Throughput:      int64(f.link * 8 / 1e6),
		ThroughputUnits: "Mbps",
		Latency:         5,
		LatencyUnits:    "ms",
	})
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		g.Close()
		return nil, err
	}
	r := &replication{
		gateway: g,
		control: &http.Server{Handler: advanceHandler(g), ReadHeaderTimeout: time.Minute},
		address: listener.Addr().String(),
	}
	go func() { _ = r.control.Serve(listener) }()
	return r, nil
}

// advanceHandler advances the clock of the appliance by the seconds in the query, and returns its time.
func advanceHandler(g *gateway.Gateway) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST "+advancePath, func(w http.ResponseWriter, r *http.Request) {
		seconds, err := strconv.ParseFloat(r.URL.Query().Get("seconds"), 64)
		if err != nil || seconds < 0 {
			http.Error(w, "seconds must be a number of at least 0", http.StatusBadRequest)
			return
		}
		g.Advance(time.Duration(seconds * float64(time.Second)))
		fmt.Fprintln(w, g.Now().Format(time.RFC3339))
	})
	return mux
}

func (r *replication) close() {
	_ = r.control.Close()
	r.gateway.Close()
}

func (r *replication) describe(w io.Writer, f replicationFlags) {
	g := r.gateway
	fmt.Fprintf(w, "# replication from vCenter 1 to vCenter 2: pairing %s, %.0f Mbit/s\n", g.PairingID(), f.link*8/1e6)
	fmt.Fprintf(w, "# its time begins at %s, and %s\n", gateway.Epoch.Format(time.RFC3339), f.pace())
	fmt.Fprintf(
		w,
		"export VSLA_REPLICATION_SERVER=%s\nexport VSLA_REPLICATION_USER=%s\nexport VSLA_REPLICATION_PASSWORD=%s\n",
		g.URL(),
		g.User(),
		g.Password(),
	)
	fmt.Fprintf(
		w,
		"export VSLA_REPLICATION_REMOTE_USER=%s\nexport VSLA_REPLICATION_REMOTE_PASSWORD=%s\n",
		g.RemoteUser(),
		g.RemotePassword(),
	)
	fmt.Fprintf(w, "# control: curl -X POST 'http://%s%s?seconds=600'\n", r.address, advancePath)
}
