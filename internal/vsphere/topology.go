package vsphere

import (
	"context"
	"errors"
	"net/http"
)

const topologyPath = "/api/vcenter/topology/nodes"

type topology struct {
	nodes []string
	known bool
}

// readTopology lists the linked vCenters. The operation requires vCenter 7.0 Update 2 or later and a privilege.
func (c *Client) readTopology(ctx context.Context) (topology, error) {
	var result []struct {
		Node string `json:"node"`
	}
	_, err := c.call(ctx, request{method: http.MethodGet, path: topologyPath, isFinal: isUnsupported}, &result)
	if isUnsupported(err) || errors.Is(err, ErrPermission) {
		return topology{}, nil
	}
	if err != nil {
		return topology{}, err
	}
	t := topology{known: len(result) > 0} // a vCenter lists itself, so an empty list means that a privilege is missing
	for _, n := range result {
		t.nodes = append(t.nodes, n.Node)
	}
	return t, nil
}

// withTopology adds the linked vCenters to a count. Each vCenter reports only associations with its own objects, but
// deleting a tag deletes it on all linked vCenters.
func (c *Client) withTopology(ctx context.Context, count AssociationCount, tags int) (AssociationCount, error) {
	t, err := c.linkedNodes.Get(ctx, "", c.readTopology)
	if err != nil {
		return count, err
	}
	count.TopologyUnknown = !t.known
	if len(t.nodes) > 1 {
		count.LinkedNodes = t.nodes
	}
	if count.Objects > 0 || tags == 0 {
		// The account's permissions on the inventory do not matter if a tag is attached to an object or if there are no
		// tags. The tag list of a category is complete, because permissions on tags are global.
		return count, nil
	}
	access, err := c.InventoryAccess(ctx)
	count.UnprovenReason = access.UnprovenReason
	return count, err
}
