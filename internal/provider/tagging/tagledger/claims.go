// Two resources that want different tags of one category on an object would undo each other at every apply.

package tagledger

import "terraform-provider-vsla/internal/vsphere"

// Conflict is an object that is assigned two tags of a category that allows one.
type Conflict struct {
	Object vsphere.Object
	// Tag and Other are ids.
	Tag, Other string
}

// Claim notes that a resource plans a tag on objects, and returns where another resource of the run plans to take it
// off one of them; nil where none does. It is called for every plan, also one that changes nothing.
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

// Take notes that a resource plans to attach a tag to objects, in the place of the former tags, and returns one that
// another resource claims or attaches another tag of the category to.
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

// PlanMove notes that a resource plans to change which objects carry a tag.
func (l *Ledger) PlanMove(tagID string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.moves == nil {
		l.moves = make(map[string]bool)
	}
	l.moves[tagID] = true
}

// Moves reports whether a resource of the run plans to change which objects carry a tag.
func (l *Ledger) Moves(tagID string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.moves[tagID]
}

// Wrote reports whether this run has attached a tag to a VM or detached it.
func (l *Ledger) Wrote(tagID, vmID string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	w, written := l.before[tagID]
	if written {
		_, written = w.carried[vsphere.Object{Type: "VirtualMachine", ID: vmID}]
	}
	return written
}
