package estate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"terraform-provider-vsla/internal/estate/inventoryfile"
	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/calculator"
	"terraform-provider-vsla/internal/plan/promise"
	"terraform-provider-vsla/internal/plan/quantity"
)

// Result contains the attributes of a data source instance.
type Result struct {
	// Type is the data source type. Name distinguishes results of the same type.
	Type, Name string
	Values     map[string]any
}

// Review contains all results for an estate.
type Review struct {
	Results    []Result
	Notes      []string
	OpenPoints []OpenPoint
	// Plan contains the arguments of the SLA plan. Migration is nil if the tiers file has none.
	Plan      map[string]any
	Migration *Migration
}

// OpenPoint is an unresolved point: its subject and a recommendation.
type OpenPoint struct{ Name, Text string }

type sizedVM struct {
	vm        *inventoryfile.VM
	name      string // unique in the plan
	bytes     int64
	sizeKnown bool
}

type assignment struct {
	tiers      [][]sizedVM
	unassigned []string
	excluded   int
}

func (t *Tiers) assign(found inventoryfile.Inventory) assignment {
	all := assignment{tiers: make([][]sizedVM, len(t.tiers))}
	names := make(map[string]int, len(found.VMs))
	for vm := range found.All() {
		names[vm.Name]++
	}
	for vm := range found.All() {
		name := vm.Name
		if names[name] > 1 {
			for names[name] > 0 {
				name += " (" + vm.Key + ")"
			}
			names[name]++
		}
		matches := func(m match) bool { return m.matches(vm, found.KeptColumns) }
		if slices.ContainsFunc(t.exclude, matches) {
			all.excluded++
			continue
		}
		at := slices.IndexFunc(t.tiers, func(one tier) bool { return matches(one.match) })
		if at < 0 {
			all.unassigned = append(all.unassigned, vm.Name)
			continue
		}
		bytes, known := sizeOf(vm, t.size)
		all.tiers[at] = append(all.tiers[at], sizedVM{vm, name, bytes, known})
	}
	return all
}

// NewReview reviews an inventory. Errors in the tiers file are *TiersError.
func NewReview(ctx context.Context, path string, found inventoryfile.Inventory, t *Tiers) (*Review, error) {
	for _, column := range t.columns {
		if !slices.Contains(found.KeptColumns, column) {
			return nil, fmt.Errorf("%s was read without the column %q, which the tiers use; read it with Tiers.Columns", path,
				column)
		}
	}
	review := &Review{Results: []Result{{
		Type: "vsla_inventory_file", Name: "inventory", Values: InventoryValues(path, found),
	}}}
	members, err := review.assignVMs(found, t)
	if err != nil {
		return nil, err
	}
	for i, one := range t.tiers {
		review.notePoweredOff(one, members[i])
	}
	if !slices.ContainsFunc(members, func(m []sizedVM) bool { return len(m) > 0 }) {
		var hints strings.Builder
		for _, one := range t.tiers {
			hints.WriteString(one.match.mismatchHint(found))
		}
		return nil, t.document.problem(plan.Attr(keyTiers), "must match at least one of the %s in %s.%s",
			plan.Count(float64(len(found.VMs)), "VM"), path, hints.String())
	}
	p, err := review.computePlan(ctx, t, found)
	if err != nil {
		return nil, err
	}
	if review.Migration, err = t.newMigration(p, found, members, review); err != nil || review.Migration == nil {
		return review, err
	}
	return review, review.computeMigration(ctx, t, p)
}

