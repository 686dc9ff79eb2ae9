package vsphere

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"terraform-provider-vsla/internal/transport"
)

// Category cardinalities. An object can have at most one tag of a Single category, and any number of tags of a Multiple
// category.
const (
	Single   = "SINGLE"
	Multiple = "MULTIPLE"
)

// typePrefix precedes object types in requests. vCenter has required it since 7.0 U1, but omits it from responses. The
// simulator returns types as they were sent.
const typePrefix = "urn:vim25:"

// Category is a tag category.
type Category struct {
	ID, Name, Description string
	// Cardinality is Single or Multiple.
	Cardinality string
	// AssociableTypes lists managed object types without the prefix, for example "VirtualMachine", in vCenter's order.
	// An empty list allows all types.
	AssociableTypes []string
}

type wireCategory struct {
	ID              string   `json:"id,omitempty"`
	CategoryID      string   `json:"category_id,omitempty"`
	Name            string   `json:"name"`
	Description     string   `json:"description"`
	Cardinality     string   `json:"cardinality"`
	AssociableTypes []string `json:"associable_types"`
}

func (w wireCategory) category() Category {
	c := Category{ID: w.ID, Name: w.Name, Description: w.Description, Cardinality: w.Cardinality}
	for _, t := range w.AssociableTypes {
		c.AssociableTypes = append(c.AssociableTypes, ObjectType(t))
	}
	return c
}

// allTypes is the list that the vSphere Client sends for "all objects". vCenter stores it as it is, not as an empty
// list.
var allTypes = []string{
	"ClusterComputeResource", "Datacenter", "Datastore", "DistributedVirtualPortgroup", "DistributedVirtualSwitch",
	"Folder", "HostNetwork", "HostSystem", "Network", "OpaqueNetwork", "ResourcePool", "StoragePod", "VirtualApp",
	"VirtualMachine", "VmwareDistributedVirtualSwitch", "com.vmware.content.Library", "com.vmware.content.library.Item",
}

// ObjectTypes returns the object types that tags can be attached to, sorted.
func ObjectTypes() []string { return slices.Clone(allTypes) }

// AllowsAllTypes reports whether a list allows every object type, because it is either empty or the list that the
// vSphere Client sends for "all objects".
func AllowsAllTypes(list []string) bool {
	if len(list) == 0 {
		return true
	}
	list = slices.Sorted(slices.Values(list))
	return slices.Equal(slices.Compact(list), allTypes)
}

func (c Category) toWire() wireCategory {
	// vCenter rejects a missing list. An empty list allows every type.
	w := wireCategory{Name: c.Name, Description: c.Description, Cardinality: c.Cardinality, AssociableTypes: []string{}}
	for _, t := range c.AssociableTypes {
		w.AssociableTypes = append(w.AssociableTypes, typePrefix+t)
	}
	return w
}

// ObjectType converts "urn:vim25:VirtualMachine", with or without a trailing colon or server ID, to "VirtualMachine".
func ObjectType(t string) string {
	t, _, _ = strings.Cut(strings.TrimPrefix(t, typePrefix), ":")
	return t
}

// CreateCategory creates a category and returns its ID. It is safe to retry. The ID is also returned with ErrUncertain,
// because the category may exist. Other errors: ErrConflict, ErrPermission, ErrInvalid.
func (c *Client) CreateCategory(ctx context.Context, category Category) (string, error) {
	spec := category.toWire()
	spec.CategoryID = newURN("InventoryServiceCategory")
	return c.create(ctx, categoryPath, spec.CategoryID, category.Name, spec)
}

// Category reads a category by ID. Errors: ErrNotFound, ErrPermission.
func (c *Client) Category(ctx context.Context, id string) (Category, error) {
	var w wireCategory
	_, err := c.call(ctx, request{method: http.MethodGet, path: categoryPath, id: id}, &w)
	return w.category(), err
}

// CategoryByName returns the category with the given name. It sends one listing request and, before vCenter 9.0, one
// more request for each category. The result is cached until this client changes a category or tag. Errors:
// ErrNotFound, ErrAmbiguous, ErrPermission.
func (c *Client) CategoryByName(ctx context.Context, name string) (Category, error) {
	all, err := c.categories(ctx)
	if err != nil {
		return Category{}, err
	}
	return findByName(all, "category", name, func(category Category) string { return category.Name })
}

