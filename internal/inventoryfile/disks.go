// The disks of VMs, from a sheet of their own.

package inventoryfile

// capacities are the sums of disks by VM: by its id, or by its name where the sheet has no ids.
type capacities map[owner]int64

// sumDisks adds up the capacities of each VM's disks.
func sumDisks(disks []diskRow, separator string) (capacities, error) {
	sums := capacities{}
	for _, d := range disks {
		bytes, err := size(d.capacity, separator, mib)
		if err != nil {
			return nil, err
		}
		key := d.owner
		if key.id != "" {
			key.name = "" // the id is enough, and names can be cut off
		}
		if sums[key] += bytes; sums[key] > maxBytes {
			return nil, d.capacity.errorf("the disks of %q add up to more than 4 PiB", d.owner.name)
		}
	}
	return sums, nil
}

// of returns the sum of a VM's disks. A name that several VMs have identifies none of them.
func (c capacities) of(vm owner, unique bool) (int64, bool) {
	if sum, ok := c[owner{server: vm.server, id: vm.id}]; ok && vm.id != "" {
		return sum, true
	}
	sum, ok := c[owner{server: vm.server, name: vm.name}]
	return sum, ok && unique
}
