package vsphere

import (
	"context"
	"fmt"
	"strconv"

	"github.com/vmware/govmomi/vim25"
	"github.com/vmware/govmomi/vim25/types"
)

// vSphere Replication stores the RPO in minutes and the replication ID in these properties of a VM's extra
// configuration. Their names are known only from community scripts.
const (
	rpoProperty = `config.extraConfig["hbr_filter.rpo"]`
	gidProperty = `config.extraConfig["hbr_filter.gid"]`
)

// ConfiguredRPOs returns the RPO of each VM in minutes, from its replication settings or, if there are none, from its
// extra configuration. The extra configuration is ignored if two VMs have the same replication ID, because a clone
// inherits it. One request is sent per 1,000 VMs.
func (c *Client) ConfiguredRPOs(ctx context.Context, vmIDs []string) (map[string]float64, error) {
	settings := make(map[string]rpoSetting, len(vmIDs))
	refs := make([]types.ManagedObjectReference, 0, len(vmIDs))
	for _, id := range vmIDs {
		refs = append(refs, types.ManagedObjectReference{Type: vmType, Value: id})
	}
	properties := []string{rpoProperty, gidProperty, "config.repConfig"}
	err := c.withSOAP(ctx, "read the RPO of VMs", func(ctx context.Context, vim *vim25.Client) error {
		clear(settings)
		return inventory{vim}.readVMs(ctx, refs, properties, func(page []types.ObjectContent) error {
			for _, object := range page {
				settings[object.Obj.Value] = parseRPOSetting(object.PropSet)
			}
			return nil
		})
	})
	vmCountByGID := make(map[string]int, len(settings))
	for _, s := range settings {
		vmCountByGID[s.gid]++
	}
	rpoByVM := make(map[string]float64, len(settings))
	for id, s := range settings {
		switch {
		case s.rpo > 0:
			rpoByVM[id] = s.rpo
		case s.extraConfigRPO > 0 && (s.gid == "" || vmCountByGID[s.gid] == 1):
			rpoByVM[id] = s.extraConfigRPO
		}
	}
	return rpoByVM, err
}

type rpoSetting struct {
	rpo, extraConfigRPO float64
	gid                 string
}

func parseRPOSetting(properties []types.DynamicProperty) (s rpoSetting) {
	for _, property := range properties {
		switch property.Name {
		case rpoProperty:
			s.extraConfigRPO, _ = parseRPO(property.Val)
		case gidProperty:
			s.gid = fmt.Sprint(optionValue(property.Val))
		default:
			if r, ok := property.Val.(types.ReplicationConfigSpec); ok && r.Rpo >= 1 && r.Rpo <= maxRPOMinutes {
				s.rpo = float64(r.Rpo)
			}
		}
	}
	return s
}

func optionValue(v types.AnyType) any {
	switch option := v.(type) {
	case types.OptionValue:
		return option.Value
	case types.BaseOptionValue:
		return option.GetOptionValue().Value
	}
	return nil
}

// parseRPO parses an RPO in minutes, which can be a string or a number.
func parseRPO(v types.AnyType) (float64, bool) {
	switch value := optionValue(v).(type) {
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
