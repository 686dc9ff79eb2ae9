package whatif

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"terraform-provider-vsla/internal/plan/calculator"
	"terraform-provider-vsla/internal/plan/changerate"
	"terraform-provider-vsla/internal/plan/promise"
	"terraform-provider-vsla/internal/plan/quantity"
	"terraform-provider-vsla/internal/plan/replication"
)

type editTier func(s *state, change func(*promise.Tier))

func (edit editTier) read(s *state, number func(promise.Tier) float64) float64 {
	var v float64
	edit(s, func(t *promise.Tier) { v = number(*t) })
	return v
}

func vmCells(scope string, edit editTier) []*Cell {
	return []*Cell{
		numberCell(scope+"/vm_count", promise.RangeVMCount,
			"Number of VMs. A lower number samples the VMs evenly, a higher number adds copies.",
			func(s *state) float64 {
				return edit.read(s, func(t promise.Tier) float64 { return float64(len(t.VirtualMachines)) })
			},
			func(s *state, n float64) {
				edit(s, func(t *promise.Tier) { t.VirtualMachines = sampleVMs(*t, int(n)) })
			}),
		numberCell(scope+"/vm_size_gib", replication.RangeVMSizeGiB,
			"Mean size of a VM. A change scales all VMs.",
			func(s *state) float64 {
				return edit.read(s, func(t promise.Tier) float64 { return totalsOf(t).meanGiB() })
			},
			func(s *state, gib float64) {
				edit(s, func(t *promise.Tier) {
					if was := totalsOf(*t).meanGiB(); was > 0 {
						t.VirtualMachines = mapVMs(t.VirtualMachines, func(vm *promise.VM) {
							if vm.SizeGiB != nil {
								vm.SizeGiB = new(*vm.SizeGiB * gib / was)
							}
						})
					}
				})
			}),
	}
}

func hasOwnChange(t promise.Tier) bool {
	for _, vm := range t.VirtualMachines {
		if vm.DailyChangePercent != nil {
			return true
		}
	}
	return false
}

func meanChangeCell(scope string, edit editTier) *Cell {
	percent := func(t promise.Tier) float64 {
		if all := totalsOf(t); all.GiB > 0 {
			return all.ChangeGiB / all.GiB * quantity.Percent
		}
		return 0
	}
	return numberCell(scope+"/"+keyDaily, replication.RangeDailyChangePercent,
		"Mean daily change of the VMs. A change scales the values of all VMs.",
		func(s *state) float64 { return edit.read(s, percent) },
		func(s *state, v float64) {
			edit(s, func(t *promise.Tier) {
				was := percent(*t)
				if was <= 0 {
					return
				}
				scale := func(of **float64) {
					if *of != nil {
						*of = new(**of * v / was)
					}
				}
				t.VirtualMachines = mapVMs(t.VirtualMachines, func(vm *promise.VM) { scale(&vm.DailyChangePercent) })
				scale(&t.DailyChangePercent)
				if ends, ok := t.Ranges[keyDaily]; ok {
					t.Ranges = maps.Clone(t.Ranges)
					t.Ranges[keyDaily] = calculator.Ends{Low: ends.Low * v / was, High: ends.High * v / was}
				}
			})
		})
}

func mapVMs(vms map[string]promise.VM, change func(*promise.VM)) map[string]promise.VM {
	all := make(map[string]promise.VM, len(vms))
	for name, vm := range vms {
		change(&vm)
		all[name] = vm
	}
	return all
}

type totals struct {
	VMs       int     `json:"vms"`
	GiB       float64 `json:"gib"`
	ChangeGiB float64 `json:"change_gib"`
	sizedVMs  int
}

func (s totals) meanGiB() float64 { return s.GiB / float64(max(s.sizedVMs, 1)) }

