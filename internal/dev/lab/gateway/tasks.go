package gateway

import (
	"net/http"
	"time"
)

var taskTimes = map[string][2]time.Duration{
	"configureReplication":   {time.Second, 7 * time.Second},
	"reconfigureReplication": {time.Second, 4 * time.Second},
	"pauseReplication":       {0, 2 * time.Second},
	"resumeReplication":      {0, 2 * time.Second},
	"syncReplication":        {0, time.Second},
	"unconfigureReplication": {time.Second, 5 * time.Second},
	"destroyReplication":     {0, 3 * time.Second},
	"reconnectVrPairing":     {time.Second, 4 * time.Second},

	"runReplicationMappingsTests": {time.Second, 10 * time.Second},
}

// TaskRule changes the outcome of tasks. Fields with zero values have no effect.
type TaskRule struct {
	// Operation is an operation ID. VM is the full ID or managed object ID of a VM. Empty values match all tasks.
	Operation string
	VM        string
	// Times is the maximum number of tasks to change; 0 means no limit.
	Times int
	// Fail makes the task end in ERROR with this message and Details. The task then changes nothing.
	Fail    string
	Details string
	// Cancel makes the task end as CANCELLED. The task then changes nothing.
	Cancel bool
	// Stuck keeps the task at 99 percent forever.
	Stuck bool
	// Slow multiplies the duration of the task. Values below 1 have no effect.
	Slow float64
	// ConfigurationError makes the configuration fail with this message even though the task succeeds.
	ConfigurationError string

	used int
}

type tasks struct {
	list  []*task
	rules []*TaskRule
}

type task struct {
	id, operation      string
	entity, entityName string
	queued, start, end time.Duration
	fail               *errorInfo
	cancel, stuck      bool
	open               bool // ends when an event occurs, not at a fixed time
}

// BreakTasks adds a rule for new tasks. If several rules match a task, the first one applies.
func (g *Gateway) BreakTasks(rule TaskRule) {
	defer g.lock()()
	g.tasks.rules = append(g.tasks.rules, &rule)
}

// MendTasks removes all rules added by BreakTasks.
func (g *Gateway) MendTasks() {
	defer g.lock()()
	g.tasks.rules = nil
}

// LoseTasks forgets all tasks, so that requests for them return 404. The tasks still take effect.
func (g *Gateway) LoseTasks() {
	defer g.lock()()
	g.tasks.list = nil
}

// taskRule returns the rule for a new task and counts its use.
func (g *Gateway) taskRule(operation, vmID string) TaskRule {
	for _, rule := range g.tasks.rules {
		ofOperation := rule.Operation == "" || rule.Operation == operation
		ofVM := rule.VM == "" || rule.VM == vmID || rule.VM == moidOf(vmID)
		if !ofOperation || !ofVM {
			continue
		}
		if rule.Times == 0 || rule.used < rule.Times {
			rule.used++
			return *rule
		}
	}
	return TaskRule{}
}

func (g *Gateway) newTask(
	operation, vmID, name string,
	fail *errorInfo,
	done func(*task, TaskRule),
	failed func(),
) *task {
	rule := g.taskRule(operation, vmID)
	slow := max(1, rule.Slow)
	times := taskTimes[operation]
	t := &task{
		id:         "task-" + g.uuid(),
		operation:  operation,
		entity:     vmID,
		entityName: name,
		queued:     g.engine.Now(),
		fail:       fail,
	}
	t.start = t.queued + time.Duration(float64(times[0])*slow)
	t.end = t.start + time.Duration(float64(times[1])*slow)
	if rule.Fail != "" {
		t.fail = &errorInfo{Message: rule.Fail, Details: rule.Details}
	}
	t.cancel = rule.Cancel
	t.stuck = rule.Stuck
	g.tasks.list = append(g.tasks.list, t)
	if t.stuck {
		return t
	}
	g.engine.At(t.end, func() {
		switch {
		case t.fail == nil && !t.cancel:
			done(t, rule)
		case failed != nil:
			failed()
		}
	})
	return t
}

func (t *task) ended(now time.Duration) bool { return !t.stuck && !t.open && now >= t.end }

func (g *Gateway) taskInfo(t *task) taskInfo {
	now := g.engine.Now()
	info := taskInfo{
		ID:            t.id,
		Description:   t.operation,
		DescriptionID: "hms." + t.operation,
		Entity:        new(t.entity),
		EntityName:    new(t.entityName),
		Status:        "QUEUED",
		QueuedTime:    new(millis(t.queued)),
	}
	if now < t.start {
		return info
	}
	info.Status = "RUNNING"
	info.StartTime = new(millis(t.start))
	if !t.ended(now) {
		info.Progress = 99
		if now < t.end {
			info.Progress = int32(100 * float64(now-t.start) / float64(t.end-t.start))
		}
		return info
	}
	info.CompleteTime = new(millis(t.end))
	switch {
	case t.cancel:
		info.Status = "CANCELLED"
	case t.fail != nil:
		info.Status = "ERROR"
		info.Error = t.fail
	default:
		info.Status = "SUCCESS"
		info.Progress = 100
	}
	return info
}

func (g *Gateway) writeTask(c *call, t *task) {
	info := g.taskInfo(t)
	info.Meta = g.newMeta(false)
	g.writeJSON(c, http.StatusAccepted, info)
}

func (g *Gateway) poll() { g.engine.Advance(g.engine.Now() + g.step) }

func (g *Gateway) listTasks(c *call) {
	g.poll()
	list := make([]taskInfo, 0, len(g.tasks.list))
	for _, t := range g.tasks.list {
		list = append(list, g.taskInfo(t))
	}
	writePage(g, c, list, nil)
}

func (g *Gateway) getTask(c *call) {
	g.poll()
	for _, t := range g.tasks.list {
		if t.id == c.r.PathValue("task_id") {
			info := g.taskInfo(t)
			info.Meta = g.newMeta(false)
			g.writeJSON(c, http.StatusOK, info)
			return
		}
	}
	g.writeStatus(c, http.StatusNotFound)
}

func (g *Gateway) runAction(c *call, validate func(*replication) *apiError, done func(*replication, *task)) {
	r := g.replicationOf(c)
	if r == nil {
		return
	}
	if g.rejectInvalid(c, r.vmID, r.name, validate(r)) {
		return
	}
	g.writeTask(c, g.newTask(c.op.id, r.vmID, r.name, nil, func(t *task, _ TaskRule) {
		if !r.deleted {
			done(r, t)
		}
	}, nil))
}
