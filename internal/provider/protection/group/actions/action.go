// Package actions implements the actions vsla_protection_group_pause, vsla_protection_group_resume and
// vsla_protection_group_snapshot. Terraform does not repeat a failed action in the next apply. To keep a group paused,
// set the paused argument of vsla_protection_group instead.
package actions

import (
	"context"
	"fmt"
	"maps"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/action/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-vsla/internal/provider/kit/base"
	"terraform-provider-vsla/internal/provider/kit/explain"
	"terraform-provider-vsla/internal/snapservice"
)

const (
	changeTimeout = 30 * time.Minute
	readTimeout   = 5 * time.Minute
)

// target is the protection group of an action.
type target struct {
	client  *snapservice.Client
	cluster string
	id      string
	wait    snapservice.WaitOptions
}

// groupAction is an action on a protection group. It fails without sending a request if the group is locked.
type groupAction[M any] struct {
	base.Action
	verb      string
	doc       string
	arguments map[string]schema.Attribute
	ids       func(M) (cluster, id types.String)
	run       func(context.Context, target, M) (done string, err error)
}

// model contains the arguments of every action.
type model struct {
	ClusterID types.String `tfsdk:"cluster_id"`
	GroupID   types.String `tfsdk:"protection_group_id"`
}

func (m model) ids() (cluster, id types.String) { return m.ClusterID, m.GroupID }

// Schema sets the schema.
func (a *groupAction[M]) Schema(_ context.Context, _ action.SchemaRequest, resp *action.SchemaResponse) {
	notEmpty := []validator.String{stringvalidator.LengthAtLeast(1)}
	resp.Schema = schema.Schema{
		MarkdownDescription: a.doc + " Fails if the group is locked. Requires the privilege `Host.Config.Storage` on " +
			"the cluster and Terraform 1.14 or later. If the action fails, the next apply does not run it again.",
		Attributes: map[string]schema.Attribute{
			"cluster_id": schema.StringAttribute{
				MarkdownDescription: "Managed object ID of the cluster.",
				Required:            true,
				Validators:          notEmpty,
			},
			"protection_group_id": schema.StringAttribute{
				MarkdownDescription: "ID of the protection group in the cluster.",
				Required:            true,
				Validators:          notEmpty,
			},
		},
	}
	maps.Copy(resp.Schema.Attributes, a.arguments)
}

// Invoke runs the action and reports its progress.
func (a *groupAction[M]) Invoke(ctx context.Context, req action.InvokeRequest, resp *action.InvokeResponse) {
	var config M
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	c := a.Clients.Protection(&resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	cluster, id := a.ids(config)
	sendProgress := func(text string) { resp.SendProgress(action.InvokeProgressEvent{Message: text}) }
	options := snapservice.WaitOptions{
		TaskTimeout: changeTimeout,
		ReadTimeout: readTimeout,
		Progress:    sendProgress,
	}
	to := target{
		client:  c,
		cluster: cluster.ValueString(),
		id:      id.ValueString(),
		wait:    options,
	}
	done, err := a.run(ctx, to, config)
	if err != nil {
		explain.AddError(&resp.Diagnostics,
			fmt.Sprintf("Unable to %s Protection Group %q", a.verb, id.ValueString()), "", err)
		return
	}
	sendProgress(done)
}

// statusText describes a group after an action.
func statusText(g snapservice.Group) string {
	return fmt.Sprintf("group %s: done, status %s", snapservice.Printable(g.Name), g.Status)
}
