package assignment

import "terraform-provider-vsla/internal/vsphere"

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

// PlanTypes records the planned object types of a category. If types is empty, all types are allowed.
func (l *Ledger) PlanTypes(categoryID string, types []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.plannedTypes == nil {
		l.plannedTypes = make(map[string][]string)
	}
	l.plannedTypes[categoryID] = types
}

// PlanName records the planned name of a tag or a category. An apply renames it before what refers to it is planned
// again, so a plan must show the same name.
func (l *Ledger) PlanName(id, name string) {
	if name != "" {
		l.plannedNames.Store(id, name)
	}
}
