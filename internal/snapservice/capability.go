package snapservice

import "context"

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
