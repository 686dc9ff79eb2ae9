package promise

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/link"
	"terraform-provider-vsla/internal/plan/quantity"
	"terraform-provider-vsla/internal/plan/setting"
)

func (pt *part) settingRemedy(ctx context.Context, tier string, one *Promise) (*Remedy, error) {
	given := pt.plan.Tiers[tier].ConfiguredRPOMinutes
	if given == nil || one.SuggestedRPOMinutes == nil || *given == *one.SuggestedRPOMinutes {
		return nil, nil //nolint:nilnil // no remedy
	}
	return pt.confirm(ctx, tier, Remedy{
		Kind:                 RemedySetting,
		At:                   tier,
		ConfiguredRPOMinutes: map[string]float64{tier: *one.SuggestedRPOMinutes},
		Value:                one.SuggestedRPOMinutes,
		Sentence: fmt.Sprintf("Configure an RPO of %s (now %s).",
			formatMinutes(*one.SuggestedRPOMinutes), formatMinutes(*given)),
	})
}

func (pt *part) throughputRemedy(ctx context.Context, tier string, _ *Promise) (*Remedy, error) {
	link := pt.plan.linkOf(pt.plan.Tiers[tier])
	of := pt.links[link]
	var found need
	if of.ThroughputNeededMbps != nil && !pt.full.hasMoves() {
		found = need{*of.ThroughputNeededMbps, of.NeededConfiguredRPOMinutes}
	} else if len(of.Promises) > 1 || pt.full.hasMoves() {
		tiers := []string{tier}
		if of.ThroughputNeededMbps != nil { // which leaves migrations out
			tiers = of.Promises
		}
		own, limitedBy, err := pt.findNeed(ctx, pt.full, link, tiers)
		if err != nil || limitedBy != "" {
			return nil, err
		}
		found = own
	}
	if found.mbps <= of.ThroughputMbps {
		return nil, nil //nolint:nilnil // no remedy
	}
	return pt.confirm(ctx, tier, Remedy{
		Kind:                 RemedyThroughput,
		At:                   link,
		Value:                &found.mbps,
		ConfiguredRPOMinutes: found.settings,
		Sentence: fmt.Sprintf("Provide %s Mbit/s on the %s (now %s%s) and configure %s.",
			plan.Thousands(found.mbps, -1), linkText(link), formatMbps(of.ThroughputMbps),
			pt.plan.Links[link].bandwidthText(found.mbps), formatSettings(found.settings)),
	})
}

// bandwidthText states which bandwidth of a network the throughput requires, or that its streams must carry more; empty
// for other links.
func (l Link) bandwidthText(mbps float64) string {
	if l.Network == nil {
		return ""
	}
	network := *l.Network
	used := network.EfficiencyPercent / quantity.Percent * network.SharePercent / quantity.Percent
	network.BandwidthMbps = ceiling(mbps / used)
	if r, err := link.Throughput(network); err != nil || *r.ThroughputMbps < mbps {
		return "; its streams must carry more"
	}
	return "; a bandwidth of " + plan.Thousands(network.BandwidthMbps, -1)
}

func formatSettings(settings map[string]float64) string {
	all := names(settings)
	if len(all) == 1 {
		return "an RPO of " + formatMinutes(settings[all[0]])
	}
	texts := make([]string, 0, len(all))
	for _, name := range all {
		texts = append(texts, fmt.Sprintf("%s %s", name, formatMinutes(settings[name])))
	}
	return "the RPOs " + strings.Join(texts, ", ")
}

