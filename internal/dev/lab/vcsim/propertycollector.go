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

// reading contains the configuration of the property collectors. The simulator creates a collector for each session, so
// the configuration is stored in the simulator's registry.
type reading struct {
	Self types.ManagedObjectReference

	mu      sync.Mutex
	page    int32
	hidden  []string
	missing map[string]missing // by VM ID
	open    map[string]bool    // tokens of further pages
}

type missing struct {
	property string
	fault    types.BaseMethodFault
}

var readingReference = types.ManagedObjectReference{Type: "LabReading", Value: "lab-reading"}

func (r *reading) Reference() types.ManagedObjectReference { return r.Self }

func (v *VCenter) serveProperties() {
	ctx := v.model.Service.Context
	v.reading = &reading{
		Self:    readingReference,
		page:    int32(v.config.Page), //nolint:gosec // small test values
		missing: map[string]missing{},
		open:    map[string]bool{},
	}
	ctx.Map.Put(v.reading)
	mine := new(propertyCollector)
	mine.Self = v.model.ServiceContent.PropertyCollector
	ctx.Map.Put(mine)
}

// LoseProperty makes a property of a VM unreadable. Responses contain the fault instead of the property.
func (v *VCenter) LoseProperty(vmID, property string, fault types.BaseMethodFault) {
	v.reading.mu.Lock()
	defer v.reading.mu.Unlock()
	v.reading.missing[vmID] = missing{property, fault}
}

type propertyCollector struct{ simulator.PropertyCollector }

func readingOf(ctx *simulator.Context) *reading {
	r, _ := ctx.Map.Get(readingReference).(*reading)
	r.mu.Lock()
	return r
}

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
		r.keep(body.Res.Returnval.Token)
	}
	return answer
}

func (r *reading) keep(token string) {
	if token != "" {
		r.open[token] = true
	}
}

// OpenPages returns the number of property listings whose remaining pages were neither read nor canceled.
func (v *VCenter) OpenPages() int {
	v.reading.mu.Lock()
	defer v.reading.mu.Unlock()
	return len(v.reading.open)
}

// CancelRetrievePropertiesEx discards the remaining pages of a listing. The simulator does not have this operation.
func (c *propertyCollector) CancelRetrievePropertiesEx(
	ctx *simulator.Context,
	req *types.CancelRetrievePropertiesEx,
) soap.HasFault {
	r := readingOf(ctx)
	defer r.mu.Unlock()
	body := new(methods.CancelRetrievePropertiesExBody)
	if !r.open[req.Token] {
		body.Fault_ = simulator.Fault("", &types.InvalidPropertyFault{Name: "token"})
		return body
	}
	delete(r.open, req.Token)
	body.Res = new(types.CancelRetrievePropertiesExResponse)
	return body
}

func (c *propertyCollector) ContinueRetrievePropertiesEx(
	ctx *simulator.Context,
	req *types.ContinueRetrievePropertiesEx,
) soap.HasFault {
	r := readingOf(ctx)
	defer r.mu.Unlock()
	delete(r.open, req.Token)
	answer := c.PropertyCollector.ContinueRetrievePropertiesEx(ctx, req)
	if body, ok := answer.(*methods.ContinueRetrievePropertiesExBody); ok && body.Res != nil {
		body.Res.Returnval.Objects = r.lose(body.Res.Returnval.Objects)
		r.keep(body.Res.Returnval.Token)
	}
	return answer
}

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
				Path:  lost.property,
				Fault: types.LocalizedMethodFault{Fault: lost.fault},
			})
		}
	}
	return page
}
