package replication

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"terraform-provider-vsla/internal/provider/kit/connection"
	"terraform-provider-vsla/internal/provider/kit/destroying"
	"terraform-provider-vsla/internal/provider/kit/explain"
	"terraform-provider-vsla/internal/provider/kit/resume"
	"terraform-provider-vsla/internal/transport/reading"
	"terraform-provider-vsla/internal/vr"
	"terraform-provider-vsla/internal/vsphere"
)

// These limits depend on the release, so the provider only warns if they are exceeded. Capabilities reported by the
// gateway take precedence.
const (
	maxInstances   = 24
	minQuiescedRPO = 15

	alreadyConfigured = "ALREADY_CONFIGURED"
)

var objectOptions = basetypes.ObjectAsOptions{}

// ValidateConfig validates the configuration without a connection.
func (r *replicationResource) ValidateConfig(
	ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse,
) {
	var config model
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() {
		return
	}
	checkHomeDisk(config.disks(ctx, &resp.Diagnostics), &resp.Diagnostics)
	if config.Paused.ValueBool() && config.WaitForInitialSync.ValueBool() {
		resp.Diagnostics.AddAttributeError(path.Root("wait_for_initial_sync"), "No Initial Sync While Paused",
			"A paused replication does not start an initial sync. Remove wait_for_initial_sync or paused.")
	}
	if config.QuiesceGuest.ValueBool() && isKnown(config.RPOMinutes) &&
		config.RPOMinutes.ValueInt64() < minQuiescedRPO {
		resp.Diagnostics.AddAttributeWarning(path.Root("quiesce_guest"), "Quiescing Below an RPO of 15 Minutes",
			"Many releases do not support quiescing with an RPO below 15 minutes and reject this setting.")
	}
	if config.PointInTime.IsNull() || config.PointInTime.IsUnknown() {
		return
	}
	var retention pointInTime
	resp.Diagnostics.Append(config.PointInTime.As(ctx, &retention, objectOptions)...)
	instances := retention.InstancesPerDay.ValueInt64() * max(1, retention.Days.ValueInt64())
	if isKnown(retention.InstancesPerDay) && isKnown(retention.Days) && instances > maxInstances {
		resp.Diagnostics.AddAttributeWarning(path.Root("point_in_time"), "More Than 24 Instances",
			fmt.Sprintf("point_in_time keeps %d instances. Most releases support at most %d and reject more.",
				instances, maxInstances))
	}
}

func checkHomeDisk(disks map[string]disk, diags *diag.Diagnostics) {
	home, ok := disks[vr.HomeDisk]
	if !ok {
		return
	}
	at := path.Root("disks").AtMapKey(vr.HomeDisk)
	if !home.Enabled.IsNull() && !home.Enabled.IsUnknown() && !home.Enabled.ValueBool() {
		diags.AddAttributeError(at.AtName("enabled"), "Home Folder Is Always Replicated",
			"The home folder of a VM cannot be excluded from its replication. Remove this argument.")
	}
	if !home.SeedPath.IsNull() {
		diags.AddAttributeError(at.AtName("seed_path"), "Seed Not Supported for Home Folder",
			"Seeds are supported for disks only. Remove this argument.")
	}
}

func isKnown(v attr.Value) bool { return !v.IsNull() && !v.IsUnknown() }

// ModifyPlan sets the computed values of the plan and checks whether the VM can be replicated. If nothing changes, it
// does nothing.
func (r *replicationResource) ModifyPlan(
	ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse,
) {
	resume.Mark(ctx, req, resp)
	var plan, state model
	creating := req.State.Raw.IsNull()
	if !creating {
		resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
		r.markInState(state)
	}
	if req.Plan.Raw.IsNull() {
		r.warnDestroyed(ctx, state, &resp.Diagnostics)
		r.warnMoved(state, false, &resp.Diagnostics)
		return
	}
	keepComputed(req, resp)
	if resp.Plan.Raw.Equal(req.State.Raw) {
		return
	}
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(plan.recordPlannedVM(ctx, resp.Private)...)
	replacing := !creating && r.planReplacement(ctx, resp, plan, state)
	if creating {
		r.warnMoved(plan, true, &resp.Diagnostics)
		creating = !r.planAdoption(ctx, req, resp, &plan, &state)
	} else {
		resp.Diagnostics.Append(resp.Plan.SetAttribute(ctx, path.Root("adopts"), state.Adopts)...)
	}
	if resp.Diagnostics.HasError() || !r.canCheck(plan) {
		return
	}
	r.checkOnGateway(ctx, req, resp, plan, state, creating || replacing)
}

