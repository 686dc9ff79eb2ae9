package replication

import (
	"context"
	"encoding/json"
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
	"terraform-provider-vsla/internal/provider/kit/types/attribute"
	"terraform-provider-vsla/internal/transport"
	"terraform-provider-vsla/internal/vr"
)

// lookupTimeout limits the search for the replication after a cancellation or timeout.
const lookupTimeout = 20 * time.Second

const initialSyncTimeout = 24 * time.Hour

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
	limit, found := plan.Timeouts.Create(ctx, fallback)
	resp.Diagnostics.Append(found...)
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
		return n.addRejection(ctx, err, diags)
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
	if err == nil && len(existing) > 0 {
		addExistsError(n.plan, existing[0], diags)
		return vr.Settings{}, false
	}
	var disks []vr.Disk
	if err == nil {
		disks, err = n.client.Disks(ctx, pairing, source.VCenterID, vm)
	}
	if err != nil {
		f := failure("Create", n.plan, err)
		if errors.Is(err, vr.ErrNotFound) {
			at := path.Root("vm_id")
			f.Attribute = &at
		}
		f.AddTo(diags)
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

// resolveSites returns the two sites of a pairing. source is the VM's site.
func resolveSites(
	ctx context.Context, c *vr.Client, m model, diags *diag.Diagnostics,
) (source, target vr.Site, ok bool) {
	p, err := c.Pairing(ctx, m.PairingID.ValueString())
	if err != nil {
		f := failure("Create", m, err)
		if errors.Is(err, vr.ErrPairing) {
			at := path.Root("pairing_id")
			f.Attribute = &at
		}
		f.AddTo(diags)
		return source, target, false
	}
	source, target, ok = p.Sides(m.VMID.ValueString())
	if !ok {
		diags.AddAttributeError(path.Root("vm_id"), "VM of Another vCenter",
			fmt.Sprintf("The VM does not belong to a vCenter of the pairing. The vCenters are %s (%s) and %s (%s).",
				p.Local.VCenterName, p.Local.VCenterID, p.Remote.VCenterName, p.Remote.VCenterID))
	}
	return source, target, ok
}

// addRejection adds an error for a request that was rejected. If another client has configured a replication of the VM
// since the plan, the error contains an import block.
func (n *creation) addRejection(ctx context.Context, err error, diags *diag.Diagnostics) bool {
	if errors.Is(err, vr.ErrInvalid) {
		existing, lookErr := n.client.Replications(
			ctx,
			n.plan.PairingID.ValueString(),
			n.plan.VMID.ValueString(),
			vr.Direct,
		)
		if lookErr == nil && len(existing) > 0 {
			addExistsError(n.plan, existing[0], diags)
			return false
		}
	}
	failure("Create", n.plan, err).AddTo(diags)
	return false
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
	switch {
	case err == nil:
		n.replication = replication
		n.plan = n.plan.withComputed(replication, "").withGatewayDefaults(replication)
		n.save(lookupCtx, n.plan)
		unclear := errors.Is(cause, vr.ErrTaskLost) || errors.Is(cause, vr.ErrUncertain)
		mayContinue := unclear && ctx.Err() == nil
		if cause == nil || mayContinue {
			return true
		}
	case !errors.Is(err, vr.ErrNotFound), cause == nil, ctx.Err() != nil:
		n.save(lookupCtx, n.plan) // the replication might exist; the next refresh searches by VM
		if cause == nil || !errors.Is(err, vr.ErrNotFound) {
			cause = errors.Join(cause, err)
		}
	default:
		// Both sites report that the replication does not exist, so remove it from state.
		n.forget(lookupCtx)
		cause = fmt.Errorf("%w; the VM is not replicated", cause)
	}
	failure("Create", n.plan, cause).AddTo(diags)
	return false
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

func isConfigured(r vr.Replication) (bool, error) {
	switch {
	case r.ConfigurationState == "ERROR":
		return false, fmt.Errorf(
			"the configuration of replication %s failed: %w: %s",
			r.ID,
			vr.ErrTask,
			failureReason(r),
		)
	case r.ConfigurationState == "IN_PROGRESS", r.Status.Is("CONFIGURING", "RECONFIGURING"):
		return false, nil
	}
	return true, nil
}

func failureReason(r vr.Replication) string {
	for _, text := range []string{r.ConfigurationError, r.GroupError, r.RecoveryError} {
		if text != "" {
			return text
		}
	}
	return "vSphere Replication did not report a reason"
}

// waitForInitialSync waits for the initial sync. A timeout is only a warning, because the sync continues.
func (n *creation) waitForInitialSync(ctx context.Context, diags *diag.Diagnostics) {
	pairing := n.plan.PairingID.ValueString()
	current, err := n.client.PollUntil(ctx, pairing, n.replication.ID, func(r vr.Replication) (bool, error) {
		fields := map[string]any{"name": r.Name, "status": r.Status.Code}
		if p := r.Status.Progress; p != nil {
			fields["percent"] = p.Percent
		}
		tflog.Info(ctx, "Waiting for the initial sync", fields)
		switch {
		case r.Status.Is("ERROR"):
			return false, fmt.Errorf("the initial sync of %s failed: %w: %s", r.Name, vr.ErrTask, failureReason(r))
		case r.Status.Is("NOT_ACTIVE"):
			return false, fmt.Errorf(
				"%w: the VM %s is not running, or the sites cannot reach each other",
				errNoSync,
				r.Name,
			)
		case r.Status.Is(statusPaused):
			return false, fmt.Errorf("%w: replication %s is paused", errNoSync, r.Name)
		}
		isReplicating := r.Status.Is("OK", "SYNC") || r.Status.Code == "RPO_VIOLATION"
		return isReplicating && !r.Status.LastSync.IsZero(), nil
	})
	switch {
	case err == nil:
		n.plan = n.plan.withComputed(current, n.plan.TargetReplicationServerID.ValueString())
		n.save(ctx, n.plan)
	case errors.Is(err, context.DeadlineExceeded):
		diags.AddWarning("Initial Sync Not Complete", fmt.Sprintf(
			"The replication of %q is configured, but its initial sync did not complete within timeouts.create. The "+
				"sync continues. The data source vsla_replications returns its progress.\n\n%s",
			n.plan.Name.ValueString(),
			explain.Detail(err),
		))
	case errors.Is(err, errNoSync):
		diags.AddAttributeError(
			path.Root("wait_for_initial_sync"),
			"Initial Sync Does Not Start",
			"The replication is configured and saved in state, but its initial sync does not start. Start the VM, "+
				"resume the replication, or remove wait_for_initial_sync. Terraform marks the resource as tainted "+
				"and plans a replacement, but the next apply keeps this replication.\n\n"+explain.Detail(err),
		)
	default:
		failure("Wait for Initial Sync of", n.plan, err).AddTo(diags)
	}
}

var errNoSync = errors.New("the initial sync does not start")

const plannedVM = "vsla_vm"

func (m model) workKey() string {
	return typeName + " " + m.PairingID.ValueString() + "/" + m.VMID.ValueString()
}

// recordPlannedVM records the planned VM, if known, in private data. Delete uses it to detect that a create for the
// same VM follows.
func (m model) recordPlannedVM(ctx context.Context, private interface {
	SetKey(ctx context.Context, key string, value []byte) diag.Diagnostics
},
) diag.Diagnostics {
	if m.PairingID.IsUnknown() || m.VMID.IsUnknown() {
		return private.SetKey(ctx, plannedVM, nil)
	}
	text, err := json.Marshal(m.workKey())
	if err != nil {
		text = nil // unreachable, because a string can always be encoded
	}
	return private.SetKey(ctx, plannedVM, text)
}

func (m model) willResume(ctx context.Context, private interface {
	GetKey(ctx context.Context, key string) ([]byte, diag.Diagnostics)
}, diags *diag.Diagnostics,
) bool {
	text, found := private.GetKey(ctx, plannedVM)
	diags.Append(found...)
	var planned string
	return resume.WillResume(ctx, private, diags) && json.Unmarshal(text, &planned) == nil && planned == m.workKey()
}

func (n *creation) takeUnfinished(ctx context.Context, store *resume.Store) {
	unfinished := store.Take(n.plan.workKey(), func(string) bool { return true })
	if unfinished == nil {
		return
	}
	n.resuming = true
	n.unfinishedID = unfinished[n.plan.VMID.ValueString()]
	state := n.plan.withoutUnknowns(vr.Site{})
	if n.unfinishedID != "" {
		state = state.withID(n.unfinishedID)
	}
	n.save(ctx, state)
}

// findUnfinished returns the replication of an unfinished create, or ErrNotFound if it is known not to exist.
func (n *creation) findUnfinished(ctx context.Context) (vr.Replication, error) {
	state := n.plan
	state.ReplicationID = attribute.OrNull(n.unfinishedID)
	return locate(ctx, n.client, state)
}

// resume reconfigures the replication that an unfinished create left behind, because a new one would repeat the initial
// sync (docs/adr/0005-unfinished-creates.md). existing is false if the replication no longer exists.
func (n *creation) resume(ctx context.Context, server string, diags *diag.Diagnostics) (existing bool) {
	current, err := n.findUnfinished(ctx)
	if errors.Is(err, vr.ErrNotFound) {
		n.forget(ctx)
		return false
	}
	if err == nil {
		n.replication = current
		n.plan = n.plan.withGatewayDefaults(current).withComputed(current, "").withoutUnknowns(n.target)
		n.save(ctx, n.plan)
		err = n.reconcile(ctx, current, server, diags)
	}
	if err != nil {
		failure("Resume Creation of", n.plan, err).AddTo(diags)
	}
	return true
}

// reconcile changes a replication that an unfinished create has left behind, if it does not match the plan.
func (n *creation) reconcile(
	ctx context.Context, current vr.Replication, server string, diags *diag.Diagnostics,
) error {
	change := update{client: n.client, plan: n.plan, state: n.plan, server: server}
	settings, replicas, err := change.settings(ctx, nil, diags)
	if err != nil || diags.HasError() {
		return err
	}
	used := serverID(ctx, n.client, n.plan.PairingID.ValueString(), current)
	serverMatches := server == "" || server == used
	isValid := current.ConfigurationState != "ERROR"
	if isValid && serverMatches && current.Matches(settings.Options) && placementMatches(replicas, settings) {
		return nil
	}
	if _, err := n.client.PollUntil(ctx, n.plan.PairingID.ValueString(), current.ID, isChangeable); err != nil {
		return err
	}
	if settings.ServerID == "" {
		settings.ServerID = used
	}
	_, err = change.send(ctx, settings)
	return err
}

// placementMatches reports whether the replicas match the settings. Settings that the API does not report are ignored.
func placementMatches(replicas map[string]vr.ReplicatedDisk, s vr.Settings) bool {
	for _, want := range s.Disks {
		is, known := replicas[want.Disk.Name()]
		sameExclusion := is.Replicated == want.Replicate || is.Unreported
		sameDatastore := is.DatastoreID == "" || is.DatastoreID == want.DatastoreID
		samePolicy := want.PolicyID == "" || vr.NormalizePolicyID(is.PolicyID) == want.PolicyID
		if !known || !sameExclusion || !sameDatastore || !samePolicy || formatDiffers(want.Format, is) {
			return false
		}
	}
	return true
}
