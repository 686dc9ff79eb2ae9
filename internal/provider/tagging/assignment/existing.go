package assignment

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"terraform-provider-vsla/internal/provider/kit/connection"
	"terraform-provider-vsla/internal/provider/kit/destroying"
	"terraform-provider-vsla/internal/transport/reading"
	"terraform-provider-vsla/internal/vsphere"
)

// maxSingleReads is the number of checks for which only the names of the checked objects are read. After that, the
// names of all objects of the type are read once.
const maxSingleReads = 10

// checkedTypes maps the object types whose IDs a plan checks to their nouns.
var checkedTypes = map[string]string{
	"VirtualMachine":         "VM",
	"HostSystem":             "host",
	"ClusterComputeResource": "cluster",
	"Datastore":              "datastore",
}

// objectNames contains the names of objects by ID, by type, and the objects that do not exist. The zero value is empty.
type objectNames struct {
	reads atomic.Int64
	lists reading.Shared[map[string]string]
	gone  sync.Map
}

func (n *objectNames) all(ctx context.Context, c *vsphere.Client, objectType string) (map[string]string, error) {
	return n.lists.Get(ctx, objectType, func(ctx context.Context) (map[string]string, error) {
		return c.ObjectNames(ctx, objectType)
	})
}

// missing returns the IDs that vCenter does not return, in order. For an object that is not in the list of names, it
// asks vCenter once more, because the object may have been created since the list was read.
func (n *objectNames) missing(
	ctx context.Context, c *vsphere.Client, objectType string, ids []string,
) (missing []string, err error) {
	unlisted := ids
	isVM := objectType == "VirtualMachine"
	if !isVM || n.reads.Add(1) > maxSingleReads {
		names, err := n.all(ctx, c, objectType)
		if err != nil {
			return nil, err
		}
		unlisted = without(ids, names)
	}
	if n.areGone(objectType, unlisted) {
		return unlisted, nil
	}
	var names map[string]string
	if isVM {
		names, err = c.VMNames(ctx, unlisted)
	} else {
		names, err = c.ObjectNames(ctx, objectType)
	}
	if err != nil {
		return nil, err
	}
	missing = without(unlisted, names)
	for _, id := range missing {
		n.gone.Store(vsphere.Object{Type: objectType, ID: id}, true)
	}
	return missing, nil
}

// areGone reports whether all objects are known not to exist.
func (n *objectNames) areGone(objectType string, ids []string) bool {
	for _, id := range ids {
		if _, gone := n.gone.Load(vsphere.Object{Type: objectType, ID: id}); !gone {
			return false
		}
	}
	return true
}

func without(ids []string, names map[string]string) []string {
	return slices.DeleteFunc(slices.Clone(ids), func(id string) bool {
		_, found := names[id]
		return found
	})
}

// CheckExist adds an error for each object that the plan adds and that vCenter does not return: at(id) is the path of
// its ID. All objects must have the same type. If the names cannot be read, the apply reports what is missing.
func CheckExist(
	ctx context.Context, clients *connection.Set, objects []vsphere.Object, at func(id string) path.Path,
	diags *diag.Diagnostics,
) {
	missing := Missing(ctx, clients, objects, diags)
	if len(missing) == 0 {
		return
	}
	objectType := objects[0].Type
	names, err := connection.State[objectNames](clients).all(ctx, clients.VSphere(diags), objectType)
	if err != nil {
		return
	}
	addUnknown(
		checkedTypes[objectType],
		missing,
		func(name string) []string { return idsNamed(names, name) },
		at,
		diags,
	)
}

// Missing returns the IDs of the objects that vCenter does not return. All objects must have the same type. A destroy,
// whose plan Terraform discards, and an unconfigured connection check nothing. It returns none if the names cannot be
// read.
func Missing(
	ctx context.Context, clients *connection.Set, objects []vsphere.Object, diags *diag.Diagnostics,
) []string {
	if len(objects) == 0 || checkedTypes[objects[0].Type] == "" || !clients.HasVSphere() || destroying.Now() {
		return nil
	}
	c := clients.VSphere(diags)
	if c == nil {
		return nil
	}
	ids := make([]string, len(objects))
	for i, o := range objects {
		ids[i] = o.ID
	}
	missing, err := connection.State[objectNames](clients).missing(ctx, c, objects[0].Type, ids)
	if err != nil {
		return nil
	}
	return missing
}

// CheckTags adds an error for each tag that the plan adds and that vCenter does not return: at(id) is the path of its
// ID. If the tags cannot be read, the apply reports it.
func CheckTags(
	ctx context.Context, clients *connection.Set, c *vsphere.Client, ids []string, at func(id string) path.Path,
	diags *diag.Diagnostics,
) {
	if destroying.Now() {
		return
	}
	isPath := func(id string) bool { return strings.Contains(id, "/") } // no ID contains a slash
	found, err := LedgerOf(clients).Tags(ctx, c, slices.DeleteFunc(slices.Clone(ids), isPath))
	missing := slices.DeleteFunc(slices.Clone(ids), func(id string) bool {
		_, exists := found[id]
		return exists
	})
	if err != nil || len(missing) == 0 {
		return
	}
	all, err := c.NamedTags(ctx, func(vsphere.Category) bool { return true })
	if err != nil {
		return
	}
	addUnknown("tag", missing, func(name string) (same []string) {
		for _, tag := range all {
			if tag.Name == name || tag.Path() == name {
				same = append(same, tag.ID)
			}
		}
		return same
	}, at, diags)
}

// CheckCategory adds an error for the category of a new tag if vCenter does not return it.
func CheckCategory(
	ctx context.Context, clients *connection.Set, c *vsphere.Client, id string, diags *diag.Diagnostics,
) {
	if _, err := LedgerOf(clients).Category(ctx, c, id); !errors.Is(err, vsphere.ErrNotFound) {
		return // the apply reports other errors
	}
	addUnknown("category", []string{id}, func(name string) []string {
		same, err := c.CategoryByName(ctx, name)
		if err != nil {
			return nil
		}
		return []string{same.ID}
	}, func(string) path.Path { return path.Root("category_id") }, diags)
}

// addUnknown adds an error for each missing ID. named returns the IDs of the objects that have a name.
func addUnknown(
	noun string, missing []string, named func(string) []string, at func(id string) path.Path, diags *diag.Diagnostics,
) {
	for i, id := range missing {
		detail := fmt.Sprintf("%s %q does not exist or is not visible to this account. Check the ID, and that the "+
			"provider is connected to the right vCenter.", upper(noun), id)
		if same := named(id); len(same) > 0 {
			detail = fmt.Sprintf("%q is not the ID of a %s. The %s with this name has the ID %s.", id, noun, noun,
				strings.Join(same, " or "))
		}
		if rest := len(missing) - maxNamed; i == maxNamed-1 && rest > 0 {
			diags.AddAttributeError(at(id), fmt.Sprintf("Unknown %s, and %d More", upper(noun), rest), detail)
			return
		}
		diags.AddAttributeError(at(id), "Unknown "+upper(noun), detail)
	}
}

func idsNamed(names map[string]string, name string) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(names)), func(id string) bool { return names[id] != name })
}

func upper(noun string) string { return strings.ToUpper(noun[:1]) + noun[1:] }