// keepComputed restores the computed values of a plan that changes no argument, but writes the ID of the VM in another
// case.
func keepComputed(req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if req.State.Raw.IsNull() || !req.Config.Raw.IsFullyKnown() {
		return
	}
	kept, err := tftypes.Transform(
		req.Plan.Raw,
		func(at *tftypes.AttributePath, v tftypes.Value) (tftypes.Value, error) {
			if before, _, err := tftypes.WalkAttributePath(req.State.Raw, at); err == nil && !v.IsKnown() {
				v, _ = before.(tftypes.Value) // has the same type
			}
			return v, nil
		},
	)
	if err == nil && kept.Equal(req.State.Raw) {
		resp.Plan.Raw = kept
	}
}

// planReplacement reports whether the plan moves the replication to another pairing or VM, and warns about what a
// replacement deletes.
func (r *replicationResource) planReplacement(
	ctx context.Context, resp *resource.ModifyPlanResponse, plan, state model,
) bool {
	if plan.placementDiffers(state) {
		resp.Diagnostics.Append(
			resp.Plan.SetAttribute(ctx, path.Root("replicated_disks"), types.ListUnknown(replicatedDiskType))...)
		if seedChanged(ctx, plan, state, &resp.Diagnostics) {
			resp.RequiresReplace = append(resp.RequiresReplace, path.Root("disks"))
			r.warnDestroyed(ctx, state, &resp.Diagnostics)
		}
	}
	if plan.PairingID.Equal(state.PairingID) && plan.VMID.Equal(state.VMID) {
		return false
	}
	r.warnDestroyed(ctx, state, &resp.Diagnostics)
	r.checkPairing(ctx, plan, state, &resp.Diagnostics)
	return true
}

// planAdoption sets adopts for a create. If the create adopts a replication, it sets state and returns true. An unset
// disk format is the one that exists.
func (r *replicationResource) planAdoption(
	ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse, plan, state *model,
) bool {
	if !r.canRead(*plan) {
		return false // adopts stays unknown
	}
	var existing *model
	if c := r.Clients.Replication(&resp.Diagnostics); c != nil {
		existing = r.planExisting(ctx, c, *plan, &resp.Diagnostics)
	}
	plan.Adopts = types.ObjectNull(adoptedType.AttrTypes)
	var format types.String
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root("disk_format"), &format)...)
	switch {
	case existing != nil:
		*state = *existing
		plan.Adopts = adoptedOf(ctx, *existing, &resp.Diagnostics)
		if format.IsNull() {
			plan.DiskFormat = existing.DiskFormat
		}
	case plan.AdoptExisting.ValueBool() && r.isInState(*plan): // unknown whether the apply removes it first
		plan.Adopts = types.ObjectUnknown(adoptedType.AttrTypes)
		if format.IsNull() {
			plan.DiskFormat = types.StringUnknown()
		}
	}
	resp.Diagnostics.Append(resp.Plan.SetAttribute(ctx, path.Root("adopts"), plan.Adopts)...)
	resp.Diagnostics.Append(resp.Plan.SetAttribute(ctx, path.Root("disk_format"), plan.DiskFormat)...)
	return existing != nil
}

func (r *replicationResource) checkOnGateway(
	ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse, plan, state model,
	creating bool,
) {
	var config model
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if c := r.Clients.Replication(&resp.Diagnostics); c != nil && !resp.Diagnostics.HasError() {
		plannedCount := 0
		if creating || plan.differs(state) {
			plannedCount = connection.State[changeCounter](r.Clients).countAndWarn(ctx, c, plan, &resp.Diagnostics)
		}
		ch := check{
			plannedCount: plannedCount,
			counter:      connection.State[changeCounter](r.Clients),
			client:       c,
			plan:         plan,
			state:        state,
			config:       config,
			creating:     creating,
			inState:      r.isInState(plan) || r.willResume(plan),
			diags:        &resp.Diagnostics,
		}
		ch.run(ctx)
	}
}

