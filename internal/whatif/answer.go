package whatif

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"terraform-provider-vsla/internal/assess"
	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/promise"
	"terraform-provider-vsla/internal/plan/quantity"
	"terraform-provider-vsla/internal/wording"
)

const maxVMs = 20

// VM is a VM listed on the page.
type VM struct {
	// ID is the VM's name in the plan. Name is the displayed name.
	ID   string `json:"id"`
	Name string `json:"name"`
	Tier string `json:"tier"`
	Size string `json:"size"`
	// Change is the daily change. Within and Oldest are set only for late VMs: Within is the share of time within the
	// RPO, and Oldest is the age of the oldest recovery point.
	Change   string `json:"change"`
	Within   string `json:"within,omitempty"`
	Oldest   string `json:"oldest,omitempty"`
	Excluded bool   `json:"out,omitempty"`

	share, gib float64
}

func vmOf(tier, name string, t promise.Tier, vm promise.VM) VM {
	one := VM{ID: name, Name: name, Tier: tier, Size: wording.None, share: 100}
	one.gib = dailyGiB(t, vm)
	if vm.SizeGiB != nil {
		one.Size = gib(*vm.SizeGiB)
	}
	one.Change = gib(one.gib) + " per day"
	return one
}

func gib(v float64) string {
	if v < 1 {
		return quantity.FromGiB(v).String()
	}
	return plan.Thousands(v, 0) + " GiB"
}

func worstVMs(s *state, r promise.Result) []VM {
	all := []VM{}
	for _, tier := range sortedNames(s.plan.Tiers) {
		t := s.plan.Tiers[tier]
		late := make(map[string]promise.LateVM)
		for _, vm := range r.Promises[tier].LateVirtualMachines {
			late[vm.Name] = vm
		}
		names := vmsByChange(t)
		for i, name := range names {
			vm, is := late[name]
			if i >= maxVMs && !is {
				continue
			}
			one := vmOf(tier, name, t, t.VirtualMachines[name])
			if is {
				one.share, one.Within = vm.WithinRPOPercent, percent(&vm.WithinRPOPercent)
				one.Oldest = assess.AgeText(vm.OldestRecoveryPointMinutes)
			}
			all = append(all, one)
		}
	}
	slices.SortStableFunc(all, func(a, b VM) int {
		return cmp.Or(cmp.Compare(a.share, b.share), cmp.Compare(b.gib, a.gib))
	})
	return all[:min(len(all), maxVMs)]
}

// Find returns all excluded VMs, and a limited number of VMs whose names contain the text. It ignores case.
func (p *Page) Find(changes Changes, text string) []VM {
	all, out := []VM{}, excludedVMs(changes)
	for _, tier := range sortedNames(p.source.plan.Tiers) {
		t := p.source.plan.Tiers[tier]
		for _, name := range vmsByChange(t) {
			is := slices.Contains(out, name)
			found := text != "" && strings.Contains(strings.ToLower(name), strings.ToLower(text))
			if !is && (!found || len(all) >= maxVMs+len(out)) {
				continue
			}
			one := vmOf(tier, name, t, t.VirtualMachines[name])
			one.Excluded = is
			all = append(all, one)
		}
	}
	return all
}

var costRPOs = []float64{5, 15, 30, 60}

// Cost is the throughput that a tier's link needs for a given RPO.
type Cost struct {
	RPO     string  `json:"rpo"`
	Need    string  `json:"need"`
	Reserve string  `json:"reserve"`
	Changes Changes `json:"changes"`
}

// Costs returns the throughput that a tier's link needs for each RPO in costRPOs. All other inputs keep their values.
func (p *Page) Costs(ctx context.Context, changes Changes, tier string, each func(done, all int)) ([]Cost, error) {
	s, err := p.applyValid(changes)
	if err != nil {
		return nil, err
	}
	if _, ok := s.plan.Tiers[tier]; !ok {
		return nil, errors.New("the tier does not exist")
	}
	costs := make([]Cost, 0, len(costRPOs))
	for i, rpo := range costRPOs {
		s := s.clone()
		t := s.plan.Tiers[tier]
		t.RPOMinutes = rpo
		s.plan.Tiers[tier] = t
		r, err := promise.Needs(ctx, s.plan)
		if err != nil {
			return nil, err
		}
		for _, name := range sortedNames(r.Links) {
			if one := r.Links[name]; slices.Contains(one.Promises, tier) {
				costs = append(costs, Cost{
					RPO:     wording.RPO(rpo),
					Need:    assess.NeedText(one),
					Reserve: assess.FormatHeadroom(one.HeadroomPercent),
					Changes: Changes{"tier/" + tier + "/rpo_minutes": rpo},
				})
			}
		}
		each(i+1, len(costRPOs))
	}
	return costs, nil
}

const keyGrowth = "plan/growth_percent_per_year"

// Point is a point on a curve: a value of the input, the lowest share of time within the RPO at this value, and the
// tier with this share.
type Point struct {
	X     float64 `json:"x"`
	Share float64 `json:"share"`
	Tier  string  `json:"tier"`
}

