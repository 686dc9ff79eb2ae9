package snapservice

import (
	"errors"
	"net/http"
	"time"
)

type task struct {
	cluster, group string
	start, end     time.Time
	run            func() (any, error)
	done           bool
	result         any
	err            error
	blocked        bool
	ended          time.Time
}

func (a *Appliance) busy(cluster, group string) error {
	for _, t := range a.tasks {
		if t.done {
			continue
		}
		switch a.config.Switches.BusyScope {
		case "group":
			if t.group != group {
				continue
			}
		case "appliance":
		default:
			if t.cluster != cluster {
				continue
			}
		}
		return newRefusal("NOT_ALLOWED_IN_CURRENT_STATE", "Another operation is in progress.")
	}
	return nil
}

const taskTime = 3 * time.Second

func (a *Appliance) begin(cluster, group string, run func() (any, error)) string {
	id := a.id("task")
	a.tasks[id] = &task{
		cluster: cluster,
		group:   group,
		run:     run,
		start:   a.now,
		end:     a.now.Add(taskTime + a.taskDelay),
		blocked: a.taskDelay > 0,
	}
	a.order = append(a.order, id)
	return id
}

func (a *Appliance) endTasks() {
	for _, id := range a.order {
		t := a.tasks[id]
		if t.done || a.now.Before(t.end) {
			continue
		}
		t.result, t.err = t.run()
		t.done = true
		t.ended = a.now
	}
}

func (a *Appliance) info(t *task) map[string]any {
	status := "RUNNING"
	if t.blocked {
		status = "BLOCKED"
	}
	info := map[string]any{
		"cancelable":  false,
		"description": newMessages("A task.")[0],
		"operation":   "write",
		"service":     "protection_groups",
		"user":        "administrator",
		"start_time":  t.start.Format(time.RFC3339),
		"progress":    map[string]any{"completed": 0, "total": 100, "message": newMessages("In progress.")[0]},
	}
	if t.done {
		status = "SUCCEEDED"
		info["end_time"] = t.ended.Format(time.RFC3339)
		if t.result != nil {
			info["result"] = t.result
		}
	}
	if t.err != nil {
		status = "FAILED"
		var r *refusal
		if !errors.As(t.err, &r) {
			r = &refusal{"ERROR", newMessages(t.err.Error())}
		}
		info["error"] = r
	}
	if !a.config.Switches.NoTarget && t.done && t.err == nil {
		info["target"] = map[string]string{"id": t.group, "type": "com.vmware.snapservice.protection_group"}
	}
	info["status"] = status
	return info
}

func (a *Appliance) purged(t *task) bool { return a.config.Switches.PurgeTasks && t.done }

func (a *Appliance) getTask(r *http.Request) (any, error) {
	t := a.tasks[r.PathValue("task")]
	if t == nil || a.purged(t) {
		return nil, newRefusal("NOT_FOUND", "There is no such task.")
	}
	return a.info(t), nil
}

func (a *Appliance) listTasks(r *http.Request) (any, error) {
	ids := r.URL.Query()["tasks"]
	if len(ids) == 0 {
		return nil, newRefusal("INVALID_ARGUMENT", "Either tasks or services is required.")
	}
	var list []map[string]any
	for _, id := range ids {
		if t := a.tasks[id]; t != nil && !a.purged(t) {
			list = append(list, map[string]any{"task": id, "info": a.info(t)})
		}
	}
	return items(list), nil
}
