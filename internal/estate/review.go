package estate

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"terraform-provider-vsla/internal/estate/inventoryfile"
	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/promise"
	"terraform-provider-vsla/internal/plan/quantity"
)

// NewReview reviews an inventory. Errors in the tiers file are *TiersError.
func NewReview(ctx context.Context, path string, found inventoryfile.Inventory, t *Tiers) (*Review, error) {
	r, err := Prepare(path, found, t)
	if err == nil {
		err = r.computePlan(ctx, t)
	}
	if err == nil {
		err = r.noteOtherEnd(ctx, t)
	}
	if err == nil && r.Moves != nil {
		_, err = add(ctx, r, r.Moves.Definition(r.Plan), "all moves", r.Moves.InputOn(r.Plan))
		err = t.document.locateIn(plan.Attr(keyMigration), err)
	}
	return r, err
}

// Prepare returns a review without the results of the calculators. Errors in the tiers file are *TiersError.
func Prepare(path string, found inventoryfile.Inventory, t *Tiers) (*Review, error) {
	for _, column := range t.columns {
		if !slices.Contains(found.KeptColumns, column) {
			return nil, fmt.Errorf(
				"%s was read without the column %q, which the tiers use; read it with Tiers.Columns",
				path,
				column,
			)
		}
	}
	review := &Review{Results: []Result{{
		Type:   "vsla_inventory_file",
		Name:   "inventory",
		Values: InventoryValues(path, found),
	}}}
	if err := t.checkSizes(found); err != nil {
		return nil, err
	}
	all, err := t.assign(found)
	if err != nil {
		return nil, err
	}
	review.assigned = all
	review.Notes = append(review.Notes, t.document.fractions(t.document.values, nil, "")...)
	review.noteAssignment(all, found, t)
	review.notePoweredOff(all, t)
	if !slices.ContainsFunc(all.tiers, func(m []assignedVM) bool { return len(m) > 0 }) {
		var hints strings.Builder
		for _, one := range t.tiers {
			hints.WriteString(one.match.mismatchHint(found))
		}
		return nil, t.document.problem(plan.Attr(keyTiers), "must match at least one of the %s in %s.%s",
			plan.Count(float64(len(found.VMs)), "VM"), path, hints.String())
	}
	if review.Plan, err = t.planFor(all); err != nil {
		return nil, err
	}
	if review.Moves, err = review.movesFor(t, all); err != nil {
		return nil, err
	}
	review.TiersFile, err = t.encoded()
	return review, err
}

// noteAssignment adds notes and open points for the VMs that are in no promise or have no size.
func (r *Review) noteAssignment(all assignment, found inventoryfile.Inventory, t *Tiers) {
	for i := range t.exclude {
		if m := &t.exclude[i]; m.count(found) == 0 {
			r.Notes = append(r.Notes, fmt.Sprintf("Entry %d of exclude matches no VM.%s", i+1, m.mismatchHint(found)))
		}
	}
	if all.excluded > 0 {
		r.Notes = append(r.Notes, vmsAre(all.excluded, "was", "were")+" excluded by the exclude list.")
	}
	if len(all.unassigned) > 0 {
		slices.Sort(all.unassigned)
		r.Notes = append(r.Notes, fmt.Sprintf("%s in no tier and not included below: %s.",
			vmsAre(len(all.unassigned), "is", "are"), quantity.List(all.unassigned, maxNamed)))
		r.OpenPoints = append(r.OpenPoints, OpenPoint{
			plan.Count(float64(len(all.unassigned)), "VM") + " in no tier",
			"Add them to a tier or to the exclude list.",
		})
	}
	r.noteUnknown(all, t)
	r.noteBlocked(all)
	for i, one := range t.tiers {
		if len(all.tiers[i]) == 0 {
			r.noteEmptyTier(t, one, found)
		}
	}
	r.Notes = append(r.Notes, found.Notes...)
	if n := len(found.Unknown); n > 0 {
		r.Notes = append(r.Notes, fmt.Sprintf("%s cannot be true, and the values are unknown: %s.",
			plan.Count(float64(n), "number"),
			quantity.ListOf(found.Unknown, maxNamed, (*inventoryfile.CellError).Error)))
	}
}

