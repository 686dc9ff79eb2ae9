package assignment

import (
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/lab/vcsim"
	"terraform-provider-vsla/internal/transport"
	"terraform-provider-vsla/internal/vsphere"
)

func TestLedger_locks(t *testing.T) {
	t.Parallel()
	v, err := vcsim.Start(t.Context(), vcsim.Config{VMs: 1})
	require.NoError(t, err)
	t.Cleanup(func() { _ = v.Close() })
	c, err := vsphere.New(vsphere.Config{
		Server:   v.URL(),
		User:     v.User(),
		Password: v.Password(),
		Settings: transport.Settings{Insecure: true},
	})
	require.NoError(t, err)
	vm := vsphere.Object{Type: "VirtualMachine", ID: v.VMs()[0].ID}
	objects := []vsphere.Object{vm}
	former := map[vsphere.Object]string{vm: "former"}
	var (
		l   Ledger
		all sync.WaitGroup
	)
	for i := range 20 {
		id := fmt.Sprintf("urn:vmomi:InventoryServiceTag:%d:GLOBAL", i)
		category := fmt.Sprintf("urn:vmomi:InventoryServiceCategory:%d:GLOBAL", i)
		tag := Tag{NamedTag: vsphere.NamedTag{Tag: vsphere.Tag{ID: id, CategoryID: category}}, Single: true}
		for _, call := range []func(){
			func() { l.PlanTypes(category, nil) },
			func() { l.Attachable(tag, vm.Type) },
			func() { l.PlanAttach(id, objects) },
			func() { l.PlanReplace(tag, objects, former) },
			func() { l.PlanMove(id) },
			func() { l.HasPlannedMove(id) },
			func() { l.recordPrior(tag, objects, true) },
			func() { l.HasWritten(id, vm.ID) },
			func() { l.MarkManaged(id, vm) },
			func() { l.markKept(id, objects) },
			func() { splitDetachable(&l, objects, func(o vsphere.Object) association { return association{id, o} }) },
			func() { l.lock(id) },
			func() { _, _ = l.PriorObjects(t.Context(), c, id) },
			func() { _, _ = l.PriorTags(t.Context(), c, vm) },
			func() {
				_, _ = l.readPriorTagByObject(t.Context(), c, category)
				late := tag
				late.ID = category
				l.recordPrior(late, objects, true) // a write while other callers read
			},
		} {
			all.Go(call)
		}
	}
	all.Wait()
}
