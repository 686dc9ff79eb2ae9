package gateway

import (
	"time"

	"terraform-provider-vsla/internal/dev/lab/gateway/replica"
)

// engineSpec returns the simulated replication of a VM, which runs while the VM is powered on.
func (g *Gateway) engineSpec(r *replication, powered bool) replica.Spec {
	s := g.config.Switches
	spec := replica.Spec{
		RPO:          time.Duration(r.spec.RPO) * time.Minute,
		ChangeRate:   s.ChangeRate,
		Powered:      powered,
		Factor:       factor(r.spec),
		ChecksumRate: checksumRate,
		Rule:         s.Rule,
	}
	if rate, ok := g.rates[r.vmID]; ok {
		spec.ChangeRate = rate
	}
	for _, d := range r.disks {
		bytes := g.diskBytes(r.vmID, d.source)
		switch {
		case !d.spec.Enabled || d.source.IsVMHome:
		case d.seeded:
			spec.Checksum += d.source.Capacity << 10
			spec.Full += int64(float64(bytes) * seedDelta)
		default:
			spec.Full += bytes
		}
	}
	return spec
}

// factor is the part of the data that is transferred.
func factor(spec replicationSpec) float64 {
	if spec.NetworkCompression {
		return compression
	}
	return 1
}

// diskBytes returns the number of bytes that the initial sync of a disk transfers.
func (g *Gateway) diskBytes(vmID string, d vmDisk) int64 {
	capacity := d.Capacity << 10
	m, ok := g.local.vc.VMState(moidOf(vmID))
	used, known := g.used[vmID]
	if !known && g.config.Switches.UsedFromInventory && ok && m.UsedBytes > 0 {
		used = m.UsedBytes
		known = true
	}
	total := int64(0)
	for _, other := range m.Disks {
		total += other.CapacityBytes
	}
	if !known || total == 0 {
		return capacity
	}
	return int64(float64(used) * float64(capacity) / float64(total))
}
