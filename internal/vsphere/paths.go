package vsphere

import (
	"context"

	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"
)

func (i inventory) setPaths(ctx context.Context, vms []VirtualMachine) error {
	paths, err := i.folderPaths(ctx)
	if err != nil {
		return err
	}
	for n, vm := range vms {
		if vm.folder != "" { // a VM in a vApp has no folder
			vms[n].Path = paths[vm.folder] + "/" + nameEscaper.Replace(vm.Name)
		}
	}
	return nil
}

func (i inventory) folderPaths(ctx context.Context) (map[string]string, error) {
	type node struct{ name, parent string }
	root := i.vim.ServiceContent.RootFolder
	nodes := make(map[string]node)
	properties := []string{"name", "parent"}
	err := i.readBelow(
		ctx,
		root,
		[]types.PropertySpec{{Type: "Folder", PathSet: properties}, {Type: "Datacenter", PathSet: properties}},
		func(page []types.ObjectContent) error {
			var entities []mo.ManagedEntity
			if err := mo.LoadObjectContent(page, &entities); err != nil {
				return err
			}
			for _, e := range entities {
				n := node{name: e.Name}
				if e.Parent != nil {
					n.parent = e.Parent.Value
				}
				nodes[e.Self.Value] = n
			}
			return nil
		},
	)
	if err != nil {
		return nil, err
	}
	paths := make(map[string]string, len(nodes))
	for id := range nodes {
		path := ""
		for at := id; at != root.Value; at = nodes[at].parent {
			n, ok := nodes[at]
			if !ok {
				break // the user cannot read the parent, so the path starts below it
			}
			path = "/" + n.name + path
		}
		paths[id] = path
	}
	return paths, nil
}
