// What a plan makes weaker.

package report

import "terraform-provider-vsla/internal/report/weaker"

// Weaker returns what the plan makes weaker, by address; nothing of a state.
func (d *Document) Weaker() []weaker.Finding {
	found := weaker.Find(d.plan)
	for i := range found {
		found[i].Address, found[i].Message = clean(found[i].Address), clean(found[i].Message)
	}
	return found
}
