package doctor

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
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
	{"protocol", checkProtocol},
	{"older-protocol", checkOlderProtocol},
	{"linked-vcenters", checkLinkedVCenters},
	{"tag-not-found", func(ctx context.Context, v *vcenterExaminer) (Result, string) {
		_, err := v.client.Tag(ctx, vsphere.NewTagID())
		return checkNotFound(err, "Reading a nonexistent tag")
	}},
	{"category-not-found", func(ctx context.Context, v *vcenterExaminer) (Result, string) {
		_, err := v.client.CountTags(ctx, vsphere.NewCategoryID())
		return checkNotFound(err, "Listing the tags of a nonexistent category")
	}},
	{"listing-not-found", func(ctx context.Context, v *vcenterExaminer) (Result, string) {
		_, err := v.client.ObjectsWithTag(ctx, vsphere.NewTagID())
		return checkNotFound(err, "Listing the objects of a nonexistent tag")
	}},
	{"no-such-operation", checkNoSuchOperation},
	{"gone-object", checkMissingObject},
	{"all-object-types", checkAllObjectTypes},
	{"library-types", checkLibraryTypes},
	{"association-listing", checkAssociationListing},
	{"tag-listing", checkTagListing},
	{"default-page", checkDefaultPage},
	{"largest-page", checkLargestPage},
	{"stale-marker", checkStaleMarker},
	{"names-look-up", checkNameLookup},
}

func unreadable(err error) (Result, string) { return Unknown, "The read failed: " + reason(err) + "." }

const (
	release70 = 70
	release80 = 80
	release90 = 90
)

func checkProtocol(_ context.Context, v *vcenterExaminer) (Result, string) {
	path := v.client.Protocol()
	switch {
	case path == "" || v.release == 0:
		return Unknown, "The release or the path of the tagging API is unknown."
	case path == "/rest" && v.release >= release80:
		return Differs, "Tagging is available only under /rest, although the release is 8.0 or later."
	case path == "/rest":
		return OK, "Tagging uses /rest, as expected before 8.0."
	default:
		return OK, "Tagging uses /api, which vsla tries first."
	}
}

// checkOlderProtocol also verifies that both protocols accept the same session.
func checkOlderProtocol(ctx context.Context, v *vcenterExaminer) (Result, string) {
	var answer struct {
		Value []string `json:"value"`
	}
	err := v.client.Get(ctx, olderCategories, nil, &answer)
	switch {
	case err == nil && len(answer.Value) == len(v.categories):
		return OK, "The path /rest is still available and accepts the same session."
	case err == nil:
		return Differs, "The path /rest lists a different number of categories."
	case errors.Is(err, vsphere.ErrNoOperation):
		return Differs, "The path /rest is no longer available."
	case errors.Is(err, transport.ErrSession):
		return Differs, "The path /rest does not accept the session."
	default:
		return unreadable(err)
	}
}

func checkLinkedVCenters(ctx context.Context, v *vcenterExaminer) (Result, string) {
	n, isKnown, err := v.client.LinkedNodes(ctx)
	switch {
	case err != nil:
		return unreadable(err)
	case !isKnown:
		return Unknown, "vCenter does not report linked vCenters (before 7.0 Update 2, or due to missing privileges). " +
			"vsla warns before it deletes a tag."
	case n > 1:
		return OK, fmt.Sprintf("%d vCenters share tags. vsla deletes a tag only if force_destroy is set.", n)
	default:
		return OK, "No other vCenter shares tags with this one."
	}
}

