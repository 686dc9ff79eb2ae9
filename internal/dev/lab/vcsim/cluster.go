package vcsim

import (
	"slices"
	"strings"

	"github.com/vmware/govmomi/simulator"
	_ "github.com/vmware/govmomi/sts/simulator"
)

// Cluster is a cluster of hosts.
type Cluster struct {
	ID, Name string
}

// Clusters returns the clusters, sorted by name.
func (v *VCenter) Clusters() []Cluster {
	var list []Cluster
	for _, c := range all[*simulator.ClusterComputeResource](v.model.Service.Context, "ClusterComputeResource") {
		list = append(list, Cluster{c.Self.Value, c.Name})
	}
	slices.SortFunc(list, func(a, b Cluster) int { return strings.Compare(a.Name, b.Name) })
	return list
}