// findByName returns the only element with the given name. A name can be ambiguous, because two vCenters in Enhanced
// Linked Mode can create objects with the same name before they synchronize.
func findByName[T any](all []T, what, name string, nameOf func(T) string) (T, error) {
	matches := func(item T) bool { return nameOf(item) == name }
	at := slices.IndexFunc(all, matches)
	switch {
	case at < 0:
		names := make([]string, 0, len(all))
		for _, item := range all {
			names = append(names, nameOf(item))
		}
		return *new(T), &transport.NameError{What: what, Name: name, Names: names, Err: ErrNotFound}
	case slices.ContainsFunc(all[at+1:], matches):
		return *new(T), &transport.NameError{What: what, Name: name, Err: ErrAmbiguous}
	}
	return all[at], nil
}

// UpdateCategory sets the name, description, cardinality and associable types. It is idempotent. Existing types keep
// their order, because the simulator requires it. Errors: ErrInvalid for a change from Multiple to Single and for the
// removal of a type, ErrNotFound, ErrConflict if the name is taken, ErrPermission.
func (c *Client) UpdateCategory(ctx context.Context, category Category) error {
	c.dropCaches()
	defer c.dropCaches()
	current, err := c.Category(ctx, category.ID)
	if err != nil {
		return err
	}
	if AllowsAllTypes(current.AssociableTypes) && AllowsAllTypes(category.AssociableTypes) {
		// Replacing an empty list with an explicit one would remove types.
		category.AssociableTypes = current.AssociableTypes
	}
	category.AssociableTypes = orderLike(current.AssociableTypes, category.AssociableTypes)
	r := request{method: http.MethodPatch, path: categoryPath, id: category.ID, spec: category.toWire()}
	_, err = c.call(ctx, r, nil)
	return err
}

// DeleteCategory deletes a category, its tags and their associations. A missing category is not an error. Errors:
// ErrPermission.
func (c *Client) DeleteCategory(ctx context.Context, id string) error {
	return c.remove(ctx, categoryPath, id)
}

// The caller must not modify the returned slice.
func (c *Client) categories(ctx context.Context) ([]Category, error) {
	if all, err := c.listCategories(ctx); err != nil || all.supported {
		return all.list, err
	}
	return c.allCategories.Get(ctx, "", c.readCategories)
}

func (c *Client) readCategories(ctx context.Context) ([]Category, error) {
	var ids []string
	if _, err := c.call(ctx, request{method: http.MethodGet, path: categoryPath}, &ids); err != nil {
		return nil, err
	}
	return readAll(ctx, ids, c.Category)
}

// create sends a create request with an ID chosen by the caller. If the name is taken or there is no response, it reads
// the object with that ID to check whether an earlier attempt succeeded.
func (c *Client) create(ctx context.Context, path, chosenID, name string, spec any) (string, error) {
	c.dropCaches()
	defer c.dropCaches()
	var id string
	o, err := c.call(ctx, request{method: http.MethodPost, path: path, spec: spec}, &id)
	if err == nil {
		if id == "" {
			id = chosenID
		}
		return id, nil
	}
	mayExist := o.sent && (errors.Is(err, ErrUnavailable) || errors.Is(err, ErrUncertain) || ctx.Err() != nil)
	if !mayExist && !errors.Is(err, ErrConflict) {
		return "", err
	}
	var found struct {
		Name string `json:"name"`
	}
	_, readErr := c.call(ctx, request{method: http.MethodGet, path: path, id: chosenID, isFinal: isUnsupported}, &found)
	switch {
	case readErr == nil && found.Name == name:
		return chosenID, nil
	case mayExist && !errors.Is(readErr, ErrNotFound):
		return chosenID, fmt.Errorf("%w: %w", ErrUncertain, err)
	default:
		return "", err
	}
}

func (c *Client) remove(ctx context.Context, path, id string) error {
	c.dropCaches()
	defer c.dropCaches()
	_, err := c.call(ctx, request{method: http.MethodDelete, path: path, id: id}, nil)
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	return err
}

func orderLike(known, wanted []string) []string {
	rest := make(map[string]bool, len(wanted))
	for _, w := range wanted {
		rest[w] = true
	}
	var ordered []string
	for _, list := range [][]string{known, wanted} {
		for _, t := range list {
			if rest[t] {
				ordered = append(ordered, t)
				delete(rest, t)
			}
		}
	}
	return ordered
}
