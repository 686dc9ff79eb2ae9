package doctor

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/google/uuid"

	"terraform-provider-vsla/internal/transport"
	"terraform-provider-vsla/internal/vsphere"
)

type check struct {
	id  string
	run func(context.Context, *vcenterExaminer) (Result, string)
}

// vcenterChecks lists the vCenter checks in the order in which they run. Their IDs must never change, because published
// reports contain them.
var vcenterChecks = []check{
	{"linked-vcenters", checkLinkedVCenters},
	{"tag-not-found", checkMissingTag},
	{"no-such-operation", checkNoSuchOperation},
	{"gone-object", checkMissingObject},
	{"all-object-types", checkAllObjectTypes},
	{"library-types", checkLibraryTypes},
	{"stale-marker", checkStaleMarker},
}

func unreadable(err error) (Result, string) { return Unknown, "The read failed: " + reason(err) + "." }

func checkLinkedVCenters(ctx context.Context, v *vcenterExaminer) (Result, string) {
	n, isKnown, err := v.client.LinkedNodes(ctx)
	switch {
	case err != nil:
		return unreadable(err)
	case !isKnown:
		return Unknown, "vCenter does not report linked vCenters (before 7.0 Update 2, or due to missing " +
			"privileges). vsla warns before it deletes a tag."
	case n > 1:
		return OK, fmt.Sprintf("%d vCenters share tags. vsla deletes a tag only if force_destroy is set.", n)
	default:
		return OK, "No other vCenter shares tags with this one."
	}
}

func checkMissingTag(ctx context.Context, v *vcenterExaminer) (Result, string) {
	const what = "Reading a nonexistent tag"
	_, err := v.client.Tag(ctx, vsphere.NewTagID())
	answer, ok := transport.AsAPIError(err)
	switch {
	case err == nil:
		return Differs, what + " succeeds."
	case errors.Is(err, transport.ErrNotFound) && ok && answer.Type != "":
		return OK, what + " returns 404 with an error type, so vsla can remove the object from state."
	case errors.Is(err, transport.ErrNotFound):
		return OK, what + " returns 404 without an error type, so vsla confirms it with a listing."
	default:
		return Differs, what + " returns an unexpected response: " + reason(err) + "."
	}
}

func checkNoSuchOperation(ctx context.Context, v *vcenterExaminer) (Result, string) {
	err := v.client.Get(ctx, absentPath, nil, nil)
	switch {
	case errors.Is(err, vsphere.ErrNoOperation):
		return OK, "A nonexistent operation is recognized and not confused with a deleted object."
	case err == nil:
		return Differs, "A nonexistent operation succeeds."
	case errors.Is(err, transport.ErrNotFound):
		return Differs, "A nonexistent operation looks like a deleted object: " + reason(err) + "."
	default:
		return Differs, "A nonexistent operation returns an unexpected response: " + reason(err) + "."
	}
}

// checkMissingObject reads the tags of a VM whose ID does not exist in any vCenter.
func checkMissingObject(ctx context.Context, v *vcenterExaminer) (Result, string) {
	_, err := v.client.TagsOfObject(ctx, vsphere.Object{Type: "VirtualMachine", ID: "vm-2147483647"})
	switch {
	case errors.Is(err, vsphere.ErrObjectGone):
		return OK, "Reading the tags of a nonexistent VM is denied. The inventory confirms that the VM does not exist."
	case err == nil:
		return OK, "Reading the tags of a nonexistent VM returns an empty list."
	case errors.Is(err, transport.ErrPermission):
		return Differs, "Reading the tags of a nonexistent VM is denied, and the inventory does not confirm that the " +
			"VM does not exist."
	default:
		return Differs, "Reading the tags of a nonexistent VM returns an unexpected response: " + reason(err) + "."
	}
}

const (
	sampledCategories = 20
	// minAllTypes is the minimum length of a list of object types that might be intended to contain all types.
	minAllTypes = 10
)

func checkAllObjectTypes(ctx context.Context, v *vcenterExaminer) (Result, string) {
	lists, err := sampleTypes(ctx, v)
	if err != nil {
		return unreadable(err)
	}
	long, other := 0, 0
	for _, types := range lists {
		switch {
		case len(types) < minAllTypes:
		case vsphere.AllowsAllTypes(types):
			long++
		default:
			other++
		}
	}
	switch {
	case other > 0:
		return Differs, fmt.Sprintf("%s many object types, but vsla does not recognize them as all types.",
			countText(other, "category lists", "categories list"))
	case long > 0:
		return OK, fmt.Sprintf("%s all object types by name, and vsla recognizes the list.",
			countText(long, "category lists", "categories list"))
	default:
		return Unknown, "No category that was read lists all object types by name."
	}
}

// sampleTypes returns the object types of some categories.
func sampleTypes(ctx context.Context, v *vcenterExaminer) ([][]string, error) {
	var lists [][]string
	for _, id := range v.categories[:min(sampledCategories, len(v.categories))] {
		category, err := v.client.Category(ctx, id)
		switch {
		case errors.Is(err, transport.ErrNotFound): // the category has been deleted in the meantime
		case err != nil:
			return nil, err
		default:
			lists = append(lists, category.AssociableTypes)
		}
	}
	return lists, nil
}

var libraryType = regexp.MustCompile(`^[A-Za-z.]*[Ll]ibrary[A-Za-z.]*$`)

// checkLibraryTypes verifies the names of content libraries and their items in the object types of categories.
func checkLibraryTypes(ctx context.Context, v *vcenterExaminer) (Result, string) {
	lists, err := sampleTypes(ctx, v)
	if err != nil {
		return unreadable(err)
	}
	named := slices.Concat(lists...)
	slices.Sort(named)
	named = slices.DeleteFunc(slices.Compact(named), func(t string) bool { return !libraryType.MatchString(t) })
	text := "Content libraries are named " + strings.Join(named, ", ") + "."
	switch {
	case len(named) == 0:
		return Unknown, "No category that was read names content libraries."
	case slices.ContainsFunc(named, func(t string) bool { return !slices.Contains(vsphere.ObjectTypes(), t) }):
		return Differs, text + " vsla uses other names."
	}
	return OK, text
}

func checkStaleMarker(ctx context.Context, v *vcenterExaminer) (Result, string) {
	err := v.client.Get(ctx, tagsPath, url.Values{"marker": {uuid.NewString()}}, nil)
	switch {
	case err == nil:
		return Differs, "A marker that vCenter never issued is accepted."
	case errors.Is(err, vsphere.ErrNoOperation):
		return Unknown, "This release does not support listing tags with their names."
	case errors.Is(err, transport.ErrNotFound):
		return OK, "An invalid marker returns 404, so vsla restarts the listing."
	default:
		return Differs, "An invalid marker returns an unexpected response: " + reason(err) + "."
	}
}

// checkEndedSession logs out, so it must run last.
func checkEndedSession(ctx context.Context, v *vcenterExaminer) (Result, string) {
	switch err := v.client.ProbeAfterLogout(ctx); {
	case errors.Is(err, transport.ErrSession):
		return OK, "An ended session is recognized, and vsla logs in again: " + reason(err) + "."
	default:
		return Differs, "A request in an ended session returns an unexpected response: " + reason(err) + "."
	}
}
