package vr

import (
	"context"
	"maps"
	"net/url"
)

// vmsByID lists VMs by ID, with more parameters. The list can contain other VMs, because the semantics of the gateway's
// filter are undocumented.
func (c *Client) vmsByID(ctx context.Context, group []vmKey, more url.Values) ([]wireVM, error) {
	r := request{
		template: vmsTemplate,
		ids:      []string{group[0].pairing, group[0].vcenter},
		pairing:  group[0].pairing,
		query:    url.Values{"filter_property": {"id"}},
	}
	maps.Copy(r.query, more)
	for _, k := range group {
		r.query.Add("filter", k.vm)
	}
	return list(ctx, c, r, "id", func(w wireVM) string { return w.ID })
}

func (c *Client) readSuitable(ctx context.Context, keys []vmKey) (map[vmKey]bool, error) {
	suitable := make(map[vmKey]bool, len(keys))
	for _, group := range groupByVCenter(keys) {
		found, err := c.vmsByID(ctx, group, url.Values{"suitable_for_replication": {"true"}})
		if err != nil {
			return nil, err
		}
		for _, w := range found {
			suitable[vmKey{group[0].pairing, group[0].vcenter, w.ID}] = !w.Template
		}
	}
	return suitable, nil
}