// checkPairing adds an error if the planned pairing cannot be read. Otherwise, a replacement would delete the replica
// and then fail.
func (r *replicationResource) checkPairing(ctx context.Context, plan, state model, diags *diag.Diagnostics) {
	if r.Clients == nil || plan.PairingID.IsUnknown() || plan.PairingID.Equal(state.PairingID) ||
		r.Clients.ReplicationUnknown() {
		return
	}
	c := r.Clients.Replication(diags)
	if c == nil {
		return
	}
	if _, err := c.Pairing(ctx, plan.PairingID.ValueString()); err != nil {
		f := failure("Replace", state, err)
		at := path.Root("pairing_id")
		f.Attribute = &at
		f.AddTo(diags)
	}
}

// canCheck reports whether the plan checks the VM. If a required value is unknown, the VM is checked during apply
// instead. A destroy, whose plan Terraform discards, checks nothing.
func (r *replicationResource) canCheck(plan model) bool {
	skip := plan.SkipCapabilityCheck
	return !destroying.Now() && r.canRead(plan) && !skip.ValueBool() && !skip.IsUnknown()
}

// canRead reports whether the connection and the values that a read needs are known.
func (r *replicationResource) canRead(plan model) bool {
	return r.Clients != nil && !plan.PairingID.IsUnknown() && !plan.VMID.IsUnknown() && !r.Clients.ReplicationUnknown()
}

func seedChanged(ctx context.Context, plan, state model, diags *diag.Diagnostics) bool {
	var replicas []replicatedDisk
	if !state.ReplicatedDisks.IsNull() {
		diags.Append(state.ReplicatedDisks.ElementsAs(ctx, &replicas, false)...)
	}
	after := plan.disks(ctx, diags)
	before := state.disks(ctx, diags)
	for _, replica := range replicas {
		key := replica.Key.ValueString()
		if seed := after[key].SeedPath; replica.Replicated.ValueBool() && seed.ValueString() != "" &&
			!seed.Equal(before[key].SeedPath) {
			return true
		}
	}
	return false
}

// replicatedDiskCache caches the device keys of replicated disks by pairing. It reads them from vCenter, because the
// gateway would need one request per replication.
type replicatedDiskCache struct {
	pairings reading.Shared[replicatedKeys]
	warned   sync.Once
}

// replicatedKeys maps managed object IDs of VMs to the keys of their replicated disks. err is set if they could not be
// read.
type replicatedKeys struct {
	vcenter string
	keys    map[string][]int32
	err     error
}

// disksDiffer reports whether a disk that is replicated according to state is no longer replicated according to
// vCenter. It returns false if the VM's vCenter is not configured.
func (r *replicationResource) disksDiffer(
	ctx context.Context, c *vr.Client, state model, diags *diag.Diagnostics,
) bool {
	names := state.replicatedNames(ctx, diags)
	if !r.Clients.HasVSphere() || !state.Disks.IsNull() || len(names) == 0 {
		return false
	}
	vcenter := r.Clients.VSphere(diags)
	if vcenter == nil {
		return false
	}
	shared := connection.State[replicatedDiskCache](r.Clients)
	pairing := state.PairingID.ValueString()
	now, err := shared.pairings.Get(ctx, pairing, func(ctx context.Context) (replicatedKeys, error) {
		return readReplicatedKeys(ctx, c, vcenter, pairing), ctx.Err()
	})
	if err == nil {
		err = now.err
	}
	if err != nil {
		shared.warned.Do(func() {
			diags.AddWarning(
				"Excluded Disks Not Detected",
				"If another client excludes disks from a replication without the disks argument, the change is not "+
					"detected, because the settings of the VMs cannot be read from vCenter.\n\n"+explain.Detail(err),
			)
		})
		return false
	}
	id := state.VMID.ValueString()
	keys := now.keys[vr.MOIDOf(id)]
	return keys != nil && strings.EqualFold(vr.VCenterOf(id), now.vcenter) &&
		slices.ContainsFunc(names, func(name string) bool {
			key, err := strconv.ParseInt(name, 10, 32)
			return err == nil && !slices.Contains(keys, int32(key))
		})
}

func readReplicatedKeys(ctx context.Context, c *vr.Client, vcenter *vsphere.Client, pairing string) replicatedKeys {
	here, err := vcenter.InstanceUUID(ctx)
	if err != nil {
		return replicatedKeys{err: err}
	}
	all, _, err := c.AllReplications(ctx, pairing)
	if err != nil {
		return replicatedKeys{err: err}
	}
	var ids []string
	for _, r := range all {
		if strings.EqualFold(vr.VCenterOf(r.VMID), here) {
			ids = append(ids, vr.MOIDOf(r.VMID))
		}
	}
	found, err := vcenter.VirtualMachines(ctx, vsphere.VMFilter{IDs: ids}, vsphere.VMParts{})
	keys := make(map[string][]int32, len(found.VMs))
	for _, vm := range found.VMs {
		keys[vm.ID] = vm.ReplicatedDisks
	}
	return replicatedKeys{here, keys, err}
}

