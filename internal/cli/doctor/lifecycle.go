package doctor

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"

	"github.com/google/uuid"

	"terraform-provider-vsla/internal/transport"
	"terraform-provider-vsla/internal/vsphere"
)

var lifeCycleIDs = []string{
	"write-category", "write-tag", "write-change", "write-list", "write-attach", "write-atomic", "write-delete",
	"write-clean-up",
}

var (
	prefixes = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,39}$`)
	vms      = regexp.MustCompile(`^vm-[0-9]{1,10}$`)
)

// CheckWrite returns an error if the options for the tag life cycle are incomplete or out of range.
func (o Options) CheckWrite() error {
	switch {
	case !o.Write && (o.Prefix != "" || o.VM != ""):
		return errors.New("--prefix and --vm require --write")
	case !o.Write:
		return nil
	case o.Prefix == "":
		return errors.New("--write requires --prefix, the prefix for the names of the created objects")
	case !prefixes.MatchString(o.Prefix):
		return errors.New("--prefix must be 1 to 40 letters, digits, - or _, and must start with a letter or digit")
	case o.VM != "" && !vms.MatchString(o.VM):
		return errors.New("--vm must be the managed object ID of a VM, such as vm-42")
	}
	return nil
}

type lifeCycle struct {
	*vcenterExaminer

	name          string
	category, tag string
}

var errUnexpected = errors.New("unexpected content")

// runLifeCycle creates, changes, lists, attaches, detaches and deletes a tag and its category. It removes both even if
// a step fails or is interrupted.
func (v *vcenterExaminer) runLifeCycle(ctx context.Context) {
	l := &lifeCycle{vcenterExaminer: v, name: v.options.Prefix + "-doctor-" + uuid.NewString()[:8]}
	v.report.Written = true
	l.run(ctx)
	l.cleanUp(ctx)
}

func (l *lifeCycle) run(ctx context.Context) {
	for _, step := range []struct {
		id, ok string
		run    func(context.Context) error
	}{
		{"write-category", "A category was created with an ID that vsla chose, and was read back.", l.createCategory},
		{"write-tag", "A tag was created with an ID that vsla chose, and was read back.", l.createTag},
		{"write-change", "The description of the tag was changed and then set to empty.", l.changeTag},
		{"write-list", "The category lists the tag, and the tag is not attached.", l.checkListing},
		{"write-attach", "The tag was attached to the VM in bulk, reported by both sides, and detached.", l.attachTag},
		{
			"write-atomic",
			"An atomic request attached and detached the tag, or this release does not support it.", l.changeTagsAtomically,
		},
		{"write-delete", "The tag and the category were deleted and no longer exist.", l.deleteBoth},
	} {
		if l.options.VM == "" && (step.id == "write-attach" || step.id == "write-atomic") {
			l.report.addCheck(step.id, Unknown, "--vm is not set, so no tag was attached.")
			continue
		}
		err := step.run(ctx)
		switch {
		case errors.Is(err, errUnexpected):
			l.report.addCheck(step.id, Differs, "The step returned an unexpected result. The remaining steps were skipped.")
		case err != nil:
			l.report.addCheck(step.id, Differs, "The step failed: "+reason(err)+". The remaining steps were skipped.")
		default:
			l.report.addCheck(step.id, OK, step.ok)
			continue
		}
		return
	}
}

func (l *lifeCycle) createCategory(ctx context.Context) error {
	wanted := vsphere.Category{
		Name: l.name, Description: "vsla doctor", Cardinality: vsphere.Single, AssociableTypes: []string{"VirtualMachine"},
	}
	id, err := l.client.CreateCategory(ctx, wanted)
	l.category = id // also after an error, because the category might exist
	if err != nil {
		return err
	}
	wanted.ID = id
	got, err := l.client.Category(ctx, id)
	if err == nil && (got.Name != wanted.Name || got.Cardinality != wanted.Cardinality ||
		!slices.Equal(got.AssociableTypes, wanted.AssociableTypes)) {
		return errUnexpected
	}
	return err
}

func (l *lifeCycle) createTag(ctx context.Context) error {
	wanted := vsphere.Tag{Name: l.name, Description: "vsla doctor", CategoryID: l.category}
	id, err := l.client.CreateTag(ctx, wanted)
	l.tag = id
	if err != nil {
		return err
	}
	wanted.ID = id
	return l.checkTag(ctx, wanted)
}

func (l *lifeCycle) checkTag(ctx context.Context, wanted vsphere.Tag) error {
	got, err := l.client.Tag(ctx, l.tag)
	if err == nil && got != wanted {
		return errUnexpected
	}
	return err
}

func (l *lifeCycle) changeTag(ctx context.Context) error {
	tag := vsphere.Tag{ID: l.tag, Name: l.name, CategoryID: l.category}
	for _, description := range []string{"changed", ""} {
		tag.Description = description
		if err := l.client.UpdateTag(ctx, tag); err != nil {
			return err
		}
		if err := l.checkTag(ctx, tag); err != nil {
			return err
		}
	}
	return nil
}

func (l *lifeCycle) checkListing(ctx context.Context) error {
	tags, err := l.client.TagsOfCategory(ctx, l.category)
	if err != nil {
		return err
	}
	if len(tags) != 1 || tags[0].ID != l.tag {
		return errUnexpected
	}
	return l.checkTagged(ctx, false)
}

func (l *lifeCycle) checkTagged(ctx context.Context, wanted bool) error {
	objects, err := l.client.ObjectsWithTag(ctx, l.tag)
	if err != nil {
		return err
	}
	if l.options.VM == "" {
		if len(objects) > 0 {
			return errUnexpected
		}
		return nil
	}
	tags, err := l.client.TagsOfObject(ctx, l.vm())
	if err != nil {
		return err
	}
	if slices.Contains(objects, l.vm()) != wanted || slices.Contains(tags, l.tag) != wanted {
		return errUnexpected
	}
	return nil
}

func (l *lifeCycle) vm() vsphere.Object {
	return vsphere.Object{Type: "VirtualMachine", ID: l.options.VM}
}

func (l *lifeCycle) attachTag(ctx context.Context) error {
	vm := []vsphere.Object{l.vm()}
	if err := l.client.AttachTag(ctx, l.tag, vm); err != nil {
		return err
	}
	if err := l.checkTagged(ctx, true); err != nil {
		return err
	}
	if err := l.client.DetachTag(ctx, l.tag, vm); err != nil {
		return err
	}
	return l.checkTagged(ctx, false)
}

func (l *lifeCycle) changeTagsAtomically(ctx context.Context) error {
	isOffered, err := l.client.ChangeTags(ctx, l.vm(), nil, []string{l.tag})
	switch {
	case err != nil:
		return err
	case l.release > 0 && isOffered != (l.release >= release91):
		return errUnexpected
	case !isOffered:
		return nil
	}
	if err := l.checkTagged(ctx, true); err != nil {
		return err
	}
	if _, err := l.client.ChangeTags(ctx, l.vm(), []string{l.tag}, nil); err != nil {
		return err
	}
	return l.checkTagged(ctx, false)
}

func (l *lifeCycle) deleteBoth(ctx context.Context) error {
	if err := l.client.DeleteTag(ctx, l.tag); err != nil {
		return err
	}
	if err := l.checkTagDeleted(ctx); err != nil {
		return err
	}
	l.tag = ""
	if err := l.client.DeleteCategory(ctx, l.category); err != nil {
		return err
	}
	if err := l.checkCategoryDeleted(ctx); err != nil {
		return err
	}
	l.category = ""
	return nil
}

func (l *lifeCycle) checkTagDeleted(ctx context.Context) error {
	_, err := l.client.Tag(ctx, l.tag)
	return checkDeleted(err)
}

func (l *lifeCycle) checkCategoryDeleted(ctx context.Context) error {
	_, err := l.client.Category(ctx, l.category)
	return checkDeleted(err)
}

func checkDeleted(readErr error) error {
	switch {
	case readErr == nil:
		return errUnexpected
	case errors.Is(readErr, transport.ErrNotFound):
		return nil
	default:
		return readErr
	}
}

// cleanUp removes the remaining objects, even after a cancellation. It tries twice, because an interrupted create might
// succeed after the first delete. To determine what remains, it reads the objects instead of relying on the results of
// the deletes.
func (l *lifeCycle) cleanUp(ctx context.Context) {
	if l.category == "" {
		return // without a category, there is no tag either
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanUpTimeout)
	defer cancel()
	for range 2 {
		if l.report.Remaining = l.removeAll(ctx); len(l.report.Remaining) == 0 {
			l.report.addCheck("write-clean-up", OK, "All objects created before the failure were removed.")
			return
		}
	}
	l.report.addCheck("write-clean-up", Differs, fmt.Sprintf("%s could not be removed.",
		countText(len(l.report.Remaining), "created object", "created objects")))
}

func (l *lifeCycle) removeAll(ctx context.Context) (remaining []string) {
	if l.tag != "" {
		_ = l.client.DeleteTag(ctx, l.tag)
		if l.checkTagDeleted(ctx) != nil {
			remaining = append(remaining, "the tag "+l.name)
		}
	}
	_ = l.client.DeleteCategory(ctx, l.category)
	if l.checkCategoryDeleted(ctx) == nil {
		return nil // the tag was deleted with its category
	}
	return append(remaining, "the tag category "+l.name)
}
