// Actions on an existing replication: pause, resume, sync, and the two ways to end it.

package gateway

import "strings"

// act makes the task of an action, after its finding.
func (g *Gateway) act(c *call, judge func(*replication) *finding, done func(*replication, *task)) {
	r := g.replicationOf(c)
	if r == nil {
		return
	}
	f := judge(r)
	if g.refuseByMeaning(c, f) {
		return
	}
	if f != nil {
		g.accept(c, g.failedTask(c, r, f))
		return
	}
	g.accept(c, g.newTask(c.op.id, r.vmID, r.name, nil, func(t *task, _ TaskRule) {
		if !r.gone {
			done(r, t)
		}
	}, nil))
}

func (g *Gateway) pause(c *call) {
	g.act(c, func(r *replication) *finding {
		if r.engine.Paused() && g.config.Switches.StrictState {
			return found("ALREADY_PAUSED", "The replication is paused already.")
		}
		return nil
	}, func(r *replication, _ *task) { r.engine.Pause() })
}

func (g *Gateway) resume(c *call) {
	g.act(c, func(r *replication) *finding {
		if !r.engine.Paused() && g.config.Switches.StrictState {
			return found("NOT_PAUSED", "The replication is not paused.")
		}
		return nil
	}, func(r *replication, _ *task) {
		if r.engine.Paused() {
			r.engine.Resume()
		}
	})
}

func (g *Gateway) sync(c *call) {
	g.act(c, func(r *replication) *finding {
		if base, _, _ := strings.Cut(r.status().Status, "_RPO"); g.config.Switches.StrictState &&
			(base == "PAUSED" || base == "NOT_ACTIVE") {
			return found("REPLICATION_NOT_ACTIVE", "The replication does not run.")
		}
		return nil
	}, func(r *replication, t *task) {
		if !r.vanished && r.configError == nil {
			r.engine.Clear()
		}
		if r.engine.SyncNow() && g.config.Switches.SyncTaskWaits {
			t.open = true
			r.engine.WhenIdle(func() { t.open, t.end = false, g.engine.Now() })
		}
	})
}

func (g *Gateway) unconfigure(c *call) {
	retain, err := flag(c.r.URL.Query(), "retain_replica_disks")
	if err != nil {
		g.bad(c, err.Error())
		return
	}
	g.act(c, func(r *replication) *finding {
		if r.recoveryState == "IN_PROGRESS" || r.forced == "RECOVERING" {
			return found("REPLICATION_RECOVERING", "The replication is being recovered.")
		}
		return nil
	}, func(r *replication, _ *task) {
		if !retain {
			g.clean(r)
		}
		g.drop(r)
	})
}

// destroy forgets the local half: the files at the target stay, whatever was asked for.
func (g *Gateway) destroy(c *call) {
	if _, err := flag(c.r.URL.Query(), "retain_replica_disks"); err != nil {
		g.bad(c, err.Error())
		return
	}
	g.act(c, func(*replication) *finding { return nil }, func(r *replication, _ *task) { g.drop(r) })
}
