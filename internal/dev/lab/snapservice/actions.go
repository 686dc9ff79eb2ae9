package snapservice

import (
	"errors"
	"net/http"
)

func (a *Appliance) pause(r *http.Request) (any, error) { return a.setStatus(r, "PAUSED") }

func (a *Appliance) resume(r *http.Request) (any, error) { return a.setStatus(r, "ACTIVE") }

func (a *Appliance) setStatus(r *http.Request, status string) (any, error) {
	g, err := a.writableGroup(r)
	switch {
	case err != nil:
		return nil, err
	case g.Info.Status == status:
		return nil, newRefusal("ALREADY_IN_DESIRED_STATE", "The protection group is "+status+" already.")
	}
	return a.begin(g.Cluster, g.ID, func() (any, error) {
		g.Info.Status = status
		return g.ID, nil
	}), nil
}

func (a *Appliance) snapshot(r *http.Request) (any, error) {
	g, err := a.writableGroup(r)
	if err != nil {
		return nil, err
	}
	var s struct {
		Name      string  `json:"name"`
		Retention *Period `json:"retention"`
	}
	if err := decode(r, &s); err != nil {
		return nil, err
	}
	return a.begin(g.Cluster, g.ID, func() (any, error) {
		if s.Retention == nil {
			return nil, errors.New("tests must set an expiry for snapshots")
		}
		id := a.id("snapshot")
		g.snapshots[id] = a.now.Add(periodDuration(*s.Retention))
		total := int64(len(g.Info.VMs))
		return map[string]any{
			"total_vms":      total,
			"successful_vms": total - a.failedVMs,
			"failed_vms":     a.failedVMs,
			"snapshot":       id,
		}, nil
	}), nil
}
