// Enhanced Linked Mode: vCenters that share tags and categories.

package vsphere

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"terraform-provider-vsla/internal/transport"
)

const topologyPath = "/api/vcenter/topology/nodes"

// topology lists the known vCenters that share tags with this one.
type topology struct {
	nodes []string
	known bool
}

// readTopology asks for the linked vCenters. Releases before 7.0 Update 2 do not have the operation, and not every user
// may use it.
func (c *Client) readTopology(ctx context.Context) (topology, error) {
	var answer []struct {
		Node string `json:"node"`
	}
	_, err := c.call(ctx, request{method: http.MethodGet, path: topologyPath, final: notOffered}, &answer)
	if notOffered(err) || errors.Is(err, ErrPermission) {
		return topology{}, nil
	}
	if err != nil {
		return topology{}, err
	}
	t := topology{known: len(answer) > 0} // a vCenter is a node itself: an empty list is not shown to this user
	for _, n := range answer {
		t.nodes = append(t.nodes, n.Node)
	}
	return t, nil
}

// withTopology adds the linked vCenters to a count: each vCenter reports associations with its own objects only, but a
// tag that is deleted is deleted on all of them.
func (c *Client) withTopology(ctx context.Context, count Associated, tags int) (Associated, error) {
	t, err := c.nodes.Get(ctx, "", c.readTopology)
	if err != nil {
		return count, err
	}
	count.TopologyUnknown = !t.known
	if len(t.nodes) > 1 {
		count.Linked = t.nodes
	}
	if count.Objects > 0 || tags == 0 {
		// It is attached, whatever else is; without tags nothing can be. The list of a category's tags is believed, because
		// permissions on tags are global ones, not those of the inventory.
		return count, nil
	}
	reach, err := c.Reach(ctx)
	count.Unproven = reach.Unproven
	return count, err
}

// arrivalWait is the time between two looks for a tag of a linked vCenter.
const arrivalWait = 5 * time.Second

// Arrivals has the tags and categories that changes wait for. The zero value is ready for use.
type Arrivals struct{ first sync.Map } // when each was not found for the first time, by id

type arrivalsKey struct{}

// Expecting returns a context for a change that needs its tags and categories: one that is not found is looked for
// again for transport.PatientTime if this vCenter is linked with others, from which it may not have arrived.
func Expecting(ctx context.Context, a *Arrivals) context.Context {
	return context.WithValue(ctx, arrivalsKey{}, a)
}

// mayArrive waits for a tag or category that is not found, and reports whether to look for it again.
func (c *Client) mayArrive(ctx context.Context, id string) bool {
	a, ok := ctx.Value(arrivalsKey{}).(*Arrivals)
	if !ok || id == "" {
		return false
	}
	t, err := c.nodes.Get(ctx, "", c.readTopology)
	if err != nil || len(t.nodes) < 2 {
		return false
	}
	now := c.config.Now()
	first, _ := a.first.LoadOrStore(id, now)
	since, ok := first.(time.Time)
	return ok && now.Sub(since) < transport.PatientTime && c.config.Sleep(ctx, arrivalWait) == nil
}
