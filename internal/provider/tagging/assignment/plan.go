// Package assignment plans and changes tag associations: one tag on many objects (vsla_tag_association), or many tags
// on one object (vsla_object_tags).
//
// Terraform plans a change again just before applying it, in a new process, and requires the same values. By then,
// other resources of the same apply may already have changed associations. The ledger therefore records each write, and
// plans are computed from the associations as they were before the first write. The ledger also serializes writes to
// SINGLE categories and detects conflicting tags. See docs/adr/0007-tier-moves.md.
package assignment

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-vsla/internal/provider/kit/connection"
	"terraform-provider-vsla/internal/provider/kit/types/stringset"
	"terraform-provider-vsla/internal/transport"
	"terraform-provider-vsla/internal/vsphere"
	"terraform-provider-vsla/internal/vsphere/ignored"
)

// Conflict describes an object for which two tags of a SINGLE category are planned.
type Conflict struct {
	Object vsphere.Object
	// Tag and Other are the IDs of the tags.
	Tag   string
	Other string
}

// PlanAttach records that a resource plans to attach a tag to objects. It returns a conflict if another resource plans
// to replace the tag, and nil otherwise. Call it for every plan, even one without changes.
func (l *Ledger) PlanAttach(tagID string, objects []vsphere.Object) *Conflict {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.attachPlanned == nil {
		l.attachPlanned = make(map[association]bool)
	}
	var conflict *Conflict
	for _, o := range objects {
		key := association{tagID, o}
		l.attachPlanned[key] = true
		if by, ok := l.replacedBy[key]; ok && conflict == nil {
			conflict = &Conflict{Object: o, Tag: tagID, Other: by}
		}
	}
	return conflict
}

