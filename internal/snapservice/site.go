package snapservice

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/vmware/govmomi/vim25/methods"

	"terraform-provider-vsla/internal/transport"
)

// localSite is the ID that the API accepts for the site of the appliance.
const localSite = "local-site"

// site is a site of the appliance, which has one vCenter.
type site struct {
	Local   bool `json:"local"`
	VCenter struct {
		Name string `json:"name"`
		ID   string `json:"vcenter"`
	} `json:"vcenter_info"`
}

func (c *Client) sites(ctx context.Context) ([]site, error) {
	var result struct {
		Items transport.List[struct {
			Summary site `json:"summary"`
		}] `json:"items"`
	}
	if err := c.call(ctx, request{operation: listSites}, &result); err != nil {
		return nil, err
	}
	sites := make([]site, 0, len(result.Items))
	for _, item := range result.Items {
		sites = append(sites, item.Summary)
	}
	return sites, nil
}

// LicenseModes returns the license modes of a site: OPERATIONAL, DEGRADED or SUSPENDED. If there are none, the site has
// no license and cannot be a replication target.
func (c *Client) LicenseModes(ctx context.Context, site string) ([]string, error) {
	return c.licenses.Get(ctx, site, func(ctx context.Context) ([]string, error) {
		var result struct {
			Items transport.List[struct {
				Info struct {
					VLR *struct {
						Mode string `json:"operational_mode"`
					} `json:"vlr_license_info"`
				} `json:"info"`
			}] `json:"items"`
		}
		if err := c.call(ctx, request{operation: listLicenses, ids: []string{site}}, &result); err != nil {
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

// CheckVCenter verifies that the appliance belongs to the vCenter that issued the token, and caches the result. Cluster
// IDs are unique only within a vCenter, and the appliance of a linked vCenter accepts the same token. If the account is
// not allowed to read the sites, CheckVCenter returns a warning instead of an error. Errors: ErrOtherVCenter.
func (c *Client) CheckVCenter(ctx context.Context) (warning string, err error) {
	return c.vcenterChecks.Get(ctx, "", func(ctx context.Context) (string, error) {
		sites, err := c.sites(ctx)
		if errors.Is(err, ErrPermission) {
			return "The account lacks permission to read the vSAN Data Protection sites (Site.View), so it is " +
				"unknown whether the appliance belongs to vsphere_server.", nil
		}
		if err != nil {
			return "", err
		}
		content, err := methods.GetServiceContent(ctx, c.vcenter)
		if err != nil {
			err = kinds.NoResponse(ctx, ctx, "identify vCenter", c.config.Timeout, transport.WithoutURL(err))
			return "", fmt.Errorf("%w: %w", ErrVCenter, err)
		}
		for _, s := range sites {
			if !s.Local {
				continue
			}
			if strings.EqualFold(s.VCenter.ID, content.About.InstanceUuid) {
				return "", nil
			}
			return "", fmt.Errorf("%w: it belongs to vCenter %s (ID %s), but vsphere_server has the ID %s",
				ErrOtherVCenter, c.clean(s.VCenter.Name), c.clean(s.VCenter.ID), content.About.InstanceUuid)
		}
		return "", fmt.Errorf("list the sites: %w: no site is local", ErrUnavailable)
	})
}
