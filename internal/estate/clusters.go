package estate

import (
	"cmp"
	"slices"
	"strings"

	"terraform-provider-vsla/internal/estate/inventoryfile"
)

// Clusters returns the clusters of an inventory, sorted by descending number of VMs.
func Clusters(found inventoryfile.Inventory) []Cluster {
	counts := map[string]*Cluster{}
	for _, vm := range found.VMs {
		c := counts[vm.Cluster]
		if c == nil {
			c = &Cluster{Name: vm.Cluster}
			counts[vm.Cluster] = c
		}
		c.VMs++
		if vm.UsedBytes != nil {
			c.UsedBytes += *vm.UsedBytes
		}
	}
	clusters := make([]Cluster, 0, len(counts))
	for _, c := range counts {
		clusters = append(clusters, *c)
	}
	slices.SortFunc(clusters, func(a, b Cluster) int {
		return cmp.Or(cmp.Compare(b.VMs, a.VMs), strings.Compare(a.Name, b.Name))
	})
	return clusters
}

// Cluster is a cluster with the number and total used size of its VMs.
type Cluster struct {
	Name      string
	VMs       int
	UsedBytes int64
}