// PlanReplace records that a resource plans to replace the former tags of objects. It returns a conflict if another
// resource plans to attach a former tag or another tag of the category, and nil otherwise.
func (l *Ledger) PlanReplace(tag Tag, objects []vsphere.Object, former map[vsphere.Object]string) *Conflict {
	if !tag.Single {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.replacedBy == nil {
		l.replacedBy = make(map[association]string)
		l.plannedTag = make(map[association]string)
	}
	var conflict *Conflict
	for _, o := range objects {
		key := association{tag.CategoryID, o}
		other, planned := l.plannedTag[key]
		if planned && other != tag.ID && conflict == nil {
			conflict = &Conflict{Object: o, Tag: tag.ID, Other: other}
		}
		l.plannedTag[key] = tag.ID
		id, replaced := former[o]
		if !replaced {
			continue
		}
		if l.attachPlanned[association{id, o}] && conflict == nil {
			conflict = &Conflict{Object: o, Tag: tag.ID, Other: id}
		}
		l.replacedBy[association{id, o}] = tag.ID
	}
	return conflict
}

// PlanMove records that a resource plans to change which objects have a tag.
func (l *Ledger) PlanMove(tagID string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.movePlanned == nil {
		l.movePlanned = make(map[string]bool)
	}
	l.movePlanned[tagID] = true
}

// HasPlannedMove reports whether a resource plans to change which objects have a tag.
func (l *Ledger) HasPlannedMove(tagID string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.movePlanned[tagID]
}

// HasWritten reports whether this run has attached the tag to the VM or detached it from the VM.
func (l *Ledger) HasWritten(tagID, vmID string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	w, written := l.prior[tagID]
	if written {
		_, written = w.hadTag[vsphere.Object{Type: "VirtualMachine", ID: vmID}]
	}
	return written
}

// TagChange changes the tags of one object.
type TagChange struct {
	ledger  *Ledger
	client  *vsphere.Client
	object  vsphere.Object
	ignored ignored.Categories
	// tags contains the tags that may be detached, by ID.
	tags map[string]Tag
}

// BeginTagChange reads the tags to be detached from an object. It locks these tags, their SINGLE categories and the
// tags to be attached. The caller must call unlock.
func (l *Ledger) BeginTagChange(
	ctx context.Context, c *vsphere.Client, object vsphere.Object, detach, attach []string, skip ignored.Categories,
) (e TagChange, unlock func(), err error) {
	e = TagChange{ledger: l, client: c, object: object, ignored: skip}
	e.tags, err = l.Tags(ctx, c, detach)
	if err != nil {
		return e, nil, err
	}
	all := slices.Collect(maps.Values(e.tags))
	for _, id := range attach {
		all = append(all, Tag{NamedTag: vsphere.NamedTag{Tag: vsphere.Tag{ID: id}}})
	}
	unlock, err = l.Lock(ctx, true, all)
	return e, unlock, err
}

// Detachable returns the tags in ids that may be detached. It omits tags that another resource attached, and returns an
// error for each tag that is kept because its replacement could not be attached.
func (e TagChange) Detachable(ids []string) (detach []string, errs []error) {
	detach, kept := splitDetachable(e.ledger, ids, func(id string) association { return association{id, e.object} })
	for _, id := range kept {
		errs = append(errs, &NotReplacedError{Path: e.tags[id].Path(), Objects: []vsphere.Object{e.object}})
	}
	return detach, errs
}

// Detach detaches tags. It sends one request.
func (e TagChange) Detach(ctx context.Context, ids []string) error {
	for _, id := range ids {
		e.ledger.recordPrior(e.tags[id], []vsphere.Object{e.object}, true)
	}
	return e.client.DetachTags(ctx, e.object, ids)
}

// Apply detaches and attaches tags, with a single request if vCenter supports this. If the outcome of the detach is
// unknown, it attaches nothing, and certain is false. If the attach fails, it restores the tags of SINGLE categories
// that the object lost.
func (e TagChange) Apply(ctx context.Context, detach, attach []string) (certain bool, errs []error) {
	if len(detach) > 0 && len(attach) > 0 {
		for _, id := range detach {
			e.ledger.recordPrior(e.tags[id], []vsphere.Object{e.object}, true)
		}
		if supported, err := e.client.ChangeTags(ctx, e.object, detach, attach); supported {
			if err != nil {
				errs = append(errs, err)
			}
			return true, errs
		}
	}
	if err := e.Detach(ctx, detach); err != nil {
		errs = append(errs, err)
		if _, partial := errors.AsType[*vsphere.PartialError](err); !partial {
			return false, errs
		}
	}
	if err := e.client.AttachTags(ctx, e.object, attach); err != nil {
		errs = append(errs, err)
		errs = append(errs, e.restore(ctx, detach, attach)...)
	}
	return true, errs
}

func (e TagChange) restore(ctx context.Context, detached, attach []string) (errs []error) {
	ctx, cancel := transport.WithGracePeriod(ctx)
	defer cancel()
	hasCategory := make(map[string]bool)
	ids, err := e.client.TagsOfObject(ctx, e.object)
	if err == nil {
		var tags map[string]Tag
		tags, err = e.ledger.Tags(ctx, e.client, ids)
		for _, tag := range tags {
			hasCategory[tag.CategoryID] = true
		}
	}
	if err != nil {
		errs = append(errs, err) // continue anyway, because vCenter rejects a second tag of a SINGLE category
	}
	replaced, err := e.ledger.ReplacedTags(ctx, e.client, detached, attach, e.ignored)
	if err != nil {
		replaced = slices.Sorted(maps.Keys(e.tags))
	}
	lost := make(map[string][]vsphere.Object)
	for _, id := range replaced {
		if tag := e.tags[id]; tag.Single && !hasCategory[tag.CategoryID] {
			lost[id] = []vsphere.Object{e.object}
		}
	}
	return append(errs, e.ledger.restore(ctx, e.client, "", lost)...)
}

// ReplacedTags returns the tags in current that are replaced because attach contains another tag of the same SINGLE
// category. It skips ignored categories.
func (l *Ledger) ReplacedTags(
	ctx context.Context, c *vsphere.Client, current, attach []string, skip ignored.Categories,
) ([]string, error) {
	if len(current) == 0 || len(attach) == 0 {
		return nil, nil
	}
	tags, err := l.Tags(ctx, c, current)
	if err != nil {
		return nil, err
	}
	var replaced []string
	for _, id := range current {
		tag := tags[id]
		if !tag.Single || skip.Match(tag.Category) {
			continue
		}
		siblings, err := c.TagIDs(ctx, tag.CategoryID)
		if err != nil && !errors.Is(err, vsphere.ErrNotFound) {
			return nil, err
		}
		if len(stringset.Intersect(attach, siblings)) > 0 {
			replaced = append(replaced, id)
		}
	}
	return replaced, nil
}

// LedgerOf returns the ledger of the provider configuration.
func LedgerOf(clients *connection.Set) *Ledger {
	return connection.State[Ledger](clients)
}

// Preview computes planned values. They depend only on the configuration, the state and the associations before the
// first write of the run, because Terraform plans again during apply and requires the same values.
type Preview struct {
	Clients *connection.Set
	Diags   *diag.Diagnostics
	// List is the name of the list attribute, for example "object_ids".
	List string
	// Client is nil until Connect is called.
	Client *vsphere.Client
}

// WithArrivals returns a context in which reads wait until a tag created on a linked vCenter has been replicated. Plans
// need this because Terraform plans again during apply, after the tag was created.
func (p *Preview) WithArrivals(ctx context.Context) context.Context {
	if p.Clients == nil {
		return ctx
	}
	return vsphere.WithArrivals(ctx, connection.State[vsphere.Arrivals](p.Clients))
}

// Connect sets Client and reports whether it succeeded.
func (p *Preview) Connect() bool {
	if p.Client == nil {
		p.Client = p.Clients.VSphere(p.Diags)
	}
	return p.Client != nil
}

// CheckOwnershipKnown reports whether ownership is known, and adds an error if it is not.
func (p *Preview) CheckOwnershipKnown(ownership types.String) bool {
	if ownership.IsUnknown() {
		p.Diags.AddAttributeError(path.Root("ownership"), "Ownership Unknown Until Apply",
			"ownership determines which tags the plan detaches, so it must be known during plan.")
	}
	return !ownership.IsUnknown()
}

// PlanAttach records that the resource plans to attach a tag to objects. It adds an error if another resource plans to
// replace the tag.
func (p *Preview) PlanAttach(ctx context.Context, tagID string, objects ...vsphere.Object) {
	if p.Clients != nil && tagID != "" {
		p.addConflict(ctx, LedgerOf(p.Clients).PlanAttach(tagID, objects))
	}
}

// PlanReplace records that the resource plans to replace the former tags of objects. It adds an error if another
// resource plans to attach a former tag or another tag of the category.
func (p *Preview) PlanReplace(
	ctx context.Context, tag Tag, objects []vsphere.Object, former map[vsphere.Object]string,
) {
	p.addConflict(ctx, LedgerOf(p.Clients).PlanReplace(tag, objects, former))
}

func (p *Preview) addConflict(ctx context.Context, found *Conflict) {
	if found == nil || p.Diags.HasError() || !p.Connect() {
		return
	}
	ledger := LedgerOf(p.Clients)
	p.Diags.AddAttributeError(path.Root(p.List), "Object Is Listed for Two Tags", fmt.Sprintf(
		"%s is assigned both %s and %s, but their category allows one tag per object. Remove it from one.",
		Names(ctx, p.Client, []vsphere.Object{found.Object}),
		ledger.Path(ctx, p.Client, found.Tag), ledger.Path(ctx, p.Client, found.Other),
	))
}

// RejectIgnored reports whether a tag belongs to an ignored category. If so, it adds an error to the attribute.
func RejectIgnored(clients *connection.Set, tag Tag, at string, diags *diag.Diagnostics) bool {
	if !clients.Ignored().Match(tag.Category) {
		return false
	}
	diags.AddAttributeError(path.Root(at), "Tag Category Is Ignored", fmt.Sprintf(
		"Tag %q belongs to category %q, which is excluded by ignore_tag_categories of the provider (%q is always "+
			"excluded). Use a tag of another category, or remove the category from the list.",
		tag.Name, tag.Category, ignored.Always))
	return true
}
