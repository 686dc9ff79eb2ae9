// Package resume resumes a failed create.
//
// Terraform marks an object as tainted after a failed create and replaces it in the next apply. A replacement would
// give tags new IDs, and their associations would be lost. Instead, the delete keeps the objects in vCenter, and the
// create that follows in the same process adopts them. docs/adr/0005-unfinished-creates.md explains how the provider
// distinguishes this case from a genuine replacement or destroy.
package resume

import (
	"context"
	"fmt"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
)

const key = "vsla_change"

// Kinds of planned changes. Terraform plans a replacement twice: first as an update of the existing object and then as
// a create.
const (
	created   = `"create"`
	changed   = `"change"`
	replaced  = `"replace"`
	destroyed = `"destroy"`
)

// Mark records the kind of the planned change in private data. ModifyPlan must call it. The result again is true for
// the second plan of a replacement.
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
			kind = replaced
			again = true
		}
	}
	resp.Diagnostics.Append(resp.Private.SetKey(ctx, key, []byte(kind))...)
	return again
}

// ModifyPlan marks the planned change and, unless the object is destroyed, calls complete to set computed values. state
// is nil for a create. The plan is updated only if complete adds no error.
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
	complete(plan, state)
	if !resp.Diagnostics.HasError() {
		resp.Diagnostics.Append(resp.Plan.Set(ctx, plan)...)
	}
}

type private interface {
	GetKey(ctx context.Context, key string) ([]byte, diag.Diagnostics)
}

// WillResume reports whether the create that follows a delete resumes a failed create. This is the case if Mark
// recorded a create, because Terraform plans the replacement of a tainted object without its prior state.
func WillResume(ctx context.Context, p private, diags *diag.Diagnostics) bool {
	kind, d := p.GetKey(ctx, key)
	diags.Append(d...)
	return string(kind) == created
}

// Moves finds objects that a plan removes at one address and creates at another. It is safe for concurrent use. The
// zero value is empty.
type Moves struct {
	mu      sync.Mutex
	planned map[string]bool // by key, whether the object is created
}

// Warn records that a plan creates or removes an object. If it does both, Warn adds a warning, because the two changes
// have no order.
func (m *Moves) Warn(typeName, key, title string, create bool, diags *diag.Diagnostics) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if other, planned := m.planned[key]; planned && other != create {
		diags.AddWarning(title+" Is Removed and Created Again", fmt.Sprintf("Two addresses have this object. The plan "+
			"removes it at one address and creates it at the other, so the apply fails or loses its data. If the "+
			"address of the resource has changed, add a moved block, which changes nothing else:\n\n"+
			"  moved {\n    from = %[1]s.OLD\n    to   = %[1]s.NEW\n  }", typeName))
	}
	if m.planned == nil {
		m.planned = make(map[string]bool)
	}
	m.planned[key] = create
}

// Store passes IDs between the deletes and creates of a run. It is safe for concurrent use. The zero value is empty.
type Store struct {
	mu       sync.Mutex
	idsByKey map[string][]map[string]string
	adopted  map[string]bool // false for an object that a delete removes
}

// ErrRemoved is returned if an object is not adopted, because a delete of the same run removes it.
var ErrRemoved error = &removedError{}

type removedError struct{}

// Error returns a message without the object.
func (*removedError) Error() string {
	return "a delete of this apply removes the object, so it is not adopted"
}

// Advice returns a hint for the user.
func (*removedError) Advice() string {
	return "Another resource of this configuration managed the object. If the address of the resource has changed, " +
		"use a moved block instead of adopt_existing. Otherwise, apply again to create the object."
}

// Claim records that a create adopts an object, or that a delete removes it. It reports whether the caller may proceed:
// of a create and a delete in the same run, the first one wins.
func (s *Store) Claim(id string, adopt bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.adopted == nil {
		s.adopted = make(map[string]bool)
	}
	if adopted, claimed := s.adopted[id]; claimed {
		return adopted == adopt
	}
	s.adopted[id] = adopt
	return true
}

// Put stores the IDs of objects that a delete has kept. Several resources can share a key.
func (s *Store) Put(key string, ids map[string]string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.idsByKey == nil {
		s.idsByKey = make(map[string][]map[string]string)
	}
	s.idsByKey[key] = append(s.idsByKey[key], ids)
}

// Has reports whether a delete has kept objects under a key.
func (s *Store) Has(key string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.idsByKey[key]) > 0
}

// Take removes and returns the IDs stored under a key, or nil. If there are several sets of IDs, it returns the set in
// which wanted accepts the most names.
func (s *Store) Take(key string, wanted func(name string) bool) map[string]string {
	s.mu.Lock()
	defer s.mu.Unlock()
	best := -1
	most := -1
	for i, ids := range s.idsByKey[key] {
		common := 0
		for name := range ids {
			if wanted(name) {
				common++
			}
		}
		if common > most {
			best = i
			most = common
		}
	}
	if best < 0 {
		return nil
	}
	ids := s.idsByKey[key][best]
	s.idsByKey[key] = append(s.idsByKey[key][:best:best], s.idsByKey[key][best+1:]...)
	return ids
}
