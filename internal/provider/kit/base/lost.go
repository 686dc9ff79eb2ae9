package base

import (
	"context"
	"encoding/json"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"terraform-provider-vsla/internal/provider/kit/types/stringset"
)

// lostKey is the key in private data of the members that refreshes have removed from state.
const lostKey = "vsla_lost"

// Group is a model with members, whose IDs the plan checks if they are new.
type Group interface{ Members() []string }

type private interface {
	GetKey(ctx context.Context, key string) ([]byte, diag.Diagnostics)
	SetKey(ctx context.Context, key string, value []byte) diag.Diagnostics
}

// LostMembers returns the members that were in state until a refresh no longer found them. The configuration can still
// list them, so they are missing but not new.
func LostMembers(ctx context.Context, p interface {
	GetKey(ctx context.Context, key string) ([]byte, diag.Diagnostics)
}, diags *diag.Diagnostics,
) (lost []string) {
	text, found := p.GetKey(ctx, lostKey)
	diags.Append(found...)
	if len(text) > 0 && json.Unmarshal(text, &lost) != nil {
		return nil // written by another version
	}
	return lost
}

func recordLost(ctx context.Context, p private, before, now Group, diags *diag.Diagnostics) {
	known := LostMembers(ctx, p, diags)
	lost := stringset.Union(known, stringset.Without(before.Members(), now.Members()))
	lost = stringset.Without(lost, now.Members())
	if len(lost) == 0 && len(known) == 0 {
		return
	}
	text, err := json.Marshal(lost)
	if err != nil {
		diags.AddError("Unable to Record Missing Members", err.Error())
		return
	}
	diags.Append(p.SetKey(ctx, lostKey, text)...)
}
