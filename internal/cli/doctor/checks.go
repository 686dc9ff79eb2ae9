package doctor

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"

	"github.com/google/uuid"

	"terraform-provider-vsla/internal/transport"
	"terraform-provider-vsla/internal/vsphere"
)

type check struct {
	id  string
	run func(context.Context, *vcenterExaminer) (Result, string)
}

// vcenterChecks run in this order. Their IDs must never change, because published reports contain them.
var vcenterChecks = []check{
	{"protocol", checkProtocol},
	{"older-protocol", checkOlderProtocol},
	{"linked-vcenters", checkLinkedVCenters},
	{"tag-not-found", func(ctx context.Context, v *vcenterExaminer) (Result, string) {
		_, err := v.client.Tag(ctx, vsphere.NewTagID())
		return checkNotFound(err, "A tag that does not exist")
	}},
	{"category-not-found", func(ctx context.Context, v *vcenterExaminer) (Result, string) {
		_, err := v.client.CountTags(ctx, vsphere.NewCategoryID())
		return checkNotFound(err, "Listing the tags of a category that does not exist")
	}},
	{"listing-not-found", func(ctx context.Context, v *vcenterExaminer) (Result, string) {
		_, err := v.client.ObjectsWithTag(ctx, vsphere.NewTagID())
		return checkNotFound(err, "Listing the objects of a tag that does not exist")
	}},
	{"no-such-operation", checkNoSuchOperation},
	{"gone-object", checkMissingObject},
	{"all-object-types", checkAllObjectTypes},
	{"association-listing", checkAssociationListing},
	{"tag-listing", checkTagListing},
	{"default-page", checkDefaultPage},
	{"largest-page", checkLargestPage},
	{"stale-marker", checkStaleMarker},
	{"names-look-up", checkNameLookup},
}

func unreadable(err error) (Result, string) {
	return Unknown, "This could not be read: " + reason(err) + "."
}

const (
	release70 = 70
	release80 = 80
	release90 = 90
	release91 = 91
)

func checkProtocol(_ context.Context, v *vcenterExaminer) (Result, string) {
	path := v.client.Protocol()
	switch {
	case path == "" || v.release == 0:
		return Unknown, "The release or the path of tagging is not known."
	case path == "/rest" && v.release >= release80:
		return Differs, "Tagging is below /rest only, although the release is 8.0 or later."
	case path == "/rest":
		return OK, "Tagging is below /rest, as expected before 8.0."
	default:
		return OK, "Tagging is below /api, which vsla tries first."
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
		return OK, "The form below /rest answers as well, and accepts the same session."
	case err == nil:
		return Differs, "The form below /rest lists another number of categories."
	case errors.Is(err, vsphere.ErrNoOperation):
		return Differs, "The form below /rest does not exist any more."
	case errors.Is(err, transport.ErrSession):
		return Differs, "The form below /rest does not accept the session."
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
		return Unknown, "vCenter does not report whether others are linked with it (before 7.0 Update 2, or not to this " +
			"user): vsla warns before it deletes a tag."
	case n > 1:
		return OK, fmt.Sprintf("%d vCenters share tags: vsla does not delete a tag without force_destroy.", n)
	default:
		return OK, "No other vCenter shares tags with this one."
	}
}

func checkNotFound(err error, what string) (Result, string) {
	answer, ok := transport.AsAPIError(err)
	switch {
	case err == nil:
		return Differs, what + " is answered as if it existed."
	case errors.Is(err, transport.ErrNotFound) && ok && answer.Type != "":
		return OK, what + " is answered with 404 and its type, so vsla can drop it from state."
	case errors.Is(err, transport.ErrNotFound):
		return OK, what + " is answered with a 404 without a type, which vsla confirms by a listing."
	default:
		return Differs, what + " is answered in another way: " + reason(err) + "."
	}
}

func checkNoSuchOperation(ctx context.Context, v *vcenterExaminer) (Result, string) {
	err := v.client.Get(ctx, absentPath, nil, nil)
	switch {
	case errors.Is(err, vsphere.ErrNoOperation):
		return OK, "An operation that does not exist is recognised, and never taken for an object that is gone."
	case err == nil, errors.Is(err, transport.ErrNotFound):
		return Differs, "An operation that does not exist looks like an object that is gone: " + reason(err) + "."
	default:
		return Differs, "An operation that does not exist is answered in another way: " + reason(err) + "."
	}
}

// checkMissingObject reads the tags of a VM whose ID does not exist in any vCenter.
func checkMissingObject(ctx context.Context, v *vcenterExaminer) (Result, string) {
	_, err := v.client.TagsOfObject(ctx, vsphere.Object{Type: "VirtualMachine", ID: "vm-2147483647"})
	switch {
	case errors.Is(err, vsphere.ErrObjectGone):
		return OK, "The tags of a VM that is gone are refused, and the inventory confirms that it is gone."
	case err == nil:
		return OK, "The tags of a VM that is gone are an empty list."
	case errors.Is(err, transport.ErrPermission):
		return Differs, "The tags of a VM that is gone are refused, and the inventory does not say that it is gone."
	default:
		return Differs, "The tags of a VM that is gone are answered in another way: " + reason(err) + "."
	}
}

