// Space used in the guests.

package inventoryfile

import (
	"fmt"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/quantity"
)

// guestSizes compares what the guests use with the other sizes of the VMs.
type guestSizes struct {
	aboveDisks  []string
	aboveUsed   []string
	used, guest int64
}

// check removes a size of the guest that is above the capacity of its disks.
func (g *guestSizes) check(vm *VM, capacity *int64) {
	if isAbove(vm.GuestUsedBytes, capacity) {
		g.aboveDisks = append(g.aboveDisks, vm.Name)
		vm.GuestUsedBytes = nil
	}
	if isAbove(vm.GuestUsedBytes, vm.UsedBytes) {
		g.aboveUsed = append(g.aboveUsed, vm.Name)
		g.used, g.guest = g.used+*vm.UsedBytes, g.guest+*vm.GuestUsedBytes
	}
}

func (g *guestSizes) notes() []string {
	var notes []string
	if n := len(g.aboveDisks); n > 0 {
		notes = append(notes, fmt.Sprintf("The guests of %s use more than the capacity of their disks, so what they "+
			"use is unknown: %s.", plan.Count(float64(n), "VM"), quantity.List(g.aboveDisks, maxNoted)))
	}
	if n := len(g.aboveUsed); n > 0 {
		notes = append(notes, fmt.Sprintf("The guests of %s use %s, which is %s more than the %s in use: %s.",
			plan.Count(float64(n), "VM"), quantity.Size(g.guest), quantity.Size(g.guest-g.used), quantity.Size(g.used),
			quantity.List(g.aboveUsed, maxNoted)))
	}
	return notes
}

func isAbove(a, b *int64) bool { return a != nil && b != nil && *a > *b }
