package audit

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/transport"
	"terraform-provider-vsla/internal/vsphere"
)

// NamedScope is a scope with tag names instead of IDs. Its pairing is optional.
type NamedScope struct {
	Scope
	// Category is the tag category of TagNames.
	Category string
	// TagNames contains the tag names of the tiers that have no TagID, by tier.
	TagNames map[string]string
}

// Resolve looks up the missing IDs. An invalid argument causes an *ArgumentError.
func (r Reader) Resolve(ctx context.Context, n NamedScope) (Scope, error) {
	if n.PairingID == "" {
		id, err := r.findPairing(ctx)
		if err != nil {
			return Scope{}, err
		}
		n.PairingID = id
	}
	if len(n.TagNames) == 0 {
		return n.Scope, nil
	}
	category, err := r.VSphere.CategoryByName(ctx, n.Category)
	if _, isName := errors.AsType[*transport.NameError](err); isName {
		err = &ArgumentError{Path: plan.Attr("category"), Err: err}
	}
	if err != nil {
		return Scope{}, err
	}
	tags, err := r.VSphere.TagsOfCategory(ctx, category.ID)
	if err != nil {
		return Scope{}, err
	}
	ids := make(map[string]string, len(tags))
	for _, tag := range tags {
		ids[tag.Name] = tag.ID
	}
	return n.resolveTags(ids)
}

// resolveTags replaces the tag names with IDs, which are given by name.
func (n NamedScope) resolveTags(ids map[string]string) (Scope, error) {
	n.Tiers = maps.Clone(n.Tiers)
	for _, tier := range slices.Sorted(maps.Keys(n.TagNames)) {
		name := n.TagNames[tier]
		id, ok := ids[name]
		if !ok {
			return Scope{}, &ArgumentError{
				Path: plan.Attr("tiers").Key(tier).Attr("tag"),
				Err: fmt.Errorf("category %q: %w", n.Category, &transport.NameError{
					What:  "tag",
					Name:  name,
					Err:   vsphere.ErrNotFound,
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

// findPairing returns the ID of the only pairing that connects two vCenters.
func (r Reader) findPairing(ctx context.Context) (string, error) {
	all, err := r.Replication.Pairings(ctx)
	if err != nil {
		return "", err
	}
	var ids []string
	for _, p := range all {
		if !p.IsSingleVCenter() {
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
		Path:   plan.Attr("pairing_id"),
		Advice: "Set pairing_id, unless exactly one pairing connects two vCenters.",
		Err:    fmt.Errorf("expected one pairing of two vCenters, got: %s", names),
	}
}