func (m model) replicatedNames(ctx context.Context, diags *diag.Diagnostics) []string {
	var replicas []replicatedDisk
	if !m.ReplicatedDisks.IsUnknown() {
		diags.Append(m.ReplicatedDisks.ElementsAs(ctx, &replicas, false)...)
	}
	var names []string
	for _, d := range replicas {
		if d.Replicated.ValueBool() {
			names = append(names, d.Key.ValueString())
		}
	}
	return names
}

const (
	// requestsPerChange is the number of requests per create or update: one to configure the replication, one to read
	// its replicas, and a share of the list and poll requests.
	requestsPerChange = 4
	// changeSeconds is the usual time of a create or update without a request limit: its task ends before the third
	// poll.
	changeSeconds = 8
	// parallelism is the number of objects that Terraform changes at a time by default.
	parallelism = 10
	// firstWarnMinutes is the estimated duration in minutes that triggers the first warning. The threshold doubles
	// after each warning.
	firstWarnMinutes = 5
	// sampleSize is the number of VMs that are checked individually to detect site-wide limits. If one of them has an
	// unusual capability, the remaining VMs are also checked individually.
	sampleSize = 5
)

// changeCounter counts the replications that this run creates or changes. The zero value is ready to use.
type changeCounter struct {
	mu   sync.Mutex
	seen map[string]bool
	// unusual is true if one of the checked VMs has an unusual capability.
	unusual bool
}

func (c *changeCounter) recordCapability(can vr.Capability) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.unusual = c.unusual || can.MinRPOMinutes > usualMinRPO || !can.AutoReplicate
}

func (c *changeCounter) sampleComplete(number int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return number > sampleSize && !c.unusual
}

func (c *changeCounter) add(key string) (number int, added bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.seen == nil {
		c.seen = make(map[string]bool)
	}
	added = !c.seen[key]
	c.seen[key] = true
	return len(c.seen), added
}

// secondsPerChange estimates the time per create or update. perMinute is the request limit, or 0.
func secondsPerChange(perMinute int) float64 {
	seconds := float64(changeSeconds) / parallelism
	if perMinute > 0 {
		seconds = max(seconds, requestsPerChange*time.Minute.Seconds()/float64(perMinute))
	}
	return seconds
}

// warnMinutes returns the warning threshold, in minutes, that the estimated duration reaches with this number of
// replications but not with one fewer. It returns 0 if there is no such threshold.
func warnMinutes(number, perMinute int) int {
	each := secondsPerChange(perMinute)
	before := float64(number - 1)
	reached := 0
	for limit := firstWarnMinutes; (before+1)*each >= float64(limit)*time.Minute.Seconds(); limit *= 2 {
		if before*each < float64(limit)*time.Minute.Seconds() {
			reached = limit
		}
	}
	return reached
}

func (c *changeCounter) countAndWarn(
	ctx context.Context, client *vr.Client, plan model, diags *diag.Diagnostics,
) (number int) {
	number, added := c.add(plan.workKey())
	tflog.Info(ctx, "Planning a replication", map[string]any{"vm_id": plan.VMID.ValueString(), "number": number})
	limit := client.RequestsPerMinute()
	minutes := warnMinutes(number, limit)
	if !added || minutes == 0 {
		return number
	}
	reason := fmt.Sprintf("%d changes x %d s / %d at a time = %d minutes. With -parallelism, Terraform changes more "+
		"at a time, as far as the appliance accepts the requests.", number, changeSeconds, parallelism, minutes)
	if limit > 0 {
		reason = fmt.Sprintf("%d changes x %d requests / %d requests per minute = %d minutes. The limit is "+
			"requests_per_minute in the provider's replication argument (VSLA_REPLICATION_REQUESTS_PER_MINUTE). "+
			"Increase it if the appliance allows more. -parallelism does not shorten "+
			"this.", number, requestsPerChange, limit, minutes)
	}
	diags.AddWarning(
		fmt.Sprintf("Applying the Replications Takes More Than %d Minutes", minutes),
		"At least "+reason+" TF_LOG=INFO shows the progress. The initial syncs come after that.")
	return number
}
