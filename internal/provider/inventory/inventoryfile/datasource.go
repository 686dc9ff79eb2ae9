// Package inventoryfile implements the data source vsla_inventory_file, which reads VMs from an RVTools, Live Optics
// or generic CSV export. It has the outputs of vsla_virtual_machines and needs no connection.
package inventoryfile

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
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

// Read reads the file. The result may be empty.
func (d *fileDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var config model
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() {
		return
	}
	options, err := config.options()
	if err != nil {
		resp.Diagnostics.AddAttributeError(path.Root("name_regex"), "Invalid Regular Expression",
			"The value does not compile: "+err.Error()+".")
		return
	}
	found, sum, err := read(config.Path.ValueString(), options)
	if err != nil {
		resp.Diagnostics.AddAttributeError(path.Root("path"), "Unable to Read the Inventory File", detail(config, err))
		return
	}
	resp.Diagnostics.Append(config.fill(found)...)
	config.SHA256 = types.StringValue(sum)
	warn(found.Skipped, &resp.Diagnostics)
	if found.Encoding != "" {
		resp.Diagnostics.AddAttributeWarning(path.Root("path"), "Inventory File Is Not UTF-8", fmt.Sprintf(
			"%s was read as %s. If names look wrong, save the file as \"CSV UTF-8\".", config.Path.ValueString(),
			found.Encoding))
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, config)...)
}

// read reads a file and computes its SHA-256 checksum.
func read(name string, options inventoryfile.Options) (found inventoryfile.Inventory, sum string, err error) {
	file, err := os.Open(name) //nolint:gosec // configured by the user
	if err != nil {
		return found, "", err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		return found, "", errors.New("not a regular file")
	}
	if err != nil {
		return found, "", err
	}
	hash := sha256.New()
	if _, err := io.Copy(hash, file); err != nil {
		return found, "", err
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return found, "", err
	}
	found, err = inventoryfile.Read(file, options)
	return found, hex.EncodeToString(hash.Sum(nil)), err
}

// detail returns the remedy for an error.
func detail(config model, err error) string {
	file, badFile := errors.AsType[*inventoryfile.FileError](err)
	cell, badCell := errors.AsType[*inventoryfile.CellError](err)
	switch {
	case badCell:
		return fmt.Sprintf("%s: %s.\n\nCorrect the cell and export the file again.", config.Path.ValueString(), cell)
	case badFile:
		return fmt.Sprintf("%s: %s.", config.Path.ValueString(), file)
	default:
		return fmt.Sprintf("%s. A relative path is relative to Terraform's working directory; \"${path.module}/\" makes "+
			"it relative to the module.", err)
	}
}

// options converts the arguments. It fails if name_regex is invalid, because validation skips unknown values.
func (m *model) options() (inventoryfile.Options, error) {
	o := inventoryfile.Options{
		Format:       m.Format.ValueString(),
		Columns:      texts(m.Columns),
		PowerState:   m.PowerState.ValueString(),
		Cluster:      m.Cluster.ValueString(),
		Datacenter:   m.Datacenter.ValueString(),
		Folder:       m.Folder.ValueString(),
		Templates:    !m.ExcludeTemplates.IsNull() && !m.ExcludeTemplates.ValueBool(),
		Placeholders: !m.ExcludePlaceholders.IsNull() && !m.ExcludePlaceholders.ValueBool(),
	}
	if m.NameRegex.IsNull() {
		return o, nil
	}
	var err error
	o.Name, err = regexp.Compile(m.NameRegex.ValueString())
	return o, err
}