// numberRemedy returns the remedy with the smallest sufficient value between now and most.
func (pt *part) numberRemedy(
	ctx context.Context, tier string, r Remedy, now, most float64, sentence func(value float64) string,
) (*Remedy, error) {
	of := needSearch{part: pt, full: pt.full, tiers: pt.tiers}
	at := func(value float64) (bool, error) {
		r.Value = &value
		_, holds, err := of.settingsOf(ctx, pt.plan.WithRemedy(tier, r).complete(), nil, true)
		return holds, err
	}
	if most <= now {
		return nil, nil //nolint:nilnil // no remedy
	}
	if holds, err := at(most); err != nil || !holds {
		return nil, err
	}
	if found, err := pt.confirm(ctx, tier, r); err != nil || found == nil {
		return nil, err
	}
	value, err := bisect(now, most, needTolerance, at)
	if err != nil {
		return nil, err
	}
	for step := 1 + needTolerance; value <= most; step *= step {
		value = ceiling(value)
		r.Value, r.Sentence = &value, sentence(value)
		if found, err := pt.confirm(ctx, tier, r); err != nil || found != nil {
			return found, err
		}
		value *= step
	}
	r.Value, r.Sentence = &most, sentence(most)
	return pt.confirm(ctx, tier, r)
}

func (pt *part) perSyncRemedy(ctx context.Context, tier string, _ *Promise) (*Remedy, error) {
	now := pt.full.perSyncMbps(pt.full.Tiers[tier], asGiven)
	if now == 0 {
		return nil, nil //nolint:nilnil // no remedy
	}
	least := pt.full.perSyncMbps(pt.full.Tiers[tier], worseEnd)
	link := pt.links[pt.plan.linkOf(pt.plan.Tiers[tier])]
	return pt.numberRemedy(ctx, tier, Remedy{Kind: RemedyPerSync, At: tier}, least, link.ThroughputMbps,
		func(mbps float64) string {
			return fmt.Sprintf(
				"Make a single sync run at %s Mbit/s (now %s).",
				plan.Thousands(mbps, -1),
				plan.Thousands(plan.Nearest.Round(now, 2), -1),
			)
		})
}

func (pt *part) sourceRemedy(ctx context.Context, tier string, _ *Promise) (*Remedy, error) {
	now := pt.plan.SourceReadMbps
	if now == nil {
		return nil, nil //nolint:nilnil // no remedy
	}
	return pt.numberRemedy(ctx, tier, Remedy{Kind: RemedySource}, *now, pt.mostRead(), func(mbps float64) string {
		return fmt.Sprintf(
			"Read from the source storage at %s Mbit/s (now %s).",
			plan.Thousands(mbps, -1),
			formatMbps(*now),
		)
	})
}

// mostRead returns a rate of uncompressed data, in Mbit/s, that is never the limit.
func (pt *part) mostRead() float64 {
	sum, ratio := 0.0, 1.0
	for _, l := range pt.links {
		sum += l.ThroughputMbps
	}
	for _, t := range pt.plan.Tiers {
		ratio = max(ratio, t.CompressionRatio)
	}
	return sum * ratio
}

func (pt *part) writeRemedy(ctx context.Context, tier string, _ *Promise) (*Remedy, error) {
	name := pt.plan.Tiers[tier].Target
	target := pt.plan.Targets[name]
	if target.WriteMbps == nil {
		return nil, nil //nolint:nilnil // no remedy
	}
	return pt.numberRemedy(ctx, tier, Remedy{Kind: RemedyWrite, At: name}, *target.WriteMbps,
		pt.mostRead()*target.WriteFactor, func(mbps float64) string {
			return fmt.Sprintf("Write to the target %s at %s Mbit/s (now %s).", name, plan.Thousands(mbps, -1),
				formatMbps(*target.WriteMbps))
		})
}

func (pt *part) peakRemedy(ctx context.Context, tier string, one *Promise) (*Remedy, error) {
	if !slices.Equal(one.decidedBy, []string{inputPeak}) || one.MaxPeakFactor == nil {
		return nil, nil //nolint:nilnil // no remedy
	}
	return pt.confirm(ctx, tier, Remedy{
		Kind:  RemedyPeak,
		At:    tier,
		Value: one.MaxPeakFactor,
		Sentence: fmt.Sprintf("Measure the change and set "+
			"peak_factor: the promise holds while the busiest time changes at most %s times the daily mean.",
			formatDown(*one.MaxPeakFactor)),
	})
}

