package targets

import (
	"context"
	"fmt"
	"strconv"

	"github.com/hashicorp/terraform-plugin-framework-validators/setvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"golang.org/x/sync/errgroup"

	"terraform-provider-vsla/internal/provider/kit/explain"
	"terraform-provider-vsla/internal/provider/kit/types/attribute"
	"terraform-provider-vsla/internal/vr"
)

const seedsSummary = "Unable to Find Seeds"

type seeds struct {
	selection

	DatastoreID types.String                   `tfsdk:"datastore_id"`
	Folder      types.String                   `tfsdk:"folder"`
	VMIDs       []string                       `tfsdk:"vm_ids"`
	Seeds       map[string]map[string][]string `tfsdk:"seeds"`
}

// NewSeeds returns the data source vsla_replication_seeds.
func NewSeeds() datasource.DataSource {
	return newDataSource("vsla_replication_seeds", seedsSummary, seedsSchema, readSeeds)
}

func seedsSchema() schema.Schema {
	paths := types.ListType{ElemType: types.StringType}
	return schema.Schema{
		MarkdownDescription: "Returns seeds on a target datastore. A seed is an existing disk that reduces the data " +
			"sent by the initial sync. Use it as `seed_path` in `disks` of `vsla_replication`. vSphere Replication " +
			"finds seeds by the file name of the disk and does not check whether the content matches. Takes one " +
			"request per 30 VMs and one per 100 disks.",
		Attributes: map[string]schema.Attribute{
			"pairing_id": attribute.RequiredString("UUID of the pairing.", attribute.IsUUID),
			"vcenter_id": attribute.OptionalComputedString("Instance UUID of the vCenter of the datastore. Defaults " +
				"to the vCenter of the remote site (`remote` of `vsla_replication_pairing`)."),
			"datastore_id": attribute.RequiredString("ID of the target datastore, from `vsla_replication_site`.",
				attribute.IsDatastore),
			"folder": attribute.OptionalString("Folder of the datastore to search. Defaults to the whole datastore.",
				stringvalidator.LengthAtLeast(1)),
			"vm_ids": schema.SetAttribute{
				MarkdownDescription: "IDs of the VMs for whose disks to find seeds, in the form " +
					"`VirtualMachine:vm-42:<instance UUID of its vCenter>`.",
				Required:    true,
				ElementType: types.StringType,
				Validators:  []validator.Set{setvalidator.SizeAtLeast(1), setvalidator.ValueStringsAre(attribute.IsVM)},
			},
			"seeds": schema.MapAttribute{
				MarkdownDescription: "Sorted paths of the seeds, by VM ID and device key of the disk. The list of a " +
					"disk without a seed is empty.",
				Computed:    true,
				ElementType: types.MapType{ElemType: paths},
			},
		},
	}
}

func readSeeds(ctx context.Context, c *vr.Client, config *seeds, diags *diag.Diagnostics) error {
	site, err := config.site(ctx, c)
	if err != nil {
		return err
	}
	pairing := config.PairingID.ValueString()
	addError := func(attribute string, err error) error {
		explain.AddAttributeError(diags, path.Root(attribute), seedsSummary, "", err)
		return nil
	}
	disks, err := listDisks(ctx, c, pairing, config.VMIDs)
	if err != nil {
		return addError("vm_ids", err)
	}
	found, err := c.FindSeeds(
		ctx, pairing, site.VCenterID, config.DatastoreID.ValueString(), config.Folder.ValueString(), disks)
	if err != nil {
		return addError("datastore_id", err)
	}
	config.Seeds = make(map[string]map[string][]string)
	for _, vm := range config.VMIDs {
		config.Seeds[vm] = map[string][]string{}
	}
	for disk, paths := range found {
		config.Seeds[disk.VM][strconv.FormatInt(disk.Key, 10)] = paths
	}
	return nil
}

// listDisks returns the disks of VMs. It omits home folders, because they cannot have seeds. It requests the VMs
// concurrently, so that the client can batch the requests.
func listDisks(ctx context.Context, c *vr.Client, pairing string, vms []string) ([]vr.VMDisk, error) {
	disksByVM := make([][]vr.Disk, len(vms))
	group, ctx := errgroup.WithContext(ctx)
	for i, vm := range vms {
		group.Go(func() (err error) {
			disksByVM[i], err = c.Disks(ctx, pairing, vr.VCenterOf(vm), vm)
			if err != nil {
				return fmt.Errorf("read the disks of %s: %w", vm, err)
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	var all []vr.VMDisk
	for i, vm := range vms {
		for _, d := range disksByVM[i] {
			if !d.Home {
				all = append(all, vr.VMDisk{VM: vm, Key: d.Key})
			}
		}
	}
	return all, nil
}