func (r *Review) assignVMs(found inventoryfile.Inventory, t *Tiers) ([][]sizedVM, error) {
	all := t.assign(found)
	members, unassigned, excluded := all.tiers, all.unassigned, all.excluded
	var sizeless, inaccessible []string
	var empty []tier
	withSize := 0
	for i := range members {
		if len(members[i]) == 0 {
			empty = append(empty, t.tiers[i])
		}
		members[i] = slices.DeleteFunc(members[i], func(m sizedVM) bool {
			switch {
			case m.sizeKnown:
			case m.vm.SkipReason == inventoryfile.SkippedInaccessible:
				inaccessible = append(inaccessible, m.vm.Name)
			default:
				sizeless = append(sizeless, m.vm.Name)
			}
			return !m.sizeKnown
		})
		withSize += len(members[i])
	}
	for i := range t.exclude {
		if m := &t.exclude[i]; m.count(found) == 0 {
			r.Notes = append(r.Notes, fmt.Sprintf("Entry %d of exclude matches no VM.%s", i+1, m.mismatchHint(found)))
		}
	}
	if excluded > 0 {
		r.Notes = append(r.Notes, vmsAre(excluded, "was", "were")+" excluded by the exclude list.")
	}
	slices.Sort(unassigned)
	slices.Sort(sizeless)
	if len(unassigned) > 0 {
		r.Notes = append(r.Notes, fmt.Sprintf("%s in no tier and not included below: %s.",
			vmsAre(len(unassigned), "is", "are"), quantity.List(unassigned, maxNamed)))
		r.OpenPoints = append(r.OpenPoints, OpenPoint{
			plan.Count(float64(len(unassigned)), "VM") + " in no tier", "Add them to a tier or to the exclude list.",
		})
	}
	if len(sizeless) > 0 {
		r.Notes = append(r.Notes, fmt.Sprintf("%s no %s in the file, so the promises of the affected tiers are unknown: "+
			"%s. Add %s to the file, or choose another size.", vmsAre(len(sizeless), "has", "have"), t.size,
			quantity.List(sizeless, maxNamed), t.size))
	}
	if len(inaccessible) > 0 {
		slices.Sort(inaccessible)
		r.Notes = append(r.Notes, fmt.Sprintf("vCenter could not access %s, so the promises of the affected tiers are "+
			"unknown: %s. Export the file again when it can access them, or add them to the exclude list.",
			plan.Count(float64(len(inaccessible)), "VM"), quantity.List(inaccessible, maxNamed)))
	}
	if withSize == 0 && len(sizeless)+len(inaccessible) > 0 {
		return nil, t.document.problem(plan.Attr(keySize),
			"must be a size that the file contains; it contains no %s for any VM of a tier", t.size)
	}
	for _, one := range empty {
		r.noteEmptyTier(t, one, found)
	}
	return members, nil
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

func (r *Review) notePoweredOff(one tier, members []sizedVM) {
	n := 0
	for _, m := range members {
		if m.vm.PowerState == "poweredOff" {
			n++
		}
	}
	if n > 0 {
		r.Notes = append(r.Notes, fmt.Sprintf("%s powered off in the tier %s. The plan includes powered-off VMs, although "+
			"vSphere Replication does not replicate them.", vmsAre(n, "is", "are"), one.name))
	}
}

// vmsAre returns phrases such as "1 VM is" and "2 VMs are".
func vmsAre(n int, one, several string) string {
	if n == 1 {
		return "1 VM " + one
	}
	return plan.Count(float64(n), "VM") + " " + several
}

const maxNamed = 10

func sizeOf(vm *inventoryfile.VM, size string) (int64, bool) {
	bytes := map[string]*int64{
		"used_gib": &vm.UsedBytes, "provisioned_gib": vm.ProvisionedBytes, "guest_used_gib": vm.GuestUsedBytes,
		"disk_gib": vm.DiskBytes,
	}[size]
	unsized := vm.SkipReason == inventoryfile.SkippedNoSize && size == sizes[0]
	if bytes == nil || unsized || vm.SkipReason == inventoryfile.SkippedInaccessible {
		return 0, false
	}
	return *bytes, true
}

// computePlan adds the SLA plan. For a large estate, it does not compute needs, growth and remedies, which would make
// the review slow.
func (r *Review) computePlan(ctx context.Context, t *Tiers, found inventoryfile.Inventory) (promise.Plan, error) {
	var err error
	if r.Plan, err = t.Arguments(found); err != nil {
		return promise.Plan{}, err
	}
	d := promise.Definition
	if d.Calculator().Slow(r.Plan) {
		d.Compute, d.Long = d.Quick, nil
		r.Notes = append(r.Notes,
			"Needs, growth and remedies are not computed for this many VMs. Run vsla estimate plan to compute them.")
	}
	if err := t.LocateError(r.add(ctx, d.Calculator(), "estate", r.Plan)); err != nil {
		return promise.Plan{}, err
	}
	return d.Decode(r.Plan)
}

func (r *Review) computeMigration(ctx context.Context, t *Tiers, p promise.Plan) error {
	arguments, err := r.Migration.ArgumentsFor(p)
	if err == nil {
		moves := promise.Moves{Link: r.Migration.Link, SharePercent: r.Migration.SharePercent}
		err = r.add(ctx, moves.Calculator(p), "all moves", arguments)
	}
	if problems, ok := errors.AsType[plan.InputErrors](err); ok && len(problems) > 0 {
		return t.document.problem(joinPath(plan.Attr(keyMigration), problems[0].Path), "%s", problems[0].Reason)
	}
	return err
}

func (r *Review) add(ctx context.Context, c *calculator.Calculator, name string, arguments map[string]any) error {
	results, err := c.EvaluateContext(ctx, arguments)
	if err != nil {
		return err
	}
	values := maps.Clone(arguments)
	maps.Copy(values, results)
	r.Results = append(r.Results, Result{Type: c.DataSource(), Name: name, Values: values})
	return nil
}

func joinPath(at, p plan.Path) plan.Path { return append(slices.Clip(at), p...) }

// Clusters returns the clusters of an inventory, sorted by descending number of VMs.
func Clusters(found inventoryfile.Inventory) []Cluster {
	counts := map[string]*Cluster{}
	for _, vm := range found.VMs {
		c := counts[vm.Cluster]
		if c == nil {
			c = &Cluster{Name: vm.Cluster}
			counts[vm.Cluster] = c
		}
		c.VMs++
		c.UsedBytes += vm.UsedBytes
	}
	clusters := make([]Cluster, 0, len(counts))
	for _, c := range counts {
		clusters = append(clusters, *c)
	}
	slices.SortFunc(clusters, func(a, b Cluster) int {
		return cmp.Or(cmp.Compare(b.VMs, a.VMs), strings.Compare(a.Name, b.Name))
	})
	return clusters
}

// Cluster is a cluster with the number and total used size of its VMs.
type Cluster struct {
	Name      string
	VMs       int
	UsedBytes int64
}

// tierPath returns the position of a tier's input in the file: in the tier, in the defaults or at the top level.
func (t *Tiers) tierPath(index int, p plan.Path) plan.Path {
	own := plan.Attr(keyTiers).Index(index)
	for _, at := range []plan.Path{own, plan.Attr(keyDefaults), nil} {
		if len(p) > 0 && t.document.lines[joinPath(at, p[:1]).String()] > 0 {
			return joinPath(at, p)
		}
	}
	return joinPath(own, p)
}