const (
	// sampledCategories is the maximum number of categories that are read.
	sampledCategories = 20
	// minAllTypes is the minimum length of a type list that might represent all types.
	minAllTypes = 10
)

func checkAllObjectTypes(ctx context.Context, v *vcenterExaminer) (Result, string) {
	long, other := 0, 0
	for _, id := range v.categories[:min(sampledCategories, len(v.categories))] {
		category, err := v.client.Category(ctx, id)
		switch {
		case errors.Is(err, transport.ErrNotFound):
			continue // the category has been deleted in the meantime
		case err != nil:
			return unreadable(err)
		case len(category.AssociableTypes) < minAllTypes:
		case vsphere.AllowsAllTypes(category.AssociableTypes):
			long++
		default:
			other++
		}
	}
	switch {
	case other > 0:
		return Differs, fmt.Sprintf("%s many object types, but not those that vsla takes for all.",
			countText(other, "category lists", "categories list"))
	case long > 0:
		return OK, fmt.Sprintf("%s all object types by name, and vsla recognises the list.",
			countText(long, "category lists", "categories list"))
	default:
		return Unknown, "None of the categories that were read lists all object types by name."
	}
}

// checkOffered verifies that an operation exists exactly in the releases from since on. err is the result of the
// operation.
func checkOffered(v *vcenterExaminer, since int, err error) (Result, string) {
	const name = "The operation"
	exists := !errors.Is(err, vsphere.ErrNoOperation) && !errors.Is(err, transport.ErrNotFound)
	switch {
	case err != nil && exists:
		return unreadable(err)
	case v.release == 0:
		return Unknown, "The release is not known."
	case exists != (v.release >= since):
		if exists {
			return Differs, name + " exists, although the release is earlier than expected."
		}
		return Differs, name + " does not exist, although the release should have it."
	case exists:
		return OK, name + " exists, as the release promises."
	default:
		return OK, name + " does not exist, as expected of the release; vsla has another way."
	}
}

func checkAssociationListing(ctx context.Context, v *vcenterExaminer) (Result, string) {
	var answer struct {
		Status string `json:"status"`
	}
	err := v.client.Get(ctx, associationsPath, nil, &answer)
	if err == nil && !slices.Contains([]string{"READY", "END_OF_DATA"}, answer.Status) {
		return Differs, "The listing of all associations has a status that vsla does not know."
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
		return Unknown, "The release has no listing of tags with their names."
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
		return Differs, fmt.Sprintf("A page without page_size has %d tags.", len(p.Items))
	case p.Marker == "":
		return Unknown, "All tags fit on one page, so its size cannot be seen."
	default:
		return OK, fmt.Sprintf("A page without page_size has %d tags and a marker.", len(p.Items))
	}
}

func checkLargestPage(ctx context.Context, v *vcenterExaminer) (Result, string) {
	p, err := v.readPage(ctx, url.Values{"page_size": {strconv.Itoa(vslaPageSize)}})
	switch {
	case errors.Is(err, transport.ErrInvalid):
		return Differs, "A page of 1,000 tags, as vsla asks for, is refused: " + reason(err) + "."
	case err != nil:
		return listingError(err)
	case len(p.Items) > vslaPageSize:
		return Differs, "A page has more tags than were asked for."
	default:
		return OK, fmt.Sprintf("A page of 1,000 tags is accepted, and has %d.", len(p.Items))
	}
}

func checkStaleMarker(ctx context.Context, v *vcenterExaminer) (Result, string) {
	_, err := v.readPage(ctx, url.Values{"marker": {uuid.NewString()}})
	switch {
	case err == nil:
		return Differs, "A marker that was never given out is accepted."
	case errors.Is(err, vsphere.ErrNoOperation):
		return listingError(err)
	case errors.Is(err, transport.ErrNotFound):
		return OK, "A marker that is not valid is answered with 404, so vsla starts the listing again."
	default:
		return Differs, "A marker that is not valid is answered in another way: " + reason(err) + "."
	}
}

func checkNameLookup(ctx context.Context, v *vcenterExaminer) (Result, string) {
	p, err := v.readPage(ctx, url.Values{"names": {"vsla-" + uuid.NewString()}})
	switch {
	case errors.Is(err, transport.ErrInvalid):
		return Differs, "Looking up a tag by its name is refused: " + reason(err) + "."
	case err != nil:
		return listingError(err)
	case len(p.Items) > 0:
		return Differs, "Looking up a name that no tag has returns tags."
	default:
		return OK, "Looking up a name that no tag has returns an empty list."
	}
}

// checkEndedSession logs out, so it must run last.
func checkEndedSession(ctx context.Context, v *vcenterExaminer) (Result, string) {
	switch err := v.client.ProbeAfterLogout(ctx); {
	case errors.Is(err, transport.ErrSession):
		return OK, "A session that has ended is recognised (" + reason(err) + "), and vsla logs in again."
	default:
		return Differs, "A session that has ended is answered in another way: " + reason(err) + "."
	}
}
