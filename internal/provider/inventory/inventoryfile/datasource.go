// Package inventoryfile implements the data source vsla_inventory_file, which reads VMs from an RVTools, Live Optics or
// generic CSV export. It has the same outputs as vsla_virtual_machines but needs no connection.
package inventoryfile

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-vsla/internal/estate/inventoryfile"
)

var _ datasource.DataSource = (*fileDataSource)(nil)

type fileDataSource struct{}

// NewDataSource returns the data source vsla_inventory_file.
func NewDataSource() datasource.DataSource { return &fileDataSource{} }

// Metadata sets the type name.
func (d *fileDataSource) Metadata(_ context.Context, _ datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = "vsla_inventory_file"
}

// Read reads the file. The result can be empty.
func (d *fileDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var config model
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() {
		return
	}
	options, err := config.options()
	if err != nil {
		resp.Diagnostics.AddAttributeError(path.Root("name_regex"), "Invalid Regular Expression",
			"The value is not a valid regular expression: "+err.Error()+".")
		return
	}
	found, err := inventoryfile.ReadPath(config.Path.ValueString(), options)
	var sum []byte
	if err == nil {
		sum, err = inventoryfile.Digest(config.Path.ValueString())
	}
	if err != nil {
		resp.Diagnostics.AddAttributeError(path.Root("path"), "Unable to Read Inventory File", errorDetail(config, err))
		return
	}
	resp.Diagnostics.Append(config.fill(found)...)
	config.SHA256 = types.StringValue(hex.EncodeToString(sum))
	config.warn(found, &resp.Diagnostics)
	if found.Encoding != "" {
		resp.Diagnostics.AddAttributeWarning(path.Root("path"), "Inventory File Is Not UTF-8", fmt.Sprintf(
			"%s was read as %s. If names look wrong, save the file as \"CSV UTF-8\".", config.Path.ValueString(),
			found.Encoding))
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, config)...)
}

func errorDetail(config model, err error) string {
	file, badFile := errors.AsType[*inventoryfile.FileError](err)
	cell, badCell := errors.AsType[*inventoryfile.CellError](err)
	switch {
	case badCell:
		return fmt.Sprintf("%s: %s.\n\nCorrect the cell and export the file again.", config.Path.ValueString(), cell)
	case badFile:
		return fmt.Sprintf("%s: %s.", config.Path.ValueString(), file)
	default:
		return fmt.Sprintf("%s. Relative paths start at the working directory of Terraform. For a path in the "+
			"module, use \"${path.module}/\".", err)
	}
}

// options converts the arguments. It compiles name_regex again, because the validator skips unknown values.
func (m *model) options() (inventoryfile.Options, error) {
	o := inventoryfile.Options{
		Format:         m.Format.ValueString(),
		Columns:        stringMap(m.Columns),
		PowerState:     m.PowerState.ValueString(),
		Cluster:        m.Cluster.ValueString(),
		Datacenter:     m.Datacenter.ValueString(),
		Folder:         m.Folder.ValueString(),
		Templates:      !m.ExcludeTemplates.IsNull() && !m.ExcludeTemplates.ValueBool(),
		Placeholders:   !m.ExcludePlaceholders.IsNull() && !m.ExcludePlaceholders.ValueBool(),
		DuplicateNames: m.AllowDuplicateNames.ValueBool(),
	}
	if m.NameRegex.IsNull() {
		return o, nil
	}
	var err error
	o.Name, err = regexp.Compile(m.NameRegex.ValueString())
	return o, err
}

func stringMap(m types.Map) map[string]string {
	values := make(map[string]string, len(m.Elements()))
	for key, value := range m.Elements() {
		if s, ok := value.(types.String); ok {
			values[key] = s.ValueString()
		}
	}
	return values
}
