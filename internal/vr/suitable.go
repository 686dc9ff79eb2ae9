// Questions about several VMs in one request.

package vr

import (
	"cmp"
	"context"
	"net/url"
	"slices"
	"strconv"
)

// groups splits VMs into those of one vCenter each, as many as one request asks for.
func groups(keys []vmKey) [][]vmKey {
	slices.SortFunc(keys, func(a, b vmKey) int {
		return cmp.Or(cmp.Compare(a.pairing, b.pairing), cmp.Compare(a.vcenter, b.vcenter), cmp.Compare(a.vm, b.vm))
	})
	var all [][]vmKey
	for len(keys) > 0 {
		first := keys[0]
		n := slices.IndexFunc(keys, func(k vmKey) bool {
			return k.pairing != first.pairing || k.vcenter != first.vcenter
		})
		if n < 0 {
			n = len(keys)
		}
		n = min(n, vmBatch)
		all = append(all, keys[:n])
		keys = keys[n:]
	}
	return all
}

// vmsByID lists the VMs of a group, with suitable only those that can be replicated. What else the list contains is the
// caller's to ignore: how the gateway's filter matches is not documented.
func (c *Client) vmsByID(ctx context.Context, group []vmKey, suitable bool) ([]wireVM, error) {
	r := request{
		template: vmsTemplate, ids: []string{group[0].pairing, group[0].vcenter}, pairing: group[0].pairing,
		query: url.Values{"filter_property": {"id"}, "suitable_for_replication": {strconv.FormatBool(suitable)}},
	}
	for _, k := range group {
		r.query.Add("filter", k.vm)
	}
	return list(ctx, c, r, "id", func(w wireVM) string { return w.ID })
}

// Suitable reports whether the gateway lists a VM as suitable for replication. Why one is not is in its Capability.
// Callers that come while a request is under way share the next one.
func (c *Client) Suitable(ctx context.Context, pairing, vcenter, vm string) (bool, error) {
	return c.suitable.Get(ctx, vmKey{pairing, vcenter, vm}, c.readSuitable)
}

func (c *Client) readSuitable(ctx context.Context, keys []vmKey) (map[vmKey]bool, error) {
	suitable := make(map[vmKey]bool, len(keys))
	for _, group := range groups(keys) {
		found, err := c.vmsByID(ctx, group, true)
		if err != nil {
			return nil, err
		}
		for _, w := range found {
			suitable[vmKey{group[0].pairing, group[0].vcenter, w.ID}] = !w.Template
		}
	}
	return suitable, nil
}
