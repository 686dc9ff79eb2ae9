package tags

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"terraform-provider-vsla/internal/plan/quantity"
	"terraform-provider-vsla/internal/provider/kit/explain"
	"terraform-provider-vsla/internal/provider/kit/resume"
	"terraform-provider-vsla/internal/vsphere"
	"terraform-provider-vsla/internal/vsphere/ignored"
	"terraform-provider-vsla/internal/vsphere/privilege"
)

const maxNamed = 10

// CreateObject creates missing tags, adopts existing ones if allowed, and resumes an unfinished create.
func (r *tagsResource) CreateObject(
	ctx context.Context, c *vsphere.Client, plan resourceModel, diags *diag.Diagnostics,
) (created resourceModel, save bool) {
	plan.ID = plan.CategoryID
	wanted := plan.descriptions()
	unfinished := r.TakeUnfinished(plan, func(name string) bool {
		_, ok := wanted[name]
		return ok
	})
	if !r.checkIgnored(ctx, c, plan.CategoryID.ValueString(), diags) {
		return plan, false
	}
	existing, err := readCategoryTags(ctx, c, plan.CategoryID.ValueString())
	if err != nil {
		explain.AddError(diags, "Unable to Create Tags", privilege.Read, err)
		return plan, false
	}
	prior := resourceModel{IDs: stringMap(unfinished)}.refreshed(slices.Collect(maps.Values(existing.byID)))
	kept, unwanted := plan.matchIDs(prior)
	work := r.reconciler(plan, unwanted)
	for name, id := range kept {
		work.tagByName[name] = existing.byID[id]
	}
	if !work.adoptExisting(existing.byName, diags) {
		return plan, false
	}
	work.reconcile(ctx, c, diags)
	if !diags.HasError() && len(unwanted) > 0 &&
		r.mayDelete(ctx, c, plan, unwanted, diags) {
		deleteTags(ctx, c, unwanted, diags)
	}
	if diags.HasError() {
		return plan.withTags(work.tagByName), len(work.tagByName) > 0
	}
	plan.IDs = idsOf(work.tagByName)
	return plan, true
}

// UpdateObject renames, updates and creates tags, and deletes tags last.
func (r *tagsResource) UpdateObject(
	ctx context.Context, c *vsphere.Client, plan, state resourceModel, diags *diag.Diagnostics,
) (updated resourceModel, save bool) {
	kept, removed := plan.matchIDs(state)
	work := r.reconciler(plan, removed)
	before := state.descriptions()
	for name, id := range kept {
		description, same := before[name]
		tag := vsphere.Tag{ID: id, Description: description}
		if same {
			tag.Name = name
		}
		work.tagByName[name] = tag
	}
	if !r.mayDelete(ctx, c, plan, removed, diags) {
		return plan, false
	}
	work.reconcile(ctx, c, diags)
	if !diags.HasError() {
		removed = deleteTags(ctx, c, removed, diags)
	}
	if !diags.HasError() {
		plan.IDs = idsOf(work.tagByName)
		return plan, true
	}
	return state.withPartialUpdate(plan, work.tagByName, removed), true
}

func (r *tagsResource) checkIgnored(
	ctx context.Context, c *vsphere.Client, categoryID string, diags *diag.Diagnostics,
) bool {
	at := path.Root("category_id")
	category, err := c.Category(ctx, categoryID)
	if err != nil {
		explain.AddAttributeError(diags, at, "Unable to Create Tags", privilege.Read, err)
		return false
	}
	if r.Clients.Ignored().Match(category.Name) {
		diags.AddAttributeError(
			at,
			"Tag Category Is Ignored",
			fmt.Sprintf("Category %q is excluded by ignore_tag_categories of the provider (%q is always excluded). "+
				"Use another category, or remove this category from the list.", category.Name, ignored.Always),
		)
		return false
	}
	return true
}

type reconciler struct {
	categoryID        string
	descriptionByName map[string]string
	// removed contains the IDs of owned tags that are to be deleted. A tag that turns out to have a planned name is
	// kept.
	removed map[string]string
	// adopting is true if tags that are not owned are adopted. claim reports whether no delete removes such a tag.
	adopting bool
	claim    func(id string) bool
	// tagByName maps planned names to owned tags.
	tagByName map[string]vsphere.Tag
}

