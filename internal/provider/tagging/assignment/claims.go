// Package assignment plans and changes associations: one tag on many objects (vsla_tag_association), or many tags on
// one object (vsla_object_tags).
//
// Terraform plans a change again just before applying it, in a new process, and requires the same values. By then,
// other resources of the same apply may already have changed associations. The ledger therefore records each write, and
// plans are computed from the associations before the first write. It also serializes writes to SINGLE categories and
// detects conflicting tags. See docs/adr/0007-tier-moves.md.
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

// Conflict is an object with two planned tags of a SINGLE category.
type Conflict struct {
	Object vsphere.Object
	// Tag and Other are the ids of the tags.
	Tag, Other string
}

// Claim records that a resource plans a tag for objects. It returns a conflict if another resource plans to replace the
// tag, or nil. Every plan must call it, even a no-op.
func (l *Ledger) Claim(tagID string, objects []vsphere.Object) *Conflict {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.claimed == nil {
		l.claimed = make(map[placed]bool)
	}
	var conflict *Conflict
	for _, o := range objects {
		at := placed{tagID, o}
		l.claimed[at] = true
		if by, ok := l.replacedBy[at]; ok && conflict == nil {
			conflict = &Conflict{Object: o, Tag: tagID, Other: by}
		}
	}
	return conflict
}