func (pt *part) measureRemedy(ctx context.Context, tier string, one *Promise) (*Remedy, error) {
	name := pt.plan.linkOf(pt.plan.Tiers[tier])
	l := pt.full.Links[name]
	basis := l.ThroughputBasis
	if l.Network != nil {
		basis = l.Network.ThroughputBasis
	}
	if basis == plan.BasisTransfer || basis == "" || one.LikelyVerdict != plan.Meets {
		return nil, nil //nolint:nilnil // no remedy
	}
	return pt.confirm(ctx, tier, Remedy{
		Kind: RemedyMeasure,
		At:   name,
		Sentence: fmt.Sprintf("Measure a transfer on the %s: the promise holds if the "+
			"throughput is confirmed, with the basis transfer.", linkText(name)),
	})
}

func (pt *part) deadlineRemedy(ctx context.Context, tier string, _ *Promise) (*Remedy, error) {
	t, i := pt.plan.Tiers[tier], slices.Index(pt.tiers, tier)
	if t.DeadlineHours == nil {
		return nil, nil //nolint:nilnil // no remedy
	}
	longest := 0.0
	for _, of := range pt.results {
		if of.initial[i] == nil {
			return nil, nil //nolint:nilnil // no remedy
		}
		longest = max(longest, *of.initial[i]/quantity.MinutesPerHour)
	}
	hours := plan.Up.Round(longest, 1)
	if hours <= *t.DeadlineHours || hours > RangeDeadlineHours.Max {
		return nil, nil //nolint:nilnil // no remedy
	}
	return pt.confirm(ctx, tier, Remedy{
		Kind:  RemedyDeadline,
		At:    tier,
		Value: &hours,
		Sentence: fmt.Sprintf("Allow %s hours for the initial sync (now %s).", plan.Thousands(hours, -1),
			plan.Thousands(*t.DeadlineHours, -1)),
	})
}

func (pt *part) spaceRemedy(ctx context.Context, tier string, _ *Promise) (*Remedy, error) {
	name, full := pt.plan.Tiers[tier].Target, pt.evaluation.full
	if !full.lacksSpace(tier) {
		return nil, nil //nolint:nilnil // no remedy
	}
	gib := math.Ceil(max(full.neededGiB(name, asGiven), full.neededGiB(name, worseEnd)) / nearlyFullShare)
	return pt.confirm(ctx, tier, Remedy{
		Kind:  RemedyFree,
		At:    name,
		Value: &gib,
		Sentence: fmt.Sprintf("Provide %s GiB on the target %s (now %s).", plan.Thousands(gib, 0), name,
			plan.Thousands(*full.Targets[name].FreeGiB, -1)),
	})
}

// rpoSteps are the promised RPOs that are suggested, in minutes.
var rpoSteps = []float64{5, 10, 15, 30, 60, 120, 240, 480, 720, 1440}

func (pt *part) rpoRemedy(ctx context.Context, tier string, _ *Promise) (*Remedy, error) {
	now := pt.plan.Tiers[tier].RPOMinutes
	longer := slices.DeleteFunc(slices.Clone(rpoSteps), func(rpo float64) bool { return rpo <= now })
	for _, rpo := range longer[:min(maxRPOSteps, len(longer))] {
		r, err := pt.confirm(ctx, tier, Remedy{
			Kind:     RemedyRPO,
			At:       tier,
			Value:    &rpo,
			Sentence: fmt.Sprintf("Promise an RPO of %s (now %s).", formatMinutes(rpo), formatMinutes(now)),
		})
		if err != nil || r != nil {
			return r, err
		}
	}
	return nil, nil //nolint:nilnil // no remedy
}