func (r *tagsResource) reconciler(plan resourceModel, removed map[string]string) *reconciler {
	return &reconciler{
		categoryID:        plan.CategoryID.ValueString(),
		descriptionByName: plan.descriptions(),
		removed:           removed,
		adopting:          plan.AdoptExisting.ValueBool(),
		claim:             r.ClaimAdopted,
		tagByName:         make(map[string]vsphere.Tag),
	}
}

// adoptExisting takes over existing tags with planned names, and adds an error for those that it may not take over.
func (r *reconciler) adoptExisting(byName map[string]vsphere.Tag, diags *diag.Diagnostics) bool {
	var taken []string
	for name := range r.descriptionByName {
		tag, exists := byName[name]
		if _, owned := r.tagByName[name]; !exists || owned {
			continue
		}
		n := len(r.removed)
		maps.DeleteFunc(r.removed, func(_, id string) bool { return id == tag.ID })
		isOwn := len(r.removed) < n
		if !isOwn && r.adopting {
			isOwn = r.claim(tag.ID)
		}
		if isOwn {
			r.tagByName[name] = tag
		} else {
			taken = append(taken, name)
		}
	}
	switch {
	case len(taken) > 0 && r.adopting:
		explain.AddAttributeError(diags, path.Root("tags"), takenSummary, "",
			fmt.Errorf("%s: %w", quantity.ListOf(taken, maxNamed, strconv.Quote), resume.ErrRemoved))
	case len(taken) > 0:
		diags.AddAttributeError(path.Root("tags"), takenSummary, takenDetail(taken, r.categoryID))
	}
	return len(taken) == 0
}

// reconcile applies the changes. It records completed changes in tagByName and adds a diagnostic for each error.
func (r *reconciler) reconcile(ctx context.Context, c *vsphere.Client, diags *diag.Diagnostics) {
	r.update(ctx, c, diags)
	var missing []vsphere.Tag
	for _, name := range slices.Sorted(maps.Keys(r.descriptionByName)) {
		if _, ok := r.tagByName[name]; !ok {
			missing = append(
				missing,
				vsphere.Tag{Name: name, Description: r.descriptionByName[name], CategoryID: r.categoryID},
			)
		}
	}
	if diags.HasError() || len(missing) == 0 {
		return
	}
	var taken []string
	failed := failures{summary: "Unable to Create Tags", privilege: privilege.CreateTag}
	for _, result := range c.CreateTags(ctx, missing) {
		if result.Done {
			r.tagByName[result.Tag.Name] = result.Tag
		}
		if errors.Is(result.Err, vsphere.ErrConflict) {
			taken = append(taken, result.Tag.Name)
		} else {
			failed.add(result)
		}
	}
	failed.addTo(diags, len(missing))
	if len(taken) == 0 {
		return
	}
	// Another client has created tags since the lookup.
	present, err := readCategoryTags(ctx, c, r.categoryID)
	if err != nil {
		explain.AddError(diags, "Unable to Read Tags", privilege.Read, err)
		return
	}
	if r.adoptExisting(present.byName, diags) {
		r.update(ctx, c, diags)
	}
}

// update sends the changed names and descriptions of existing tags.
func (r *reconciler) update(ctx context.Context, c *vsphere.Client, diags *diag.Diagnostics) {
	var changed []vsphere.Tag
	for _, name := range slices.Sorted(maps.Keys(r.tagByName)) {
		tag := r.tagByName[name]
		description, ok := r.descriptionByName[name]
		hasChanged := tag.Name != name || tag.Description != description
		if ok && hasChanged {
			changed = append(
				changed,
				vsphere.Tag{ID: tag.ID, Name: name, Description: description, CategoryID: r.categoryID},
			)
		}
	}
	failed := failures{summary: "Unable to Change Tags", privilege: privilege.EditTag}
	for _, result := range c.UpdateTags(ctx, changed) {
		if result.Done {
			r.tagByName[result.Tag.Name] = result.Tag
		}
		failed.add(result)
	}
	failed.addTo(diags, len(changed))
}

const takenSummary = "Tags Already Exist"

// takenDetail explains that names of tags are taken in a category.
func takenDetail(taken []string, categoryID string) string {
	slices.Sort(taken)
	return fmt.Sprintf(
		"%d of these tags already exist in the category and are not adopted automatically: %s. Set adopt_existing = "+
			"true to adopt them with their associations. Alternatively, import all tags of the category first:\n\n"+
			"  import {\n    to = %s.NAME\n    id = %s\n  }",
		len(taken),
		quantity.ListOf(taken, maxNamed, strconv.Quote),
		typeName,
		strconv.Quote(categoryID),
	)
}
