package replication

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"terraform-provider-vsla/internal/provider/kit/connection"
	"terraform-provider-vsla/internal/provider/kit/explain"
	"terraform-provider-vsla/internal/provider/kit/resume"
	"terraform-provider-vsla/internal/transport"
	"terraform-provider-vsla/internal/vr"
)

// lookupTimeout limits the search for the replication after a cancellation or timeout.
const lookupTimeout = 20 * time.Second

// Create configures the replication. The replication is saved to state as soon as it might exist.
func (r *replicationResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan, config model
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	c := r.Clients.Replication(&resp.Diagnostics)
	fallback := changeTimeout
	if plan.WaitForInitialSync.ValueBool() {
		fallback = initialSyncTimeout
	}
	limit, problems := plan.Timeouts.Create(ctx, fallback)
	resp.Diagnostics.Append(problems...)
	if resp.Diagnostics.HasError() {
		return
	}
	ctx, cancel := context.WithTimeout(transport.WithStartupWait(ctx), limit)
	defer cancel()

	create := &creation{
		client: c,
		plan:   plan,
		save: func(ctx context.Context, m model) {
			resp.Diagnostics.Append(resp.State.Set(ctx, m)...)
			if m.ReplicationID.ValueString() != "" {
				resp.Diagnostics.Append(resp.Identity.Set(ctx, m.identity())...)
			}
		},
		forget: resp.State.RemoveResource,
	}
	store := connection.State[resume.Store](r.Clients)
	create.takeUnfinished(ctx, store)
	if !create.configure(ctx, store, config.TargetReplicationServerID.ValueString(), &resp.Diagnostics) {
		return
	}
	create.finish(ctx, &resp.Diagnostics)
}

type creation struct {
	client      *vr.Client
	plan        model
	target      vr.Site
	replication vr.Replication
	// resuming is true if an unfinished create left a replication behind. unfinishedID is the ID of this replication,
	// if known.
	resuming     bool
	unfinishedID string
	save         func(context.Context, model)
	forget       func(context.Context)
}

// configure sends the request once and waits until the replication exists. If an unfinished create left a replication
// behind, it resumes that replication instead.
func (n *creation) configure(
	ctx context.Context, store *resume.Store, server string, diags *diag.Diagnostics,
) bool {
	source, target, ok := resolveSites(ctx, n.client, n.plan, diags)
	if !ok {
		return false
	}
	n.target = target
	if n.resuming && n.resume(ctx, server, diags) {
		return !diags.HasError()
	}
	if !n.resuming && isKnown(n.plan.Adopts) {
		return n.adopt(ctx, store, server, diags)
	}
	settings, ok := n.prepare(ctx, source, server, diags)
	if !ok {
		return false
	}
	pairing := n.plan.PairingID.ValueString()
	vm := n.plan.VMID.ValueString()
	task, err := n.client.Configure(ctx, pairing, vm, n.target.VCenterID, settings)
	switch {
	case err == nil:
		err = n.client.Wait(ctx, task, logProgress(ctx, n.plan))
	case errors.Is(err, vr.ErrUncertain):
		tflog.Warn(ctx, "No usable response to the request to configure a replication; checking whether it was created",
			map[string]any{"vm_id": vm})
	default:
		n.addRejection(ctx, err, diags)
		return false
	}
	return n.find(ctx, err, diags)
}

func (n *creation) prepare(
	ctx context.Context,
	source vr.Site,
	server string,
	diags *diag.Diagnostics,
) (vr.Settings, bool) {
	pairing := n.plan.PairingID.ValueString()
	vm := n.plan.VMID.ValueString()
	// An incomplete list is sufficient here, because the gateway rejects a second replication of a VM.
	existing, err := n.client.Replications(ctx, pairing, vm, vr.Unverified)
	if err != nil {
		n.addVMError(err, diags)
		return vr.Settings{}, false
	}
	if len(existing) > 0 {
		addExistsError(n.plan, existing[0], diags)
		return vr.Settings{}, false
	}
	disks, err := n.client.Disks(ctx, pairing, source.VCenterID, vm)
	if err != nil {
		n.addVMError(err, diags)
		return vr.Settings{}, false
	}
	settings := vr.Settings{Options: n.plan.options(), ServerID: server}
	if n.plan.NetworkEncryption.IsUnknown() { // encrypted VMs require network encryption
		encrypted := slices.ContainsFunc(disks, func(d vr.Disk) bool { return d.Encrypted })
		settings.Encryption = vr.NewFlag(&encrypted)
	}
	settings.Disks = n.plan.diskSettings(ctx, nil, disks, nil, diags)
	return settings, !diags.HasError()
}

