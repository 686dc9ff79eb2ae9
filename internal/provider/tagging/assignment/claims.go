package assignment

import "terraform-provider-vsla/internal/vsphere"

// Conflict is an object with two planned tags of a SINGLE category.
type Conflict struct {
	Object vsphere.Object
	// Tag and Other are ids.
	Tag, Other string
}

// Claim records that a resource plans a tag for objects. It returns a conflict if another resource plans to replace
// the tag, or nil. It must be called for every plan, even for a no-op.
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
