// The property collector as a real vCenter's: smaller pages than asked for, pages that need a privilege, and
// properties that cannot be read.

package vcsim

import (
	"slices"
	"sync"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"

	"terraform-provider-vsla/internal/dev/lab/order"
)

// reading is how the properties of objects are answered. It is in the simulator's registry, because the simulator makes
// a property collector for each session by itself.
type reading struct {
	Self types.ManagedObjectReference

	mu      sync.Mutex
	page    int32
	refused bool
	hidden  []string
	missing map[string]missing // by the VM's id
}

// missing is a property that the answer about an object lacks, with the reason.
type missing struct {
	property string
	fault    types.BaseMethodFault
}

// readingReference is where the registry has the reading.
var readingReference = types.ManagedObjectReference{Type: "LabReading", Value: "lab-reading"}

// Reference is the place in the registry.
func (r *reading) Reference() types.ManagedObjectReference { return r.Self }

// serveProperties puts the lab's property collector in place of the simulator's.
func (v *VCenter) serveProperties() {
	ctx := v.model.Service.Context
	v.reading = &reading{
		Self: readingReference, page: int32(v.config.Page), missing: map[string]missing{}, //nolint:gosec // a test's
	}
	ctx.Map.Put(v.reading)
	mine := new(propertyCollector)
	mine.Self = v.model.ServiceContent.PropertyCollector
	ctx.Map.Put(mine)
}

// RefuseNextPages makes every page of properties after the first need a role on the root folder that the user lacks, as
// releases from 7.0.3 to 8.0.2 do (govmomi issue 3455).
func (v *VCenter) RefuseNextPages(refuse bool) {
	v.reading.mu.Lock()
	defer v.reading.mu.Unlock()
	v.reading.refused = refuse
}

// LoseProperty leaves a property of a VM out of answers, with the fault in its place.
func (v *VCenter) LoseProperty(vmID, property string, fault types.BaseMethodFault) {
	v.reading.mu.Lock()
	defer v.reading.mu.Unlock()
	v.reading.missing[vmID] = missing{property, fault}
}

// propertyCollector is the simulator's with the lab's reading.
type propertyCollector struct{ simulator.PropertyCollector }

func readingOf(ctx *simulator.Context) *reading {
	r, _ := ctx.Map.Get(readingReference).(*reading)
	r.mu.Lock()
	return r
}

// RetrievePropertiesEx returns the first page.
func (c *propertyCollector) RetrievePropertiesEx(
	ctx *simulator.Context,
	req *types.RetrievePropertiesEx,
) soap.HasFault {
	r := readingOf(ctx)
	defer r.mu.Unlock()
	if r.page > 0 {
		req.Options.MaxObjects = min(r.page, req.Options.MaxObjects)
	}
	answer := c.PropertyCollector.RetrievePropertiesEx(ctx, req)
	if body, ok := answer.(*methods.RetrievePropertiesExBody); ok && body.Res != nil && body.Res.Returnval != nil {
		body.Res.Returnval.Objects = r.lose(body.Res.Returnval.Objects)
	}
	return answer
}

// ContinueRetrievePropertiesEx returns the next page.
func (c *propertyCollector) ContinueRetrievePropertiesEx(
	ctx *simulator.Context,
	req *types.ContinueRetrievePropertiesEx,
) soap.HasFault {
	r := readingOf(ctx)
	defer r.mu.Unlock()
	if r.refused {
		return &methods.ContinueRetrievePropertiesExBody{Fault_: simulator.Fault(
			"Permission to perform this operation was denied.", &types.NoPermission{PrivilegeId: "System.View"},
		)}
	}
	answer := c.PropertyCollector.ContinueRetrievePropertiesEx(ctx, req)
	if body, ok := answer.(*methods.ContinueRetrievePropertiesExBody); ok && body.Res != nil {
		body.Res.Returnval.Objects = r.lose(body.Res.Returnval.Objects)
	}
	return answer
}

// lose puts objects into the order of the lab, drops hidden objects, and moves properties that cannot be read from the
// set to the missing ones.
func (r *reading) lose(page []types.ObjectContent) []types.ObjectContent {
	page = slices.DeleteFunc(page, func(o types.ObjectContent) bool { return slices.Contains(r.hidden, o.Obj.Value) })
	order.By(page, func(o types.ObjectContent) string { return o.Obj.Value })
	for i, object := range page {
		lost, ok := r.missing[object.Obj.Value]
		if !ok {
			continue
		}
		at := slices.IndexFunc(object.PropSet, func(p types.DynamicProperty) bool { return p.Name == lost.property })
		if at >= 0 {
			page[i].PropSet = slices.Delete(object.PropSet, at, at+1)
			page[i].MissingSet = append(page[i].MissingSet, types.MissingProperty{
				Path: lost.property, Fault: types.LocalizedMethodFault{Fault: lost.fault},
			})
		}
	}
	return page
}
