// Package objectid implements the provider function replication_object_id.
package objectid

import (
	"context"
	"regexp"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/function"

	"terraform-provider-vsla/internal/provider/kit/types/attribute"
)

var namePattern = regexp.MustCompile(`^[^:\s]+$`)

type objectID struct{}

// NewFunction returns the function replication_object_id.
func NewFunction() function.Function { return objectID{} }

// Metadata sets the function name.
func (objectID) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "replication_object_id"
}

// Definition sets the function definition.
func (objectID) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Summary: "Builds the ID of a vCenter object in vSphere Replication",
		MarkdownDescription: "Returns the ID that vSphere Replication uses for a vCenter object, such as " +
			"`VirtualMachine:vm-42:e594ad24-…`. The ID consists of the managed object type, the managed object ID " +
			"and the instance UUID of the vCenter. For example, use `vsphere_virtual_machine.x.moid` or " +
			"`data.vsphere_datastore.y.id` as the managed object ID.",
		Parameters: []function.Parameter{
			function.StringParameter{
				Name:                "type",
				MarkdownDescription: "Managed object type, such as `VirtualMachine` or `Datastore`.",
			},
			function.StringParameter{Name: "moid", MarkdownDescription: "Managed object ID, such as `vm-42`."},
			function.StringParameter{
				Name:                "vcenter_uuid",
				MarkdownDescription: "Instance UUID of the vCenter of the object.",
			},
		},
		Return: function.StringReturn{},
	}
}

// Run builds the ID.
func (objectID) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var kind, moid, vcenter string
	resp.Error = req.Arguments.Get(ctx, &kind, &moid, &vcenter)
	if resp.Error != nil {
		return
	}
	const requirement = "must not be empty or contain colons or white space"
	switch {
	case !namePattern.MatchString(kind):
		resp.Error = function.NewArgumentFuncError(0, requirement+", as in \"VirtualMachine\"")
	case !namePattern.MatchString(moid):
		resp.Error = function.NewArgumentFuncError(1, requirement+", as in \"vm-42\"")
	case !attribute.UUID.MatchString(vcenter):
		resp.Error = function.NewArgumentFuncError(
			2,
			"must be the vCenter's instance UUID, 8-4-4-4-12 hexadecimal digits",
		)
	default:
		resp.Error = resp.Result.Set(ctx, strings.Join([]string{kind, moid, vcenter}, ":"))
	}
}
