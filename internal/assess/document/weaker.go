package document

import (
	"terraform-provider-vsla/internal/assess/weaker"
	"terraform-provider-vsla/internal/wording"
)

// Weaker returns what the plan makes weaker, by address; nothing of a state.
func (d *Document) Weaker() []weaker.Finding {
	found := weaker.Find(d.plan)
	for i := range found {
		found[i].Address, found[i].Message = wording.Clean(found[i].Address), wording.Clean(found[i].Message)
	}
	return found
}
