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

// mayEndRules reports whether no rule of a protection group uses the tags. It adds an error if a rule does, or if vSAN
// Data Protection is configured but cannot be read.
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
	// Reading groups requires System.Read on their cluster. Missing groups are not a concern, because mayDelete has
	// already verified that the account reads all objects. An error or a list without clusters is a failure.
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

// Groups returns names and clusters of groups that satisfy meant and have a rule with one of the tags.
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
