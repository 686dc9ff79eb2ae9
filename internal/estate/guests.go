package estate

import (
	"context"
	"fmt"
	"slices"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/promise"
	"terraform-provider-vsla/internal/plan/quantity"
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
func (r *Review) noteOtherEnd(ctx context.Context, t *Tiers) error {
	other, tiers := otherEnd(r.assigned)
	if len(tiers) == 0 {
		return nil
	}
	p, err := t.planFor(other)
	if err != nil {
		return err
	}
	result, err := promise.Judge(ctx, p)
	if err != nil {
		return t.LocateError(err)
	}
	for _, i := range tiers {
		name := t.tiers[i].name
		was, is := r.Promised.Promises[name], result.Promises[name]
		r.Notes = append(r.Notes, fmt.Sprintf("Guests of the tier %s use more than is in use, so the sizes are "+
			"uncertain. With the sizes of this review, the promise %s. With the other size of these VMs, it "+
			"%s.", name, endText(was), endText(is)))
		if was.Verdict != is.Verdict {
			r.OpenPoints = append(r.OpenPoints, OpenPoint{
				"sizes of the tier " + name,
				"The verdict depends on them. Compare what the guests use with what is in use, and set size in the " +
					"tiers file.",
			})
		}
	}
	return nil
}

// endText describes a promise with one of both sizes.
func endText(one promise.Promise) string {
	text := plan.Verb(one.Verdict, 1)
	if share := one.WithinRPOPercent; share != nil {
		text += fmt.Sprintf(" (%s%% within the RPO", plan.Percent(*share, shareDecimals))
		if minutes := one.InitialSyncMinutes; minutes != nil {
			text += ", initial sync " + plan.Thousands(*minutes/quantity.MinutesPerHour, 1) + " h"
		}
		text += ")"
	}
	return text
}

const shareDecimals = 2
