package vsphere

import (
	"context"
	"time"

	"github.com/vmware/govmomi/vim25"
	"github.com/vmware/govmomi/vim25/methods"
)

// Time returns the current time of the vCenter clock.
func (c *Client) Time(ctx context.Context) (time.Time, error) {
	var now time.Time
	err := c.withSOAP(ctx, "read the time", func(ctx context.Context, vim *vim25.Client) error {
		read, err := methods.GetCurrentTime(ctx, vim)
		if err == nil {
			now = *read
		}
		return err
	})
	return now, err
}