// addVMError adds an error about the VM before the request is sent.
func (n *creation) addVMError(err error, diags *diag.Diagnostics) {
	f := failure("Create", n.plan, err)
	if errors.Is(err, vr.ErrNotFound) {
		at := path.Root("vm_id")
		f.Attribute = &at
	}
	f.AddTo(diags)
}

// addExistsError adds an error for a replication that an apply finds although it was to create it.
func addExistsError(m model, existing vr.Replication, diags *diag.Diagnostics) {
	if m.AdoptExisting.ValueBool() {
		explain.ExistsSincePlan(diags, path.Root("vm_id"), fmt.Sprintf("Replication of %q", m.VMID.ValueString()))
		return
	}
	f, id := exists(m, existing)
	f.Alternative = explain.AdoptAdvice("replication", false)
	f.AlreadyExists(diags, path.Root("vm_id"), typeName, id)
}

// addRejection adds an error for a request that was rejected. If another client has configured a replication of the VM
// since the plan, the error contains an import block.
func (n *creation) addRejection(ctx context.Context, err error, diags *diag.Diagnostics) {
	if errors.Is(err, vr.ErrInvalid) {
		existing, lookErr := n.client.Replications(
			ctx,
			n.plan.PairingID.ValueString(),
			n.plan.VMID.ValueString(),
			vr.Direct,
		)
		if lookErr == nil && len(existing) > 0 {
			addExistsError(n.plan, existing[0], diags)
			return
		}
	}
	failure("Create", n.plan, err).AddTo(diags)
}

// find looks up the configured replication. cause is nil, or the error that left the outcome of the request uncertain.
func (n *creation) find(ctx context.Context, cause error, diags *diag.Diagnostics) bool {
	lookupCtx := ctx
	cancel := context.CancelFunc(func() {})
	if ctx.Err() != nil { // look up the replication once more after a cancellation or timeout
		lookupCtx, cancel = context.WithTimeout(context.WithoutCancel(ctx), lookupTimeout)
	}
	defer cancel()
	replication, err := n.client.AwaitReplication(
		lookupCtx, n.plan.PairingID.ValueString(), n.plan.VMID.ValueString(), n.target.VCenterID)
	n.plan = n.plan.withoutUnknowns(n.target)
	if err == nil {
		n.replication = replication
		n.plan = n.plan.withComputed(replication, "").withGatewayDefaults(replication)
		n.save(lookupCtx, n.plan)
		isUnclear := errors.Is(cause, vr.ErrTaskLost) || errors.Is(cause, vr.ErrUncertain)
		if cause == nil || isUnclear && ctx.Err() == nil {
			return true
		}
	} else {
		cause = n.notFound(lookupCtx, cause, err, ctx.Err() != nil)
	}
	failure("Create", n.plan, cause).AddTo(diags)
	return false
}

// notFound saves or removes the replication that a lookup did not return, and returns the cause for the error message.
func (n *creation) notFound(ctx context.Context, cause, err error, interrupted bool) error {
	isAbsent := errors.Is(err, vr.ErrNotFound)
	switch {
	case isAbsent && cause != nil && !interrupted: // both sites report that it does not exist
		n.forget(ctx)
		return fmt.Errorf("%w; the VM is not replicated", cause)
	case isAbsent && cause != nil:
		n.save(ctx, n.plan) // the replication might exist; the next refresh searches by VM
		return cause
	}
	n.save(ctx, n.plan)
	return errors.Join(cause, err)
}

func (n *creation) finish(ctx context.Context, diags *diag.Diagnostics) {
	pairing := n.plan.PairingID.ValueString()
	current, err := n.client.PollUntil(ctx, pairing, n.replication.ID, isConfigured)
	if err == nil && !n.plan.Paused.IsNull() {
		err = setPaused(ctx, n.client, n.plan, current, n.plan.Paused.ValueBool())
	}
	if err != nil {
		failure("Configure", n.plan, err).AddTo(diags)
		return
	}
	n.plan = n.plan.withGatewayDefaults(current).withComputed(current, serverID(ctx, n.client, pairing, current))
	replicas, err := n.client.ReplicatedDisks(ctx, pairing, n.replication.ID)
	if err != nil {
		failure("Read", n.plan, err).AddTo(diags)
		return
	}
	n.plan = n.plan.withReplicas(ctx, replicas, diags)
	n.save(ctx, n.plan)
	if n.plan.WaitForInitialSync.ValueBool() {
		n.waitForInitialSync(ctx, diags)
	}
}
