package vsphere

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/vmware/govmomi/find"
	"github.com/vmware/govmomi/object"
	"github.com/vmware/govmomi/vim25/types"

	"terraform-provider-vsla/internal/transport"
)

// pathEscaper escapes characters that are not yet escaped, except the separator "/".
var pathEscaper = strings.NewReplacer("%2f", "%2f", "%2F", "%2f", "%5c", "%5c", "%5C", "%5c", "%25", "%25",
	`\`, "%5c", "%", "%25")

func (i inventory) find(ctx context.Context, kind, name string) (types.ManagedObjectReference, error) {
	finder, escaped := find.NewFinder(i.vim), pathEscaper.Replace(name)
	var (
		ref types.ManagedObjectReference
		err error
	)
	if kind == "folder" {
		var folder *object.Folder
		if folder, err = finder.Folder(ctx, finderPath("vm", escaped)); err == nil {
			ref = folder.Reference()
		}
	} else {
		var cluster *object.ClusterComputeResource
		if cluster, err = finder.ClusterComputeResource(ctx, finderPath("host", escaped)); err == nil {
			ref = cluster.Reference()
		}
	}
	var (
		notFound *find.NotFoundError
		multiple *find.MultipleFoundError
	)
	switch {
	case errors.As(err, &notFound):
		names := i.existingNames(ctx, kind, name)
		return ref, &transport.NameError{What: kind, Name: name, Names: names, Err: ErrNotFound}
	case errors.As(err, &multiple):
		return ref, &transport.NameError{What: kind, Name: name, Err: ErrAmbiguous}
	}
	return ref, err
}

// existingNames returns the names of all folders or clusters for a not-found error, or nil if they cannot be read.
// Folder paths have the same form as name: from the root, or relative to a datacenter's VM folder.
func (i inventory) existingNames(ctx context.Context, kind, name string) (names []string) {
	if kind == "folder" {
		paths, err := i.folderPaths(ctx)
		if err != nil {
			return nil
		}
		for _, path := range paths {
			_, relative, ok := strings.Cut(path, "/vm/")
			switch {
			case ok && strings.HasPrefix(name, "/"):
				names = append(names, path)
			case ok:
				names = append(names, relative)
			}
		}
		return names
	}
	clusters, err := i.namesOf(ctx, "ClusterComputeResource")
	if err != nil {
		return nil
	}
	return slices.Collect(maps.Values(clusters))
}

func finderPath(folder, name string) string {
	if strings.HasPrefix(name, "/") {
		return name
	}
	return "/*/" + folder + "/" + name
}
