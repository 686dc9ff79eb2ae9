// Package vsphereprovider reads what the vsphere provider has written: the states that a `moved` block hands over.
package vsphereprovider

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
)

// Moved decodes the state of a resource of the vsphere provider (hashicorp/vsphere or vmware/vsphere, of any
// registry) into target, which has JSON tags. It is false when the request is about something else, or the state
// cannot be read.
func Moved(req resource.MoveStateRequest, typeName string, target any, diags *diag.Diagnostics) bool {
	if req.SourceTypeName != typeName || !strings.HasSuffix(req.SourceProviderAddress, "/vsphere") ||
		req.SourceRawState == nil {
		return false
	}
	if err := json.Unmarshal(req.SourceRawState.JSON, target); err != nil {
		diags.AddError(
			"Unreadable State of "+typeName,
			fmt.Sprintf(
				"The state to move is not the one that %s writes: %v. Remove the moved block, and import the object by its id "+
					"instead.",
				typeName,
				err,
			),
		)
		return false
	}
	return true
}
