package audit

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/transport"
	"terraform-provider-vsla/internal/vsphere"
)

// Named is a scope with an optional pairing, and tags identified by name.
type Named struct {
	Scope
	// Category is the category of the tags in TagNames.
	Category string
	// TagNames are the names of tags by tier, for tiers without a TagID.
	TagNames map[string]string
}

// Resolve looks up the IDs. The error is an *ArgumentError if an argument is invalid.
func (r Reader) Resolve(ctx context.Context, n Named) (Scope, error) {
	if n.PairingID == "" {
		var err error
		if n.PairingID, err = r.onlyPairing(ctx); err != nil {
			return Scope{}, err
		}
	}
	if len(n.TagNames) == 0 {
		return n.Scope, nil
	}
	category, err := r.VSphere.CategoryByName(ctx, n.Category)
	if err != nil {
		return Scope{}, &ArgumentError{At: plan.Attr("category"), Err: err}
	}
	tags, err := r.VSphere.TagsOfCategory(ctx, category.ID)
	if err != nil {
		return Scope{}, err
	}
	ids := make(map[string]string, len(tags)) // by name
	for _, tag := range tags {
		ids[tag.Name] = tag.ID
	}
	return n.withTags(ids)
}

func (n Named) withTags(ids map[string]string) (Scope, error) {
	n.Tiers = maps.Clone(n.Tiers)
	for _, tier := range slices.Sorted(maps.Keys(n.TagNames)) {
		name := n.TagNames[tier]
		id, ok := ids[name]
		if !ok {
			return Scope{}, &ArgumentError{
				At: plan.Attr("tiers").Key(tier).Attr("tag"),
				Err: fmt.Errorf("category %q: %w", n.Category, &transport.NameError{
					What: "tag", Name: name, Err: vsphere.ErrNotFound,
					Names: slices.AppendSeq(make([]string, 0, len(ids)), maps.Keys(ids)),
				}),
			}
		}
		promise := n.Tiers[tier]
		promise.TagID = id
		n.Tiers[tier] = promise
	}
	return n.Scope, nil
}

func (r Reader) onlyPairing(ctx context.Context) (string, error) {
	all, err := r.Replication.Pairings(ctx)
	if err != nil {
		return "", err
	}
	var ids []string
	for _, p := range all {
		if !p.Single() {
			ids = append(ids, p.ID)
		}
	}
	if len(ids) == 1 {
		return ids[0], nil
	}
	names := strings.Join(ids, ", ")
	if len(ids) == 0 {
		names = "none"
	}
	return "", &ArgumentError{
		At:     plan.Attr("pairing_id"),
		Advice: "Set pairing_id unless there is exactly one pairing of two vCenters.",
		Err:    fmt.Errorf("the pairings are: %s", names),
	}
}
