// Package vsphereprovider reads the state of resources of the vsphere provider, so that moved blocks can migrate them.
package vsphereprovider

import (
	"encoding/json"
	"fmt"
	"path"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
)

// DecodeState decodes the state of a resource of the vsphere provider (hashicorp/vsphere or vmware/vsphere from any
// registry) into target. It returns false if the state belongs to another resource or cannot be read. OpenTofu before
// 1.12.4 passes only the last part of the provider address.
func DecodeState(req resource.MoveStateRequest, typeName string, target any, diags *diag.Diagnostics) bool {
	if req.SourceTypeName != typeName || path.Base(req.SourceProviderAddress) != "vsphere" ||
		req.SourceRawState == nil {
		return false
	}
	if err := json.Unmarshal(req.SourceRawState.JSON, target); err != nil {
		diags.AddError("Unable to Read State of "+typeName, fmt.Sprintf(
			"The state to move is not a valid state of %s: %v. Remove the moved block, and import the object by its "+
				"ID instead.",
			typeName,
			err,
		))
		return false
	}
	return true
}
