package replication

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"terraform-provider-vsla/internal/provider/kit/connection"
	"terraform-provider-vsla/internal/provider/kit/explain"
	"terraform-provider-vsla/internal/provider/kit/resume"
	"terraform-provider-vsla/internal/transport/reading"
	"terraform-provider-vsla/internal/vr"
	"terraform-provider-vsla/internal/vsphere"
)

// These limits depend on the release, so the provider only warns about them. The gateway's capability report takes
// precedence.
const (
	mostInstances    = 24
	leastQuiescedRPO = 15

	alreadyConfigured = "ALREADY_CONFIGURED"
)

// ValidateConfig validates the configuration without a connection.
func (r *replicationResource) ValidateConfig(
	ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse,
) {
	var config model
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() {
		return
	}
	checkHome(config.disks(ctx, &resp.Diagnostics), &resp.Diagnostics)
	if config.Paused.ValueBool() && config.WaitForInitialSync.ValueBool() {
		resp.Diagnostics.AddAttributeError(path.Root("wait_for_initial_sync"), "Nothing to Wait For",
			"A paused replication does no initial sync. Remove wait_for_initial_sync or paused.")
	}
	if config.QuiesceGuest.ValueBool() && known(config.RPOMinutes) && config.RPOMinutes.ValueInt64() < leastQuiescedRPO {
		resp.Diagnostics.AddAttributeWarning(path.Root("quiesce_guest"), "Quiescing Below an RPO of 15 Minutes",
			"Many releases do not quiesce a guest more often than every 15 minutes, and refuse this.")
	}
	if config.PointInTime.IsNull() || config.PointInTime.IsUnknown() {
		return
	}
	var kept pointInTime
	resp.Diagnostics.Append(config.PointInTime.As(ctx, &kept, objectOptions)...)
	instances := kept.InstancesPerDay.ValueInt64() * max(1, kept.Days.ValueInt64())
	if known(kept.InstancesPerDay) && known(kept.Days) && instances > mostInstances {
		resp.Diagnostics.AddAttributeWarning(path.Root("point_in_time"), "More Than 24 Instances",
			fmt.Sprintf("These are %d instances; most releases keep at most %d and refuse more.", instances, mostInstances))
	}
}

// checkHome reports arguments that do not apply to the home folder.
func checkHome(disks map[string]disk, diags *diag.Diagnostics) {
	home, ok := disks[vr.HomeDisk]
	if !ok {
		return
	}
	at := path.Root("disks").AtMapKey(vr.HomeDisk)
	if !home.Enabled.IsNull() && !home.Enabled.IsUnknown() && !home.Enabled.ValueBool() {
		diags.AddAttributeError(at.AtName("enabled"), "Home Folder Is Always Replicated",
			"The home folder of a VM cannot be left out of its replication. Remove this argument.")
	}
	if !home.SeedPath.IsNull() {
		diags.AddAttributeError(at.AtName("seed_path"), "Home Folder Has No Seed",
			"Seeds are for disks only. Remove this argument.")
	}
}

func known(v attr.Value) bool { return !v.IsNull() && !v.IsUnknown() }

// ModifyPlan completes the plan and checks the VM's replication capability. It does nothing if nothing changes.
func (r *replicationResource) ModifyPlan(
	ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse,
) {
	resume.Mark(ctx, req, resp)
	var plan, state model
	if req.Plan.Raw.IsNull() {
		resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
		r.warnDestroyed(ctx, state, &resp.Diagnostics)
		return
	}
	if req.Plan.Raw.Equal(req.State.Raw) {
		return
	}
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	creates := req.State.Raw.IsNull()
	if !creates {
		resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
		r.remember(state)
	}
	if resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(plan.note(ctx, resp.Private)...)
	replaces := !creates && (!plan.PairingID.Equal(state.PairingID) || !plan.VMID.Equal(state.VMID))
	if !creates && plan.placesDiffer(state) {
		resp.Diagnostics.Append(
			resp.Plan.SetAttribute(ctx, path.Root("replicated_disks"), types.ListUnknown(replicatedDiskType))...)
		if reseeded(ctx, plan, state, &resp.Diagnostics) {
			resp.RequiresReplace = append(resp.RequiresReplace, path.Root("disks"))
			r.warnDestroyed(ctx, state, &resp.Diagnostics)
		}
	}
	if replaces {
		r.warnDestroyed(ctx, state, &resp.Diagnostics)
		r.checkPairing(ctx, plan, state, &resp.Diagnostics)
	}
	if !r.checks(plan) {
		return
	}
	r.ask(ctx, req, resp, plan, state, creates || replaces)
}

func (r *replicationResource) ask(
	ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse, plan, state model, fresh bool,
) {
	var config model
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if c := r.Clients.Replication(&resp.Diagnostics); c != nil && !resp.Diagnostics.HasError() {
		number := 0
		if fresh || plan.differs(state) {
			number = connection.State[load](r.Clients).report(ctx, c, plan, &resp.Diagnostics)
		}
		ch := check{
			number: number,
			load:   connection.State[load](r.Clients),
			client: c,
			plan:   plan,
			state:  state,
			config: config,
			fresh:  fresh,
			own:    r.remembers(plan),
			diags:  &resp.Diagnostics,
		}
		ch.run(ctx)
	}
}