// Curve simulates several values of a link's throughput or of the growth. All other inputs keep their values. For a
// throughput, which is near needed, it considers the promises on the link, as the review does. For growth, it considers
// all promises after one year. It omits values for which no promise can be simulated.
func (p *Page) Curve(ctx context.Context, changes Changes, id string, needed float64) ([]Point, error) {
	c := p.byID[id]
	if c == nil || c.name != keyThroughput && id != keyGrowth {
		return nil, fmt.Errorf("input %q does not exist or has no curve", id)
	}
	s, err := p.applyValid(changes)
	if err != nil {
		return nil, err
	}
	if id == keyGrowth {
		return p.growthCurve(ctx, &s, c)
	}
	link := strings.TrimSuffix(strings.TrimPrefix(id, "link/"), "/"+keyThroughput)
	shares, err := assess.Shares(ctx, s.plan, link, s.plan.Links[link].MeanMbps(), needed)
	points := make([]Point, len(shares))
	for i, of := range shares {
		points[i] = Point{of.Mbps, of.Percent, of.Tier}
	}
	return points, err
}

func (p *Page) growthCurve(ctx context.Context, s *state, c *Cell) ([]Point, error) {
	source, _ := c.Source.(float64)
	points := []Point{}
	for _, part := range []float64{0, 0.15, 0.3, 0.45, 0.6, 0.75, 0.9, 1} {
		x := part * max(quantity.Percent, 2*source)
		trial := s.clone()
		p.scaleSizes(&trial, 1+x/quantity.Percent)
		r, err := promise.Judge(ctx, trial.plan)
		if err != nil {
			return nil, err
		}
		if point := lowestShare(r); point.Tier != "" {
			point.X = x
			points = append(points, point)
		}
	}
	return points, nil
}

func lowestShare(r promise.Result) Point {
	var of Point
	for _, name := range sortedNames(r.Promises) {
		if share := r.Promises[name].WithinRPOPercent; share != nil && (of.Tier == "" || *share < of.Share) {
			of.Share, of.Tier = *share, name
		}
	}
	return of
}

// scaleSizes scales the sizes of all VMs, up to the largest valid size.
func (p *Page) scaleSizes(s *state, factor float64) {
	for _, c := range p.cells {
		if v, ok := c.get(s).(float64); ok && strings.HasPrefix(c.ID, "tier/") && c.name == "vm_size_gib" {
			_ = c.set(s, min(v*factor, c.Max)) // valid
		}
	}
}

// Fits returns, for each listed late VM, the tier with the shortest RPO that the VM would meet, or "" if there is none.
// It simulates the late VMs of a tier with the RPO and compliance target of each tier that has a longer RPO.
func (p *Page) Fits(ctx context.Context, changes Changes) (map[string]string, error) {
	s, err := p.applyValid(changes)
	if err != nil {
		return nil, err
	}
	r, err := promise.Judge(ctx, s.plan)
	if err != nil {
		return nil, err
	}
	fits := make(map[string]string)
	for _, name := range sortedNames(r.Promises) {
		if late := r.Promises[name].LateVirtualMachines; len(s.plan.Tiers[name].VirtualMachines) > 0 {
			if err := s.fitVMs(ctx, name, late, fits); err != nil {
				return nil, err
			}
		}
	}
	return fits, nil
}

func (s *state) fitVMs(ctx context.Context, tier string, late []promise.LateVM, fits map[string]string) error {
	for _, vm := range late {
		fits[vm.Name] = ""
	}
	for _, other := range s.tiersWithLongerRPO(tier) {
		if len(late) == 0 {
			break
		}
		still, err := s.lateVMsIn(ctx, tier, other, late)
		if err != nil {
			return err
		}
		for _, vm := range late {
			if !slices.ContainsFunc(still, func(l promise.LateVM) bool { return l.Name == vm.Name }) {
				fits[vm.Name] = other + ", RPO " + wording.RPO(s.plan.Tiers[other].RPOMinutes)
			}
		}
		late = still
	}
	return nil
}

func (s *state) tiersWithLongerRPO(tier string) []string {
	rpo := func(name string) float64 { return s.plan.Tiers[name].RPOMinutes }
	names := slices.DeleteFunc(sortedNames(s.plan.Tiers), func(name string) bool { return rpo(name) <= rpo(tier) })
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(rpo(a), rpo(b)) })
	return names
}

func (s *state) lateVMsIn(ctx context.Context, tier, other string, vms []promise.LateVM) ([]promise.LateVM, error) {
	trial, key := s.clone(), tier+" (late)"
	for _, taken := trial.plan.Tiers[key]; taken; _, taken = trial.plan.Tiers[key] {
		key += "*"
	}
	stay := s.plan.Tiers[tier]
	move := s.plan.Tiers[tier]
	to := s.plan.Tiers[other]
	stay.VirtualMachines = maps.Clone(stay.VirtualMachines)
	move.VirtualMachines = make(map[string]promise.VM)
	for _, vm := range vms {
		move.VirtualMachines[vm.Name] = stay.VirtualMachines[vm.Name]
		delete(stay.VirtualMachines, vm.Name)
	}
	move.RPOMinutes, move.TargetCompliancePercent = to.RPOMinutes, to.TargetCompliancePercent
	trial.plan.Tiers[tier], trial.plan.Tiers[key] = stay, move
	if len(stay.VirtualMachines) == 0 {
		delete(trial.plan.Tiers, tier)
	}
	r, err := promise.Judge(ctx, trial.plan)
	return r.Promises[key].LateVirtualMachines, err
}