func (pt *part) exclusionRemedy(ctx context.Context, tier string, _ *Promise) (*Remedy, error) {
	t := pt.full.Tiers[tier]
	ordered := t.byChange()
	most := min(int(maxExcludedShare*float64(len(ordered))), MaxLateNames)
	if most < 1 {
		return nil, nil //nolint:nilnil // no remedy
	}
	leave := func(vms []string) (*Remedy, error) {
		return pt.confirm(ctx, tier, Remedy{
			Kind:            RemedyWithout,
			At:              tier,
			VirtualMachines: vms,
			Sentence:        fmt.Sprintf("The promise holds without %s.", quantity.List(vms, MaxLateNames)),
		})
	}
	found, err := leave(ordered[:most])
	for fails := 0; err == nil && found != nil && len(found.VirtualMachines)-fails > 1; {
		middle := (fails + len(found.VirtualMachines)) / 2
		var r *Remedy
		if r, err = leave(ordered[:middle]); r != nil {
			found = r
		} else {
			fails = middle
		}
	}
	return found, err
}

func (t Tier) byChange() []string {
	all := t.vmNames()
	changes := make(map[string]float64, len(all))
	for i, vm := range t.vms() {
		if t.VMCount == nil {
			changes[all[i]] = vm.SizeGiB * vm.DailyChangePercent
			if t.ChangeCurve != nil {
				changes[all[i]] = vm.SizeGiB
			}
		}
	}
	slices.SortStableFunc(all, func(a, b string) int { return cmp.Compare(changes[b], changes[a]) })
	return all
}

func (pt *part) movesRemedy(ctx context.Context, tier string, _ *Promise) (*Remedy, error) {
	link := pt.plan.linkOf(pt.plan.Tiers[tier])
	given := pt.plan.Links[link].maxMovesPercent()
	if given == 0 {
		return nil, nil //nolint:nilnil // no remedy
	}
	most := func(percent float64) (*Remedy, error) {
		sentence := fmt.Sprintf("Limit migrations to %s%% of the %s (now %s%%).", plan.Number(percent),
			linkText(link), plan.Thousands(given, -1))
		if percent == 0 {
			sentence = "Migrate over another link."
		}
		return pt.confirm(ctx, tier, Remedy{Kind: RemedyMoves, At: link, Value: &percent, Sentence: sentence})
	}
	found, err := most(0)
	for fails := math.Ceil(given); err == nil && found != nil && fails-*found.Value > 1; {
		middle := math.Floor((fails + *found.Value) / 2)
		var r *Remedy
		if r, err = most(middle); r != nil {
			found = r
		} else {
			fails = middle
		}
	}
	return found, err
}

// shareRemedy returns the judged setting of a tier without a given one, or otherwise the shortest, if the promise holds
// by its share of time when the setting is given. It does not try to for Single, which has no share, or if the share is
// below AtRiskPercent.
func (pt *part) shareRemedy(ctx context.Context, tier string, one *Promise) (*Remedy, error) {
	t := pt.full.Tiers[tier]
	isFar := func(share *float64) bool { return share != nil && *share < AtRiskPercent }
	if pt.onlyVerdicts || t.ConfiguredRPOMinutes != nil || isFar(one.WithinRPOPercent) ||
		isFar(one.WorseEndWithinRPOPercent) {
		return nil, nil //nolint:nilnil // no remedy
	}
	for _, minutes := range []float64{one.judgedMinutes, setting.Up(t.leastMinutes())} {
		r, err := pt.confirm(ctx, tier, Remedy{
			Kind:                 RemedySetting,
			At:                   tier,
			ConfiguredRPOMinutes: map[string]float64{tier: minutes},
			Value:                &minutes,
			Sentence: fmt.Sprintf("Set configured_rpo_minutes to %s: every VM is then within the promised RPO for at "+
				"least %s%% of the simulated time, although a recovery point can get older.", plan.Number(minutes),
				plan.Number(t.targetPercent())),
		})
		if err != nil || r != nil {
			return r, err
		}
	}
	return nil, nil //nolint:nilnil // no remedy
}