// noteUnknown adds notes for the VMs whose promise is unknown, and for those that do not have the first size.
func (r *Review) noteUnknown(all assignment, t *Tiers) {
	var sizeless, inaccessible, impossible, others []string
	for i, members := range all.tiers {
		for _, m := range members {
			switch {
			case len(m.vm.Blockers) > 0:
			case m.vm.Inaccessible:
				inaccessible = append(inaccessible, m.vm.Name)
			case m.impossible != "":
				impossible = append(impossible, m.impossible)
			case m.bytes == nil:
				sizeless = append(sizeless, m.vm.Name)
			case m.size != t.tiers[i].sizes[0]:
				others = append(others, fmt.Sprintf("%s by %s (%s)", m.vm.Name, m.size, quantity.Size(*m.bytes)))
			}
		}
	}
	vms := func(names []string) string { return plan.Count(float64(len(names)), "VM") }
	r.noteNames("No size is known of "+vms(sizeless)+", so the promises of the affected tiers are unknown: %s. Add "+
		"the sizes to the file, or list fallbacks, such as size: [used_gib, provisioned_gib].", sizeless)
	r.noteNames("vCenter could not access "+vms(inaccessible)+", so the promises of the affected tiers are unknown: "+
		"%s. Export the file again when it can access them, or add them to the exclude list.", inaccessible)
	r.noteNames("The change of "+vms(impossible)+" cannot be true, so the promises of the affected tiers are "+
		"unknown: %s.",
		impossible)
	r.noteNames("The first size of "+vms(others)+" is unknown, and another one is used: %s.", others)
}

// noteBlocked adds notes for the VMs that vSphere Replication refuses or replicates only partially.
func (r *Review) noteBlocked(all assignment) {
	var blocked, sharing []string
	for _, m := range slices.Concat(all.tiers...) {
		switch {
		case len(m.vm.Blockers) > 0:
			blocked = append(blocked, m.vm.BlockerText())
			if m.vm.IsUserVM() {
				r.Blocked = append(r.Blocked, m.vm.Name)
			}
		case m.vm.Sharing:
			sharing = append(sharing, m.vm.Name)
		}
	}
	slices.Sort(r.Blocked)
	r.noteNames("VMs that cannot be replicated and are in no promise: %s.", blocked)
	if n := len(r.Blocked); n > 0 {
		r.OpenPoints = append(r.OpenPoints, OpenPoint{
			plan.Count(float64(n), "VM") + " cannot be replicated",
			"Protect them in another way, or add them to the exclude list: " + quantity.List(r.Blocked, maxNamed) + ".",
		})
	}
	r.noteNames("VMs with multi-writer disks, shared disks or a shared bus: %s. vSphere Replication does not keep the "+
		"copies of VMs that share a disk consistent.", sharing)
}

func (r *Review) noteEmptyTier(t *Tiers, one tier, found inventoryfile.Inventory) {
	note := "The tier " + one.name + " contains no VMs."
	excluded := slices.ContainsFunc(found.VMs, func(vm inventoryfile.VM) bool {
		matches := func(m match) bool { return m.matches(&vm, found.KeptColumns) }
		return matches(one.match) && slices.ContainsFunc(t.exclude, matches)
	})
	if excluded {
		r.Notes = append(r.Notes, "The tier "+one.name+" contains no VMs: the exclude list excludes VMs that match it.")
		return
	}
	hint := one.match.mismatchHint(found)
	r.Notes = append(r.Notes, note+hint)
}

// notePoweredOff states how many VMs of each tier are powered off.
func (r *Review) notePoweredOff(all assignment, t *Tiers) {
	sum, of := 0, []string{}
	for i, one := range t.tiers {
		n := 0
		for _, m := range all.tiers[i] {
			if m.vm.PowerState == "poweredOff" {
				n++
			}
		}
		if sum += n; n > 0 {
			of = append(of, plan.Thousands(float64(n), 0)+" in "+one.name)
		}
	}
	if sum > 0 {
		r.Notes = append(r.Notes, fmt.Sprintf("%s powered off: %s. The plan includes powered-off VMs, although "+
			"vSphere Replication does not replicate them.", vmsAre(sum, "is", "are"), strings.Join(of, ", ")))
	}
}

// computePlan adds the SLA plan. For a large estate, it does not compute needs, growth and remedies, which would make
// the review slow.
func (r *Review) computePlan(ctx context.Context, t *Tiers) (err error) {
	d := promise.Definition
	if d.Slow(r.Plan) {
		d.Long = promise.Judge
		r.Notes = append(r.Notes,
			"Needs, growth and remedies are not computed for this many VMs. Run vsla estimate plan to compute them.")
	}
	r.Promised, err = add(ctx, r, d, "estate", r.Plan)
	return t.LocateError(err)
}
