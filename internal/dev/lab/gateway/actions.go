package gateway

import (
	"strings"
)

func (g *Gateway) pause(c *call) {
	g.runAction(c, func(r *replication) *apiError {
		if r.engine.Paused() && g.config.Switches.StrictState {
			return newAPIError("ALREADY_PAUSED", "The replication is paused already.")
		}
		return nil
	}, func(r *replication, _ *task) { r.engine.Pause() })
}

func (g *Gateway) resume(c *call) {
	g.runAction(c, func(r *replication) *apiError {
		if !r.engine.Paused() && g.config.Switches.StrictState {
			return newAPIError("NOT_PAUSED", "The replication is not paused.")
		}
		return nil
	}, func(r *replication, _ *task) {
		if r.engine.Paused() {
			r.engine.Resume()
		}
	})
}

func (g *Gateway) sync(c *call) {
	g.runAction(c, func(r *replication) *apiError {
		base, _, _ := strings.Cut(r.status().Status, "_RPO")
		isStopped := base == "PAUSED" || base == "NOT_ACTIVE"
		if g.config.Switches.StrictState && isStopped {
			return newAPIError("REPLICATION_NOT_ACTIVE", "The replication does not run.")
		}
		return nil
	}, func(r *replication, t *task) {
		if !r.vmDeleted && r.configError == nil {
			r.engine.Clear()
		}
		if r.engine.SyncNow() && g.config.Switches.SyncTaskWaits {
			t.open = true
			r.engine.WhenIdle(func() {
				t.open = false
				t.end = g.engine.Now()
			})
		}
	})
}

func (g *Gateway) unconfigure(c *call) {
	retain, err := flag(c.r.URL.Query(), "retain_replica_disks")
	if err != nil {
		g.writeBadRequest(c, err.Error())
		return
	}
	g.runAction(c, func(r *replication) *apiError {
		if r.recoveryState == "IN_PROGRESS" || r.statusOverride == "RECOVERING" {
			return newAPIError("REPLICATION_RECOVERING", "The replication is being recovered.")
		}
		return nil
	}, func(r *replication, _ *task) {
		if !retain {
			g.deleteFiles(r)
		}
		g.removeReplication(r)
	})
}

func (g *Gateway) destroy(c *call) {
	if _, err := flag(c.r.URL.Query(), "retain_replica_disks"); err != nil {
		g.writeBadRequest(c, err.Error())
		return
	}
	g.runAction(
		c,
		func(*replication) *apiError { return nil },
		func(r *replication, _ *task) { g.removeReplication(r) },
	)
}
