package estate

import (
	"context"
	"fmt"
	"slices"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/promise"
)

// otherEnd returns the assignment with the other size of each VM whose guest uses more than is in use, and the tiers of
// these VMs. One of both sizes is wrong, and the file does not show which.
func otherEnd(all assignment) (other assignment, tiers []int) {
	other = all
	other.tiers = slices.Clone(all.tiers)
	for i, members := range all.tiers {
		changed := slices.Clone(members)
		for n, m := range members {
			used, guest := m.vm.UsedBytes, m.vm.GuestUsedBytes
			if used == nil || guest == nil || *guest <= *used || !m.isKnown() {
				continue
			}
			switch m.size {
			case "used_gib":
				changed[n].bytes = guest
			case "guest_used_gib":
				changed[n].bytes = used
			default:
				continue
			}
			if !slices.Contains(tiers, i) {
				tiers = append(tiers, i)
			}
		}
		other.tiers[i] = changed
	}
	return other, tiers
}

// noteOtherEnd adds a note with the range of each promise to VMs whose guests use more than is in use.
func (r *Review) noteOtherEnd(ctx context.Context, t *Tiers, all assignment) error {
	other, tiers := otherEnd(all)
	if len(tiers) == 0 {
		return nil
	}
	arguments, err := t.arguments(other)
	if err != nil {
		return err
	}
	d := promise.Definition
	d.Compute, d.Long = d.Quick, nil
	results, err := d.Calculator().EvaluateContext(ctx, arguments)
	if err != nil {
		return t.LocateError(err)
	}
	reviewed := r.Results[len(r.Results)-1].Values
	for _, i := range tiers {
		name := t.tiers[i].name
		was, is := promiseEnd(reviewed, name), promiseEnd(results, name)
		r.Notes = append(r.Notes, fmt.Sprintf("Guests of the tier %s use more than is in use, so the sizes are "+
			"uncertain. With the sizes of this review, the promise %s. With the other size of these VMs, it "+
			"%s.", name, was.text, is.text))
		if was.verdict != is.verdict {
			r.OpenPoints = append(r.OpenPoints, OpenPoint{
				"sizes of the tier " + name,
				"The verdict depends on them. Compare what the guests use with what is in use, and set size in the " +
					"tiers file.",
			})
		}
	}
	return nil
}

type end struct{ verdict, text string }

// promiseEnd describes a promise in the results of the plan.
func promiseEnd(results map[string]any, tier string) end {
	promises, _ := results["promises"].(map[string]any)
	one, _ := promises[tier].(map[string]any)
	verdict := fmt.Sprint(one["verdict"])
	text := plan.Verb(verdict, 1)
	if share, ok := one["within_rpo_percent"].(float64); ok {
		text += fmt.Sprintf(" (%s%% within the RPO", plan.Percent(share, shareDecimals))
		if minutes, ok := one["initial_sync_minutes"].(float64); ok {
			text += ", initial sync " + plan.Thousands(minutes/minutesPerHour, 1) + " h"
		}
		text += ")"
	}
	return end{verdict, text}
}

const (
	shareDecimals  = 2
	minutesPerHour = 60
)
