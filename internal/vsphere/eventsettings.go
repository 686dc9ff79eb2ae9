// What a VM's extra configuration says about its replication.

package vsphere

import (
	"context"
	"strconv"

	"github.com/vmware/govmomi/vim25"
	"github.com/vmware/govmomi/vim25/types"
)

// rpoProperty is the RPO in minutes. vSphere Replication writes it; the name is known from community scripts.
const rpoProperty = `config.extraConfig["hbr_filter.rpo"]`

// ConfiguredRPOs returns the RPO in minutes of the VMs that have one in their extra configuration. It costs a request
// for each 1,000 VMs.
func (c *Client) ConfiguredRPOs(ctx context.Context, vmIDs []string) (map[string]float64, error) {
	found := make(map[string]float64, len(vmIDs))
	refs := make([]types.ManagedObjectReference, 0, len(vmIDs))
	for _, id := range vmIDs {
		refs = append(refs, types.ManagedObjectReference{Type: vmType, Value: id})
	}
	err := c.withSOAP(ctx, "read the RPO of VMs", func(ctx context.Context, vim *vim25.Client) error {
		clear(found)
		return inventory{vim}.readVMs(ctx, refs, []string{rpoProperty}, func(page []types.ObjectContent) error {
			for _, object := range page {
				for _, property := range object.PropSet {
					if rpo, ok := rpoOf(property.Val); ok {
						found[object.Obj.Value] = rpo
					}
				}
			}
			return nil
		})
	})
	return found, err
}

// rpoOf reads the setting, which is a text or a number.
func rpoOf(v types.AnyType) (float64, bool) {
	option, ok := v.(types.BaseOptionValue)
	if !ok {
		if value, isValue := v.(types.OptionValue); isValue {
			option, ok = &value, true
		}
	}
	if !ok {
		return 0, false
	}
	switch value := option.GetOptionValue().Value.(type) {
	case string:
		minutes, err := strconv.ParseFloat(value, 64)
		return minutes, err == nil && minutes > 0
	case int32:
		return float64(value), value > 0
	case int64:
		return float64(value), value > 0
	}
	return 0, false
}
