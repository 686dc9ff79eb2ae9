package actions

import (
	"context"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/action/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-vsla/internal/provider/kit/base"
	"terraform-provider-vsla/internal/provider/kit/explain"
	"terraform-provider-vsla/internal/provider/replication/link"
	"terraform-provider-vsla/internal/vr"
)

const linkTestTimeout = time.Hour

type linkTest struct{ base.Action }

type linkTestModel struct {
	PairingID  types.String `tfsdk:"pairing_id"`
	SourceID   types.String `tfsdk:"source_cluster_id"`
	TargetID   types.String `tfsdk:"target_cluster_id"`
	Throughput types.Bool   `tfsdk:"throughput"`
	Timeout    types.String `tfsdk:"timeout"`
}

// NewLinkTest returns the action vsla_replication_link_test.
func NewLinkTest() action.Action {
	return &linkTest{base.Action{TypeName: "vsla_replication_link_test"}}
}

// Schema sets the schema.
func (a *linkTest) Schema(_ context.Context, _ action.SchemaRequest, resp *action.SchemaResponse) {
	notEmpty := []validator.String{stringvalidator.LengthAtLeast(1)}
	cluster := func(site string) schema.StringAttribute {
		return schema.StringAttribute{
			MarkdownDescription: "Managed object ID of a cluster at the " + site + " site. By default, all mappings " +
				"are tested.",
			Optional:   true,
			Validators: notEmpty,
		}
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: "Tests the link between the clusters of two sites. The data source " +
			"`vsla_replication_link` returns the result. **The throughput test loads the network and the CPUs of the " +
			"hosts**, so run it when replications can wait. Requires a release of vSphere Replication with " +
			"replication mappings." + docNotRepeated,
		Attributes: map[string]schema.Attribute{
			"pairing_id": schema.StringAttribute{
				MarkdownDescription: "UUID of the pairing.",
				Required:            true,
				Validators:          notEmpty,
			},
			"source_cluster_id": cluster("protected"),
			"target_cluster_id": cluster("recovery"),
			"throughput": schema.BoolAttribute{
				MarkdownDescription: "Whether to measure the throughput as well. Defaults to `true`.",
				Optional:            true,
			},
			"timeout": timeoutSchema(linkTestTimeout),
		},
	}
}

// Invoke runs the test and waits for its end.
func (a *linkTest) Invoke(ctx context.Context, req action.InvokeRequest, resp *action.InvokeResponse) {
	var config linkTestModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	c := a.Clients.Replication(&resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	ctx, cancel := withTimeout(ctx, config.Timeout, linkTestTimeout)
	defer cancel()
	if err := config.test(ctx, c, progressSender(resp)); err != nil {
		explain.AddAttributeError(
			&resp.Diagnostics,
			path.Root("pairing_id"),
			"Unable to Test Replication Link",
			"",
			err,
		)
	}
}

func (m linkTestModel) test(ctx context.Context, c *vr.Client, sendProgress func(string, ...any)) error {
	pairing := m.PairingID.ValueString()
	mappings, err := link.Find(ctx, c, pairing, m.SourceID.ValueString(), m.TargetID.ValueString())
	if err != nil {
		return err
	}
	p, err := c.Pairing(ctx, pairing)
	if err != nil {
		return err
	}
	sendProgress("testing %d replication mappings", len(mappings))
	task, err := c.TestMappings(
		ctx,
		pairing,
		p.Local.VRMSID,
		mappings,
		m.Throughput.IsNull() || m.Throughput.ValueBool(),
	)
	if err == nil {
		err = c.Wait(ctx, task, func(t vr.Task) { sendProgress("task %s, %d%%", t.Status, t.Percent) })
	}
	if err == nil {
		sendProgress("done")
	}
	return err
}
