package snapservice

import (
	"context"
	"net/url"
	"slices"
	"strings"

	"terraform-provider-vsla/internal/transport"
)

// Member is one of the two clusters of a pair.
type Member struct {
	SiteID      string `json:"site"`
	VCenterID   string `json:"vcenter"`
	ClusterID   string `json:"cluster"`
	ClusterName string `json:"cluster_name"`
}

// Pair is a pair of clusters between which groups can be replicated. Status is OK, WARNING or ERROR.
type Pair struct {
	ID       string   `json:"-"`
	Local    Member   `json:"local_cluster"`
	Peer     Member   `json:"peer_cluster"`
	Status   string   `json:"connection_status"`
	Errors   []Reason `json:"connection_errors"`
	Warnings []Reason `json:"connection_warnings"`
}

// Pairs returns the cluster pairs of a local cluster, sorted by ID.
func (c *Client) Pairs(ctx context.Context, cluster string) ([]Pair, error) {
	return c.pairs.Get(ctx, cluster, func(ctx context.Context) ([]Pair, error) {
		if _, err := c.CheckVCenter(ctx); err != nil {
			return nil, err
		}
		var result struct {
			Items transport.List[struct {
				ID   string `json:"cluster_pair"`
				Info Pair   `json:"info"`
			}] `json:"items"`
		}
		query := url.Values{"local_clusters": {cluster}}
		if err := c.call(ctx, request{operation: listPairs, query: query}, &result); err != nil {
			return nil, err
		}
		pairs := make([]Pair, 0, len(result.Items))
		for _, item := range result.Items {
			item.Info.ID = item.ID
			if item.Info.Local.ClusterID == cluster {
				pairs = append(pairs, item.Info)
			}
		}
		slices.SortFunc(pairs, func(a, b Pair) int { return strings.Compare(a.ID, b.ID) })
		return pairs, nil
	})
}
