// Rules of protection groups that name tags.

package guard

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"terraform-provider-vsla/internal/provider/kit/connection"
	"terraform-provider-vsla/internal/provider/kit/explain"
	"terraform-provider-vsla/internal/snapservice"
)

// mayEndRules reports whether tags may be deleted without force_destroy although protection groups could name them. It
// is an error when a rule does, or when that cannot be read where vSAN Data Protection is configured.
func mayEndRules(
	ctx context.Context, clients *connection.Set, diags *diag.Diagnostics, what string, tagIDs []string,
) bool {
	if !clients.HasProtection() || len(tagIDs) == 0 {
		return true
	}
	c := clients.Protection(diags)
	if c == nil {
		return false
	}
	// The groups of a cluster need System.Read on it, so none is believed as far as mayDelete believes that no object
	// carries the tags: its account reads everything. A listing that is refused, or without clusters, is an error.
	all, err := c.AllGroups(ctx)
	if err != nil {
		explain.AddError(diags, "Unable to Read the Rules of Protection Groups", "", err)
		return false
	}
	if groups := Groups(all, tagIDs, func(snapservice.Group) bool { return true }); len(groups) > 0 {
		diags.AddError(what+" Still in Use by Protection Groups", fmt.Sprintf(
			"Rules of protection groups name what would be deleted, so their members would lose their protection, and nothing "+
				"was deleted: %s. Change the rules first, or set force_destroy = true and apply that before the delete.",
			strings.Join(groups, ", ")))
		return false
	}
	return true
}

// Groups returns names and clusters of the groups whose rules name one of the tags, and that are meant.
func Groups(all map[string][]snapservice.Group, tagIDs []string, meant func(snapservice.Group) bool) (names []string) {
	for _, cluster := range slices.Sorted(maps.Keys(all)) {
		for _, g := range all[cluster] {
			if slices.ContainsFunc(tagIDs, g.Names) && meant(g) {
				names = append(names, fmt.Sprintf("group %s of cluster %s", snapservice.Printable(g.Name), cluster))
			}
		}
	}
	return names
}
