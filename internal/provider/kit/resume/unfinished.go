// Package resume lets a create that failed half way be continued.
//
// Terraform marks whatever comes back from a failed create as tainted, and replaces it at the next apply: it deletes
// the object and recreates it. For tags that would mean new ids and lost associations, because of a fault. So a delete
// that belongs to such a replacement leaves everything in vCenter, and the create that follows in the same process
// takes it over. docs/adr/0005-unfinished-creates.md explains how the two differ from a real replacement and a real
// destroy.
package resume

import (
	"context"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
)

// key holds, in the plan's private data, which kind of change the plan is.
const key = "vsla_change"

// The kinds of change. A planned replacement is planned twice: as a change of the existing object, then as a create.
const (
	created   = `"create"`
	changed   = `"change"`
	replaced  = `"replace"`
	destroyed = `"destroy"`
)

// Mark notes in the plan which kind of change it is; a resource calls it from ModifyPlan. It reports whether the same
// change has been planned before, as the first of the two plans of a replacement.
func Mark(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) (again bool) {
	kind := changed
	switch {
	case req.Plan.Raw.IsNull():
		kind = destroyed
	case req.State.Raw.IsNull():
		before, diags := req.Private.GetKey(ctx, key)
		resp.Diagnostics.Append(diags...)
		kind = created
		if string(before) == changed {
			kind, again = replaced, true
		}
	}
	resp.Diagnostics.Append(resp.Private.SetKey(ctx, key, []byte(kind))...)
	return again
}

// ModifyPlan marks the plan, and lets complete set what it computes, unless the plan destroys. The state is nil when
// the plan creates. What complete sets is planned if it reports no error.
func ModifyPlan[M any](
	ctx context.Context,
	req resource.ModifyPlanRequest,
	resp *resource.ModifyPlanResponse,
	complete func(plan, state *M),
) {
	Mark(ctx, req, resp)
	if req.Plan.Raw.IsNull() {
		return
	}
	var plan, state *M
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if !req.State.Raw.IsNull() {
		resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	}
	if resp.Diagnostics.HasError() {
		return
	}
	if complete(plan, state); !resp.Diagnostics.HasError() {
		resp.Diagnostics.Append(resp.Plan.Set(ctx, plan)...)
	}
}

// private is the private data that a delete is given.
type private interface {
	GetKey(ctx context.Context, key string) ([]byte, diag.Diagnostics)
}

// Continues reports, in a delete, whether it only clears the way for the create that continues a failed one: then the
// plan knew of no object before, because a tainted one does not count.
func Continues(ctx context.Context, p private, diags *diag.Diagnostics) bool {
	kind, d := p.GetKey(ctx, key)
	diags.Append(d...)
	return string(kind) == created
}

// Work is what deletes have left for creates. It is safe for concurrent use; the zero value is empty.
type Work struct {
	mu   sync.Mutex
	left map[string][]map[string]string
}

// Leave keeps what a delete did not delete: ids by name. Several resources may leave something under one key.
func (w *Work) Leave(key string, ids map[string]string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.left == nil {
		w.left = make(map[string][]map[string]string)
	}
	w.left[key] = append(w.left[key], ids)
}

// TakeOver returns the record left under a key, once: of several, the one with most names in common with the wanted
// ones. It is nil when nothing was left.
func (w *Work) TakeOver(key string, wanted func(name string) bool) map[string]string {
	w.mu.Lock()
	defer w.mu.Unlock()
	best, most := -1, -1
	for i, ids := range w.left[key] {
		common := 0
		for name := range ids {
			if wanted(name) {
				common++
			}
		}
		if common > most {
			best, most = i, common
		}
	}
	if best < 0 {
		return nil
	}
	ids := w.left[key][best]
	w.left[key] = append(w.left[key][:best:best], w.left[key][best+1:]...)
	return ids
}
