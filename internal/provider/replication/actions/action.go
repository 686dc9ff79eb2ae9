// Package actions implements the actions vsla_replication_pause, vsla_replication_resume, vsla_replication_sync and
// vsla_replication_reconnect. Terraform does not repeat a failed action in the next apply. To keep a replication
// paused, set the paused argument of vsla_replication instead.
package actions

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/action/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-vsla/internal/provider/kit/base"
	"terraform-provider-vsla/internal/provider/kit/explain"
	"terraform-provider-vsla/internal/vr"
)

const (
	statusPaused = "PAUSED"

	stateTimeout = 15 * time.Minute
)

type replicationAction struct {
	base.Action
	verb, doc string
	// effect describes the state that the action waits for.
	effect  string
	timeout time.Duration
	// begin sends the request. needed is false if there is nothing to do.
	begin func(context.Context, *vr.Client, target, vr.Replication) (task vr.Task, needed bool, err error)
	// done reports whether the action has taken effect. before is the state of the replication before the request.
	done func(before, now vr.Replication) (bool, error)
}

type model struct {
	PairingID     types.String `tfsdk:"pairing_id"`
	ReplicationID types.String `tfsdk:"replication_id"`
	VMID          types.String `tfsdk:"vm_id"`
	Wait          types.Bool   `tfsdk:"wait"`
	Timeout       types.String `tfsdk:"timeout"`
}

type target struct{ pairing, id string }

// Schema sets the schema.
func (a *replicationAction) Schema(_ context.Context, _ action.SchemaRequest, resp *action.SchemaResponse) {
	notEmpty := []validator.String{stringvalidator.LengthAtLeast(1)}
	resp.Schema = schema.Schema{
		MarkdownDescription: a.doc + docNotRepeated,
		Attributes: map[string]schema.Attribute{
			"pairing_id": schema.StringAttribute{
				MarkdownDescription: "UUID of the pairing.",
				Required:            true,
				Validators:          notEmpty,
			},
			"replication_id": schema.StringAttribute{
				MarkdownDescription: "ID of the replication. Specify either this or `vm_id`.",
				Optional:            true,
				Validators: []validator.String{
					stringvalidator.LengthAtLeast(1),
					stringvalidator.ExactlyOneOf(path.MatchRoot("replication_id"), path.MatchRoot("vm_id")),
				},
			},
			"vm_id": schema.StringAttribute{
				MarkdownDescription: "ID of the VM, as in `vm_id` of `vsla_replication`. Specify either this or " +
					"`replication_id`.",
				Optional:   true,
				Validators: notEmpty,
			},
			"wait": schema.BoolAttribute{
				MarkdownDescription: "Whether to wait until " + a.effect + ". If `false`, the action waits only " +
					"until its task ends. Defaults to `true`.",
				Optional: true,
			},
			"timeout": timeoutSchema(a.timeout),
		},
	}
}

// Invoke runs the action and reports its progress.
func (a *replicationAction) Invoke(ctx context.Context, req action.InvokeRequest, resp *action.InvokeResponse) {
	var config model
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	c := a.Clients.Replication(&resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	ctx, cancel := withTimeout(ctx, config.Timeout, a.timeout)
	defer cancel()
	to := target{pairing: config.PairingID.ValueString(), id: config.ReplicationID.ValueString()}
	sendProgress := progressSender(resp)
	if err := a.invoke(
		ctx, c, to, config.VMID.ValueString(), config.Wait.IsNull() || config.Wait.ValueBool(), sendProgress,
	); err != nil {
		explain.AddError(&resp.Diagnostics,
			fmt.Sprintf("Unable to %s Replication %q", a.verb, to.id+config.VMID.ValueString()), "", err)
	}
}

func (a *replicationAction) invoke(
	ctx context.Context, c *vr.Client, to target, vm string, wait bool, sendProgress func(string, ...any),
) error {
	if vm != "" {
		replication, err := c.ReplicationOf(ctx, to.pairing, vm, vr.Recent)
		if err != nil {
			return err
		}
		to.id = replication.ID
	}
	return a.run(ctx, c, to, wait, sendProgress)
}

func (a *replicationAction) run(
	ctx context.Context, c *vr.Client, to target, wait bool, sendProgress func(string, ...any),
) error {
	before, err := c.Replication(ctx, to.pairing, to.id, vr.Recent)
	if err != nil {
		return err
	}
	task, needed, err := a.begin(ctx, c, to, before)
	if err == nil && !needed {
		sendProgress("%s: nothing to do, status %s", before.Name, before.Status.Code)
		return nil
	}
	if err == nil {
		err = c.Wait(ctx, task, func(t vr.Task) { sendProgress("%s: task %s, %d%%", before.Name, t.Status, t.Percent) })
	}
	unclear := errors.Is(err, vr.ErrUncertain) || errors.Is(err, vr.ErrTaskLost)
	if err != nil && !unclear {
		return err
	}
	if !wait {
		sendProgress("%s: started", before.Name)
		return err // err is nil, or the outcome is unknown
	}
	now, waitErr := c.PollUntil(ctx, to.pairing, to.id, func(now vr.Replication) (bool, error) {
		if p := now.Status.Progress; p != nil {
			sendProgress("%s: %s, %d%%", now.Name, now.Status.Code, p.Percent)
		}
		return a.done(before, now)
	})
	if waitErr != nil {
		return errors.Join(err, waitErr)
	}
	sendProgress("%s: done, status %s", now.Name, now.Status.Code)
	return nil
}

const docNotRepeated = " Requires Terraform 1.14 or later. If the action fails, the next apply does not run it again."

func timeoutSchema(defaultTimeout time.Duration) schema.StringAttribute {
	return schema.StringAttribute{
		MarkdownDescription: fmt.Sprintf("Timeout, such as `1h30m`. Defaults to `%s`.", defaultTimeout),
		Optional:            true,
		Validators:          []validator.String{isDuration{}},
	}
}

func withTimeout(
	ctx context.Context, timeout types.String, defaultTimeout time.Duration,
) (context.Context, context.CancelFunc) {
	if d, err := time.ParseDuration(timeout.ValueString()); err == nil {
		defaultTimeout = d
	}
	return context.WithTimeout(ctx, defaultTimeout)
}

func progressSender(resp *action.InvokeResponse) func(format string, args ...any) {
	return func(format string, args ...any) {
		resp.SendProgress(action.InvokeProgressEvent{Message: fmt.Sprintf(format, args...)})
	}
}

type isDuration struct{}

// Description describes the validation.
func (isDuration) Description(context.Context) string {
	return `value must be a positive duration such as "1h30m"`
}

// MarkdownDescription returns the result of Description.
func (v isDuration) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

// ValidateString parses the duration.
func (v isDuration) ValidateString(ctx context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() {
		return
	}
	if d, err := time.ParseDuration(req.ConfigValue.ValueString()); err != nil || d <= 0 {
		resp.Diagnostics.AddAttributeError(req.Path, "Invalid Duration", v.Description(ctx)+".")
	}
}