// checkPairing adds an error if the planned pairing does not exist, because a replacement deletes the replica first.
func (r *replicationResource) checkPairing(ctx context.Context, plan, state model, diags *diag.Diagnostics) {
	if r.Clients == nil || plan.PairingID.IsUnknown() || plan.PairingID.Equal(state.PairingID) ||
		r.Clients.ReplicationNotKnownYet() {
		return
	}
	c := r.Clients.Replication(diags)
	if c == nil {
		return
	}
	if _, err := c.Pairing(ctx, plan.PairingID.ValueString()); errors.Is(err, vr.ErrPairing) {
		f, at := failure("Replace", state, err), path.Root("pairing_id")
		f.Attribute = &at
		f.AddTo(diags)
	}
}

// checks reports whether the VM can be checked during plan. If a required value is unknown, apply checks it.
func (r *replicationResource) checks(plan model) bool {
	skip := plan.SkipCapabilityCheck.ValueBool() || plan.SkipCapabilityCheck.IsUnknown()
	return r.Clients != nil && !skip && !plan.PairingID.IsUnknown() && !plan.VMID.IsUnknown() &&
		!r.Clients.ReplicationNotKnownYet()
}

func reseeded(ctx context.Context, plan, state model, diags *diag.Diagnostics) bool {
	var replicas []replicatedDisk
	if !state.ReplicatedDisks.IsNull() {
		diags.Append(state.ReplicatedDisks.ElementsAs(ctx, &replicas, false)...)
	}
	wanted, before := plan.disks(ctx, diags), state.disks(ctx, diags)
	for _, replica := range replicas {
		key := replica.Key.ValueString()
		if seed := wanted[key].SeedPath; replica.Replicated.ValueBool() && seed.ValueString() != "" &&
			!seed.Equal(before[key].SeedPath) {
			return true
		}
	}
	return false
}

// replicated caches the device keys of replicated disks by pairing. It reads them from vCenter, because the gateway
// needs one request per replication.
type replicated struct {
	pairings reading.Shared[keysOfVMs]
	warned   sync.Once
}

// keysOfVMs maps managed object ids of VMs to the keys of their replicated disks. err is the error of reading them.
type keysOfVMs struct {
	vcenter string
	keys    map[string][]int32
	err     error
}

// disksDiffer reports whether vCenter no longer replicates a disk that is replicated in state. It returns false if the
// VM's vCenter is not configured.
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
	shared, pairing := connection.State[replicated](r.Clients), state.PairingID.ValueString()
	now, err := shared.pairings.Get(ctx, pairing, func(ctx context.Context) (keysOfVMs, error) {
		return replicatedKeys(ctx, c, vcenter, pairing), ctx.Err()
	})
	if err == nil {
		err = now.err
	}
	if err != nil {
		shared.warned.Do(func() {
			diags.AddWarning("Excluded Disks Are Not Known",
				"For replications without the argument disks, disks excluded by another client are not detected, because "+
					"the settings of the VMs cannot be read from vCenter.\n\n"+explain.Detail(err))
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

func replicatedKeys(ctx context.Context, c *vr.Client, vcenter *vsphere.Client, pairing string) keysOfVMs {
	here, err := vcenter.InstanceUUID(ctx)
	if err != nil {
		return keysOfVMs{err: err}
	}
	all, _, err := c.Judgeable(ctx, pairing)
	if err != nil {
		return keysOfVMs{err: err}
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
	return keysOfVMs{here, keys, err}
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
	// requestsPerChange is the number of requests per create or update: one to configure, one for replicas, and a share
	// of lists and polls.
	requestsPerChange = 4
	// longMinutes is the duration of the first warning. The duration doubles with each further warning.
	longMinutes = 5
	// sampled is the number of VMs that are checked individually. They show site-wide limits. If one of them has an
	// unusual capability, all following VMs are checked, too.
	sampled = 5
)

// load counts the replications that this run creates or changes. The zero value is ready for use.
type load struct {
	mu   sync.Mutex
	seen map[string]bool
	// unusual is true if a checked VM supports less than usual.
	unusual bool
}

func (l *load) compare(can vr.Capability) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.unusual = l.unusual || can.MinRPOMinutes > leastCommonRPO || !can.AutoReplicate
}

func (l *load) samples(number int) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return number > sampled && !l.unusual
}

func (l *load) add(key string) (number int, added bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.seen == nil {
		l.seen = make(map[string]bool)
	}
	added = !l.seen[key]
	l.seen[key] = true
	return len(l.seen), added
}

// long returns the duration in minutes to warn about when the given number of replications is reached, or 0.
func long(number, perMinute int) int {
	if perMinute == 0 {
		return 0
	}
	reached := 0
	for limit := longMinutes; number*requestsPerChange >= limit*perMinute; limit *= 2 {
		if (number-1)*requestsPerChange < limit*perMinute {
			reached = limit
		}
	}
	return reached
}

func (l *load) report(ctx context.Context, c *vr.Client, plan model, diags *diag.Diagnostics) (number int) {
	number, added := l.add(plan.workKey())
	tflog.Info(ctx, "Planning a replication", map[string]any{"vm_id": plan.VMID.ValueString(), "number": number})
	minutes := long(number, c.RequestsPerMinute())
	if !added || minutes == 0 {
		return number
	}
	diags.AddWarning(
		fmt.Sprintf("Applying the Replications Takes More Than %d Minutes", minutes),
		fmt.Sprintf("At least %d replications are to be created or changed. That takes about %d requests to the gateway, "+
			"and "+
			"requests_per_minute of the provider's argument replication allows %d a minute. TF_LOG=INFO shows the progress. "+
			"Where the appliance allows more, raise requests_per_minute or VSLA_REPLICATION_REQUESTS_PER_MINUTE.",
			number, number*requestsPerChange, c.RequestsPerMinute()),
	)
	return number
}