func dailyGiB(t promise.Tier, vm promise.VM) float64 {
	switch {
	case vm.SizeGiB == nil:
		return 0
	case t.ChangeCurve != nil:
		return changerate.NewCurve(t.ChangeCurve, *vm.SizeGiB).At(quantity.MinutesPerDay)
	case vm.DailyChangePercent != nil:
		return *vm.SizeGiB * *vm.DailyChangePercent / quantity.Percent
	case t.DailyChangePercent != nil:
		return *vm.SizeGiB * *t.DailyChangePercent / quantity.Percent
	}
	return 0
}

func totalsOf(t promise.Tier) totals {
	var all totals
	add := func(vm promise.VM, n int) {
		all.VMs += n
		if vm.SizeGiB != nil {
			all.sizedVMs += n
			all.GiB += float64(n) * *vm.SizeGiB
			all.ChangeGiB += float64(n) * dailyGiB(t, vm)
		}
	}
	if t.VMCount != nil {
		add(promise.VM{SizeGiB: t.VMSizeGiB}, int(*t.VMCount))
	}
	for _, name := range slices.Sorted(maps.Keys(t.VirtualMachines)) {
		add(t.VirtualMachines[name], 1)
	}
	return all
}

func vmsByChange(t promise.Tier) []string {
	return slices.SortedFunc(maps.Keys(t.VirtualMachines), func(a, b string) int {
		x, y := t.VirtualMachines[a], t.VirtualMachines[b]
		return cmp.Or(cmp.Compare(dailyGiB(t, y), dailyGiB(t, x)), cmp.Compare(a, b))
	})
}

// sampleVMs returns n VMs based on those of a tier. If n is less than the number of VMs, it selects VMs at even
// intervals from the list sorted by change. If n is greater, the additional VMs are copies.
func sampleVMs(t promise.Tier, n int) map[string]promise.VM {
	all, picked := vmsByChange(t), make(map[string]promise.VM, n)
	if len(all) == 0 {
		return picked
	}
	for round := 1; n > 0; round++ {
		take := min(n, len(all))
		for i := range take {
			name := all[int((float64(i)+0.5)*float64(len(all))/float64(take))]
			of := name
			if round > 1 {
				name += fmt.Sprintf(" (copy %d)", round)
			}
			picked[name] = t.VirtualMachines[of]
		}
		n -= take
	}
	return picked
}

func (s *state) excludeVMs(vms []string) {
	for name, t := range s.plan.Tiers {
		if !slices.ContainsFunc(vms, func(vm string) bool {
			_, ok := t.VirtualMachines[vm]
			return ok
		}) {
			continue
		}
		t.VirtualMachines = maps.Clone(t.VirtualMachines)
		for _, vm := range vms {
			delete(t.VirtualMachines, vm)
		}
		s.plan.Tiers[name] = t
	}
}

func (s *state) dropExcludedMoves(source *state) {
	gone := make(map[string]bool)
	for name, t := range source.plan.Tiers {
		for vm := range t.VirtualMachines {
			if _, still := s.plan.Tiers[name].VirtualMachines[vm]; !still {
				gone[vm] = true
			}
		}
	}
	if s.moves != nil && len(gone) > 0 {
		s.moves.Input.VMs = maps.Clone(s.moves.Input.VMs)
		for vm := range gone {
			delete(s.moves.Input.VMs, vm)
		}
	}
}

// scaledCounts returns the VM count of each tier for a new total, in proportion to the current counts. The largest
// remainders are rounded up.
func (s *state) scaledCounts(total int) map[string]float64 {
	before, counts := 0, make(map[string]float64)
	for _, t := range s.plan.Tiers {
		before += totalsOf(t).VMs
	}
	if before == 0 {
		return counts
	}
	type rest struct {
		name string
		part float64
	}
	var rests []rest
	left := total
	for _, name := range sortedNames(s.plan.Tiers) {
		exact := float64(total) * float64(totalsOf(s.plan.Tiers[name]).VMs) / float64(before)
		counts[name] = math.Floor(exact)
		left -= int(counts[name])
		rests = append(rests, rest{name, exact - counts[name]})
	}
	slices.SortStableFunc(rests, func(a, b rest) int { return cmp.Compare(b.part, a.part) })
	for i := range left {
		counts[rests[i].name]++
	}
	return counts
}
