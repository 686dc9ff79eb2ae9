// Enhanced Linked Mode: vCenters that share tags and categories.

package vsphere

import (
	"context"
	"errors"
	"net/http"
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