func checkNotFound(err error, what string) (Result, string) {
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
		return Differs, "Reading the tags of a nonexistent VM is denied, and the inventory does not confirm that the VM " +
			"does not exist."
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

// checkOffered verifies that an operation exists if the release is the given one or later, and does not exist if it is
// earlier. err is the error that the operation returned.
func checkOffered(v *vcenterExaminer, since int, err error) (Result, string) {
	const name = "The operation"
	exists := !errors.Is(err, vsphere.ErrNoOperation) && !errors.Is(err, transport.ErrNotFound)
	switch {
	case err != nil && exists:
		return unreadable(err)
	case v.release == 0:
		return Unknown, "The release is unknown."
	case exists != (v.release >= since):
		if exists {
			return Differs, name + " exists, although it is not expected in this release."
		}
		return Differs, name + " does not exist, although it is expected in this release."
	case exists:
		return OK, name + " exists, as expected in this release."
	default:
		return OK, name + " does not exist, as expected in this release. vsla uses other operations."
	}
}

func checkAssociationListing(ctx context.Context, v *vcenterExaminer) (Result, string) {
	var answer struct {
		Status string `json:"status"`
	}
	err := v.client.Get(ctx, associationsPath, nil, &answer)
	if err == nil && !slices.Contains([]string{"READY", "END_OF_DATA"}, answer.Status) {
		return Differs, "The listing of all associations has a status that vsla does not support."
	}
	return checkOffered(v, release70, err)
}

type tagPage struct {
	Items []struct {
		Tag string `json:"tag"`
	} `json:"items"`
	Marker string `json:"marker"`
}

func (v *vcenterExaminer) readPage(ctx context.Context, query url.Values) (tagPage, error) {
	var answer tagPage
	err := v.client.Get(ctx, tagsPath, query, &answer)
	return answer, err
}

func checkTagListing(ctx context.Context, v *vcenterExaminer) (Result, string) {
	_, err := v.readPage(ctx, url.Values{"page_size": {"1"}})
	return checkOffered(v, release90, err)
}

func listingError(err error) (Result, string) {
	if errors.Is(err, vsphere.ErrNoOperation) {
		return Unknown, "This release does not support listing tags with their names."
	}
	return unreadable(err)
}

const (
	documentedPageSize = 20
	vslaPageSize       = 1000
)

func checkDefaultPage(ctx context.Context, v *vcenterExaminer) (Result, string) {
	p, err := v.readPage(ctx, nil)
	switch {
	case err != nil:
		return listingError(err)
	case len(p.Items) > documentedPageSize:
		return Differs, fmt.Sprintf("The default page has %d tags.", len(p.Items))
	case p.Marker == "":
		return Unknown, "All tags fit on one page, so the default page size is unknown."
	default:
		return OK, fmt.Sprintf("The default page has %d tags and a marker.", len(p.Items))
	}
}

func checkLargestPage(ctx context.Context, v *vcenterExaminer) (Result, string) {
	p, err := v.readPage(ctx, url.Values{"page_size": {strconv.Itoa(vslaPageSize)}})
	switch {
	case errors.Is(err, transport.ErrInvalid):
		return Differs, "The page size of 1,000, which vsla uses, is rejected: " + reason(err) + "."
	case err != nil:
		return listingError(err)
	case len(p.Items) > vslaPageSize:
		return Differs, "A page has more tags than requested."
	default:
		return OK, fmt.Sprintf("The page size of 1,000 is accepted. The page has %s.", countText(len(p.Items), "tag", "tags"))
	}
}

func checkStaleMarker(ctx context.Context, v *vcenterExaminer) (Result, string) {
	_, err := v.readPage(ctx, url.Values{"marker": {uuid.NewString()}})
	switch {
	case err == nil:
		return Differs, "A marker that vCenter never issued is accepted."
	case errors.Is(err, vsphere.ErrNoOperation):
		return listingError(err)
	case errors.Is(err, transport.ErrNotFound):
		return OK, "An invalid marker returns 404, so vsla restarts the listing."
	default:
		return Differs, "An invalid marker returns an unexpected response: " + reason(err) + "."
	}
}

func checkNameLookup(ctx context.Context, v *vcenterExaminer) (Result, string) {
	p, err := v.readPage(ctx, url.Values{"names": {"vsla-" + uuid.NewString()}})
	switch {
	case errors.Is(err, transport.ErrInvalid):
		return Differs, "Looking up tags by name is rejected: " + reason(err) + "."
	case err != nil:
		return listingError(err)
	case len(p.Items) > 0:
		return Differs, "Looking up a nonexistent tag name returns tags."
	default:
		return OK, "Looking up a nonexistent tag name returns an empty list."
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
