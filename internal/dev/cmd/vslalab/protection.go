package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"terraform-provider-vsla/internal/dev/lab/snapservice"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
)

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
