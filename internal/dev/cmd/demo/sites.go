package main

import (
	"context"
	"errors"
	"fmt"
	"io"
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
)

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