// Take records that a resource plans to replace the former tags of objects. It returns a conflict if another resource
// claims a former tag or attaches another tag of the category, or nil.
func (l *Ledger) Take(tag Tag, objects []vsphere.Object, former map[vsphere.Object]string) *Conflict {
	if !tag.Single {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.replacedBy == nil {
		l.replacedBy, l.nextTag = make(map[placed]string), make(map[placed]string)
	}
	var conflict *Conflict
	for _, o := range objects {
		at := placed{tag.CategoryID, o}
		other, planned := l.nextTag[at]
		if planned && other != tag.ID && conflict == nil {
			conflict = &Conflict{Object: o, Tag: tag.ID, Other: other}
		}
		l.nextTag[at] = tag.ID
		id, has := former[o]
		if !has {
			continue
		}
		if l.claimed[placed{id, o}] && conflict == nil {
			conflict = &Conflict{Object: o, Tag: tag.ID, Other: id}
		}
		l.replacedBy[placed{id, o}] = tag.ID
	}
	return conflict
}

// PlanMove records that a resource plans to change the objects of a tag.
func (l *Ledger) PlanMove(tagID string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.moves == nil {
		l.moves = make(map[string]bool)
	}
	l.moves[tagID] = true
}

// Moves reports whether a resource plans to change the objects of a tag.
func (l *Ledger) Moves(tagID string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.moves[tagID]
}

// Wrote reports whether this run has attached the tag to the VM or detached it.
func (l *Ledger) Wrote(tagID, vmID string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	w, written := l.before[tagID]
	if written {
		_, written = w.carried[vsphere.Object{Type: "VirtualMachine", ID: vmID}]
	}
	return written
}

// Exchange changes the tags of one object.
type Exchange struct {
	ledger  *Ledger
	client  *vsphere.Client
	object  vsphere.Object
	ignored ignored.Categories
	// tags are the tags that may be detached.
	tags map[string]Tag
}

// Exchange reads the tags to detach from an object and locks them, their SINGLE categories and the tags to attach. The
// caller must call unlock.
func (l *Ledger) Exchange(
	ctx context.Context, c *vsphere.Client, object vsphere.Object, detach, attach []string, skip ignored.Categories,
) (e Exchange, unlock func(), err error) {
	e = Exchange{ledger: l, client: c, object: object, ignored: skip}
	if e.tags, err = l.Tags(ctx, c, detach); err != nil {
		return e, nil, err
	}
	all := slices.Collect(maps.Values(e.tags))
	for _, id := range attach {
		all = append(all, Tag{NamedTag: vsphere.NamedTag{Tag: vsphere.Tag{ID: id}}})
	}
	unlock, err = l.Lock(ctx, true, all)
	return e, unlock, err
}

// Detachable returns the tags that may be detached. It skips tags that another resource has attached, and returns an
// error for each tag that is kept because its replacement could not be attached.
func (e Exchange) Detachable(ids []string) (detach []string, errs []error) {
	detach, keep := split(e.ledger, ids, func(id string) placed { return placed{id, e.object} })
	for _, id := range keep {
		errs = append(errs, &KeptError{Path: e.tags[id].Path(), Objects: []vsphere.Object{e.object}})
	}
	return detach, errs
}

// Detach detaches tags in one request.
func (e Exchange) Detach(ctx context.Context, ids []string) error {
	for _, id := range ids {
		e.ledger.note(e.tags[id], []vsphere.Object{e.object}, true)
	}
	return e.client.DetachTags(ctx, e.object, ids)
}

// Change detaches tags and attaches others, in one request if vCenter supports it. It attaches nothing and returns
// certain = false if the result of detaching is unknown. After a failed attach it restores the tags of SINGLE
// categories that the object lost.
func (e Exchange) Change(ctx context.Context, detach, attach []string) (certain bool, errs []error) {
	if len(detach) > 0 && len(attach) > 0 {
		for _, id := range detach {
			e.ledger.note(e.tags[id], []vsphere.Object{e.object}, true)
		}
		if offered, err := e.client.ChangeTags(ctx, e.object, detach, attach); offered {
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

func (e Exchange) restore(ctx context.Context, detached, attach []string) (errs []error) {
	ctx, cancel := transport.WithGracePeriod(ctx)
	defer cancel()
	carried := make(map[string]bool)
	now, err := e.client.TagsOfObject(ctx, e.object)
	if err == nil {
		var on map[string]Tag
		on, err = e.ledger.Tags(ctx, e.client, now)
		for _, tag := range on {
			carried[tag.CategoryID] = true
		}
	}
	if err != nil {
		errs = append(errs, err) // continue, because vCenter rejects a second tag of the category
	}
	replaced, err := e.ledger.Replaced(ctx, e.client, detached, attach, e.ignored)
	if err != nil {
		replaced = slices.Sorted(maps.Keys(e.tags))
	}
	lost := make(map[string][]vsphere.Object)
	for _, id := range replaced {
		if tag := e.tags[id]; tag.Single && !carried[tag.CategoryID] {
			lost[id] = []vsphere.Object{e.object}
		}
	}
	return append(errs, e.ledger.restore(ctx, e.client, "", lost)...)
}

// Replaced returns the tags of an object that the tags to attach replace, because they have the same SINGLE category.
func (l *Ledger) Replaced(
	ctx context.Context, c *vsphere.Client, has, attach []string, skip ignored.Categories,
) ([]string, error) {
	if len(has) == 0 || len(attach) == 0 {
		return nil, nil
	}
	tags, err := l.Tags(ctx, c, has)
	if err != nil {
		return nil, err
	}
	var replaced []string
	for _, id := range has {
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

// Of returns the ledger of the provider configuration.
func Of(clients *connection.Set) *Ledger {
	return connection.State[Ledger](clients)
}

// Preview computes planned values. They depend only on configuration, state and the associations before the run's first
// write, because Terraform plans again during apply and requires the same values.
type Preview struct {
	Clients *connection.Set
	Diags   *diag.Diagnostics
	// List is the name of the list attribute.
	List string
	// Client is nil before Connect.
	Client *vsphere.Client
}

// Expecting returns a context in which reads wait for tags of a linked vCenter. Terraform plans again during apply, and
// a new tag may not have been replicated yet.
func (p *Preview) Expecting(ctx context.Context) context.Context {
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

// KnowsOwnership reports whether ownership is known, and adds an error otherwise.
func (p *Preview) KnowsOwnership(ownership types.String) bool {
	if ownership.IsUnknown() {
		p.Diags.AddAttributeError(path.Root("ownership"), "Ownership Is Not Known Yet",
			"ownership decides which tags the plan detaches, so it must be known in the plan.")
	}
	return !ownership.IsUnknown()
}

// Claim records that the resource plans a tag for objects. It adds an error if another resource plans to detach it.
func (p *Preview) Claim(ctx context.Context, tagID string, objects ...vsphere.Object) {
	if p.Clients != nil && tagID != "" {
		p.conflict(ctx, Of(p.Clients).Claim(tagID, objects))
	}
}

// Take records that the resource plans to replace the former tags of objects. It adds an error if another resource
// claims a former tag or plans another tag of the category.
func (p *Preview) Take(
	ctx context.Context, tag Tag, objects []vsphere.Object, former map[vsphere.Object]string,
) {
	p.conflict(ctx, Of(p.Clients).Take(tag, objects, former))
}

func (p *Preview) conflict(ctx context.Context, found *Conflict) {
	if found == nil || p.Diags.HasError() || !p.Connect() {
		return
	}
	ledger := Of(p.Clients)
	p.Diags.AddAttributeError(path.Root(p.List), "Object Is Listed for Two Tags", fmt.Sprintf(
		"%s is assigned both %s and %s, but their category allows one tag per object. Remove it from one.",
		Names(ctx, p.Client, []vsphere.Object{found.Object}),
		ledger.Path(ctx, p.Client, found.Tag), ledger.Path(ctx, p.Client, found.Other),
	))
}

// Refused adds an error to an attribute and returns true if the tag belongs to an ignored category.
func Refused(clients *connection.Set, tag Tag, at string, diags *diag.Diagnostics) bool {
	if !clients.Ignored().Match(tag.Category) {
		return false
	}
	diags.AddAttributeError(path.Root(at), "Tag Category Is Ignored", fmt.Sprintf(
		"Tag %q belongs to category %q, which ignore_tag_categories of the provider excludes (%q always is). Use a tag of "+
			"another category, or remove the category from the list.", tag.Name, tag.Category, ignored.Always))
	return true
}
