package snapservice

import (
	"context"
	"net/url"
	"slices"
	"strings"

	"terraform-provider-vsla/internal/transport"
)

const localSite = "local-site"

type site struct {
	Local   bool
	VCenter struct {
		Name string `json:"name"`
		ID   string `json:"vcenter"`
	}
}

func (c *Client) sites(ctx context.Context) ([]site, error) {
	var result struct {
		Items transport.List[struct {
			Summary struct {
				Local   bool `json:"local"`
				VCenter struct {
					Name string `json:"name"`
					ID   string `json:"vcenter"`
				} `json:"vcenter_info"`
			} `json:"summary"`
		}] `json:"items"`
	}
	if err := c.call(ctx, request{operation: listSites}, &result); err != nil {
		return nil, err
	}
	sites := make([]site, 0, len(result.Items))
	for _, item := range result.Items {
		sites = append(sites, site(item.Summary))
	}
	return sites, nil
}

// Reason contains messages from the appliance.
type Reason struct {
	Messages []Message `json:"messages"`
}

// Texts returns all messages in printable form.
func Texts(reasons ...[]Reason) []string {
	list := make([]string, 0)
	for _, part := range reasons {
		for _, r := range part {
			for _, m := range r.Messages {
				list = append(list, Printable(m.Default))
			}
		}
	}
	return list
}

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

// LicenceModes returns the license modes of a site: OPERATIONAL, DEGRADED or SUSPENDED. If there are none, the site has
// no license and cannot be a replication target.
func (c *Client) LicenceModes(ctx context.Context, site string) ([]string, error) {
	return c.licences.Get(ctx, site, func(ctx context.Context) ([]string, error) {
		var result struct {
			Items transport.List[struct {
				Info struct {
					VLR *struct {
						Mode string `json:"operational_mode"`
					} `json:"vlr_license_info"`
				} `json:"info"`
			}] `json:"items"`
		}
		if err := c.call(ctx, request{operation: listLicences, ids: []string{site}}, &result); err != nil {
			return nil, err
		}
		var modes []string
		for _, item := range result.Items {
			if item.Info.VLR != nil && item.Info.VLR.Mode != "" {
				modes = append(modes, item.Info.VLR.Mode)
			}
		}
		slices.Sort(modes)
		return slices.Compact(modes), nil
	})
}

// Capabilities of a cluster.
const (
	CanSnapshot  = "snapshot"
	CanReplicate = "replication"
	CanTag       = "tagging"
	CanLongTerm  = "gfs"
	CanImmutable = "immutable_snapshots"
)

// Capabilities returns the capabilities of a cluster. It requires release 9.1. Errors: ErrRelease.
func (c *Client) Capabilities(ctx context.Context, cluster string) ([]string, error) {
	return c.capabilities.Get(ctx, cluster, func(ctx context.Context) ([]string, error) {
		if _, err := c.CheckVCenter(ctx); err != nil {
			return nil, err
		}
		var result struct {
			Capabilities []string `json:"capabilities"`
		}
		err := c.call(ctx, request{operation: getCapability, ids: []string{localSite, cluster}}, &result)
		return result.Capabilities, c.asReleaseError(ctx, err)
	})
}

// Release returns the appliance's version.
func (c *Client) Release(ctx context.Context) (string, error) {
	return c.versions.Get(ctx, "", func(ctx context.Context) (string, error) {
		var result struct {
			Version string `json:"version"`
		}
		err := c.call(ctx, request{operation: getAbout}, &result)
		return Printable(result.Version), err
	})
}
