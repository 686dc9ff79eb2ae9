package replication

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/path"

	"terraform-provider-vsla/internal/provider/kit/explain"
	"terraform-provider-vsla/internal/vr"
)

const (
	// usualMinRPO is the minimum RPO in minutes that most VMs support.
	usualMinRPO = 15
	// standardMinRPO is the minimum RPO in minutes without enhanced replication.
	standardMinRPO = 5
	// alreadyConfigured is the status of a VM that is replicated.
	alreadyConfigured = "ALREADY_CONFIGURED"
)

// checkEnhanced rejects an RPO below 5 minutes without enhanced replication, unless the release reports that the
// pairing supports it.
func (ch check) checkEnhanced(ctx context.Context) {
	rpo := ch.plan.RPOMinutes
	flag := ch.plan.EnhancedReplication
	if !isKnown(rpo) || rpo.ValueInt64() >= standardMinRPO {
		return
	}
	mayBeEnhanced := flag.ValueBool() || ch.config.EnhancedReplication.IsUnknown()
	isUnchanged := !ch.creating && rpo.Equal(ch.state.RPOMinutes) && flag.Equal(ch.state.EnhancedReplication)
	if mayBeEnhanced || isUnchanged {
		return
	}
	limits, err := ch.client.RPOLimits(ctx, ch.plan.PairingID.ValueString())
	if err == nil && limits.MinMinutes > 0 && rpo.ValueInt64() >= limits.MinMinutes {
		return
	}
	ch.diags.AddAttributeError(path.Root("rpo_minutes"), "RPO Requires Enhanced Replication",
		fmt.Sprintf("rpo_minutes must be at least %d unless enhanced_replication is true, got %d. Increase "+
			"rpo_minutes, or set enhanced_replication = true if the release and the hosts support "+
			"it.", standardMinRPO, rpo.ValueInt64()))
}

func (ch check) checkCapability(ctx context.Context, source vr.Site, requirements []requirement) {
	pairing := ch.plan.PairingID.ValueString()
	vm := ch.plan.VMID.ValueString()
	if ch.canSkipCapability(ctx, source, requirements) {
		return
	}
	can, err := ch.client.Capability(ctx, pairing, source.VCenterID, vm)
	switch {
	case errors.Is(err, vr.ErrNotFound) && ch.creating:
		ch.addUnknownVM(ctx, source, err)
		return
	case errors.Is(err, vr.ErrNotFound):
		addMissingVM(ch.plan, err, ch.diags)
		return
	case err != nil:
		failure("Check", ch.plan, fmt.Errorf("%w; to skip the check, set skip_capability_check = true", err)).
			AddTo(ch.diags)
		return
	}
	ch.counter.recordCapability(can)
	if ch.inState && can.Status == alreadyConfigured {
		can.Status = "OK" // this resource replaces or resumes the replication
	}
	if ch.creating && !ch.replicable(ctx, can) {
		return
	}
	ch.addUnsupported(requirements, can)
}

// moid matches managed object IDs of VMs. Anything else may be a name.
var moid = regexp.MustCompile(`^vm-[0-9]+$`)

// addUnknownVM adds an error for a VM that does not exist, and names the IDs of the VMs that have its ID as name.
func (ch check) addUnknownVM(ctx context.Context, source vr.Site, err error) {
	id := vr.MOIDOf(ch.plan.VMID.ValueString())
	detail := fmt.Sprintf("VM %q does not exist in vCenter %s or is not visible to this account. Check the ID, and "+
		"that the VM belongs to this pairing.\n\n%s", id, source.VCenterName, explain.Detail(err))
	if !moid.MatchString(id) {
		named, lookErr := ch.client.VMsByProperty(ctx, ch.plan.PairingID.ValueString(), source.VCenterID, "name", id)
		var ids []string
		for _, vm := range named {
			ids = append(ids, vr.MOIDOf(vm.ID))
		}
		if lookErr == nil && len(ids) > 0 {
			detail = fmt.Sprintf("%q is not the ID of a VM. The VM with this name has the ID %s.", id,
				strings.Join(ids, " or "))
		}
	}
	ch.diags.AddAttributeError(path.Root("vm_id"), "Unknown VM", detail)
}

// canSkipCapability reports whether the individual capability check of the VM can be skipped. This is the case if the
// VM is replicated or in the gateway's list of suitable VMs, the plan contains no rare setting, and all sampled VMs
// have the usual capability. If a new VM is not in the list, the individual check returns the reason.
func (ch check) canSkipCapability(ctx context.Context, source vr.Site, requirements []requirement) bool {
	rare := slices.ContainsFunc(requirements, func(q requirement) bool { return q.rare })
	isReplacement := ch.creating && ch.inState
	if isReplacement || rare || !ch.counter.sampleComplete(ch.plannedCount) {
		return false
	}
	if !ch.creating {
		return true
	}
	pairing := ch.plan.PairingID.ValueString()
	vm := ch.plan.VMID.ValueString()
	suitable, err := ch.client.IsSuitable(ctx, pairing, source.VCenterID, vm)
	return err == nil && suitable
}

func (ch check) addUnsupported(requirements []requirement, can vr.Capability) {
	for _, q := range requirements {
		if reason := q.unmet(can); reason != "" {
			ch.diags.AddAttributeError(path.Root(q.attribute), "Not Supported by VM", fmt.Sprintf(
				"vSphere Replication reports for %s: %s. Change the argument, or set skip_capability_check = true to "+
					"skip the check.",
				ch.plan.VMID.ValueString(),
				reason,
			))
		}
	}
}

func (ch check) replicable(ctx context.Context, can vr.Capability) bool {
	switch can.Status {
	case "OK", "":
		return true
	case alreadyConfigured:
		existing, err := ch.client.Replications(
			ctx,
			ch.plan.PairingID.ValueString(),
			ch.plan.VMID.ValueString(),
			vr.Shared,
		)
		if err == nil && len(existing) > 0 { // the plan has warned about it
			return true
		}
	}
	text := ""
	if len(can.Reasons) > 0 {
		text = " (" + strings.Join(can.Reasons, "; ") + ")"
	}
	ch.diags.AddAttributeError(path.Root("vm_id"), "VM Cannot Be Replicated", fmt.Sprintf(
		"vSphere Replication reports %[2]s for %[1]s%[3]s. Correct the cause, or set skip_capability_check = true to "+
			"skip the check.",
		ch.plan.VMID.ValueString(),
		can.Status,
		text,
	))
	return false
}

// requirement is a setting that some VMs do not support.
type requirement struct {
	attribute string
	unmet     func(vr.Capability) string
	// rare is true if many VMs do not support the setting, so each VM must be checked.
	rare bool
}

func (ch check) requirements() []requirement {
	plan := ch.plan
	state := ch.state
	var all []requirement
	addCommon := func(attribute string, wanted, changed bool, unmet func(vr.Capability) string) {
		isNew := ch.creating || changed
		if wanted && isNew {
			all = append(all, requirement{attribute: attribute, unmet: unmet})
		}
	}
	addRare := func(attribute string, wanted, changed bool, unmet func(vr.Capability) string) {
		before := len(all)
		addCommon(attribute, wanted, changed, unmet)
		for i := range all[before:] {
			all[before+i].rare = true
		}
	}
	requires := func(what string, isSupported func(vr.Capability) bool) func(vr.Capability) string {
		return func(can vr.Capability) string {
			if isSupported(can) {
				return ""
			}
			return what + " is not supported"
		}
	}
	addRPO := addRare
	if plan.RPOMinutes.ValueInt64() >= usualMinRPO {
		addRPO = addCommon
	}
	addRPO("rpo_minutes", isKnown(plan.RPOMinutes), !plan.RPOMinutes.Equal(state.RPOMinutes),
		func(can vr.Capability) string {
			if plan.RPOMinutes.ValueInt64() >= can.MinRPOMinutes {
				return ""
			}
			return fmt.Sprintf(
				"rpo_minutes must be at least %d, got %d",
				can.MinRPOMinutes,
				plan.RPOMinutes.ValueInt64(),
			)
		})
	addRare("quiesce_guest", plan.QuiesceGuest.ValueBool(), !plan.QuiesceGuest.Equal(state.QuiesceGuest),
		requires("quiescing", func(can vr.Capability) bool { return can.Quiescing }))
	addRare("network_compression", plan.NetworkCompression.ValueBool(),
		!plan.NetworkCompression.Equal(state.NetworkCompression),
		requires("traffic compression", func(can vr.Capability) bool { return can.Compression }))
	addRare("network_encryption", plan.NetworkEncryption.ValueBool(),
		!plan.NetworkEncryption.Equal(state.NetworkEncryption),
		requires("traffic encryption", func(can vr.Capability) bool { return can.Encryption }))
	addRare("network_encryption", !ch.config.NetworkEncryption.IsNull() && !plan.NetworkEncryption.IsUnknown() &&
		!plan.NetworkEncryption.ValueBool(), !plan.NetworkEncryption.Equal(state.NetworkEncryption),
		func(can vr.Capability) string {
			if !can.Encrypted {
				return ""
			}
			return "the VM is encrypted, so its replication traffic must be encrypted; remove network_encryption or " +
				"set it to true"
		})
	addCommon("auto_replicate_new_disks", plan.AutoReplicateNewDisks.ValueBool(),
		!plan.AutoReplicateNewDisks.Equal(state.AutoReplicateNewDisks),
		requires("automatic replication of new disks", func(can vr.Capability) bool { return can.AutoReplicate }))
	addRare("point_in_time", !plan.PointInTime.IsNull(), !plan.PointInTime.Equal(state.PointInTime),
		requires("keeping point-in-time instances", func(can vr.Capability) bool { return can.PointInTime }))
	addRare("target_datastore_id", isCluster(plan.TargetDatastoreID.ValueString()),
		!plan.TargetDatastoreID.Equal(state.TargetDatastoreID),
		requires("a datastore cluster as the target", func(can vr.Capability) bool { return can.DatastoreCluster }))
	addRare("target_datastore_id", !ch.creating && !plan.TargetDatastoreID.IsUnknown(),
		!plan.TargetDatastoreID.Equal(state.TargetDatastoreID),
		requires("moving replicas", func(can vr.Capability) bool { return can.ReconfigureDisks }))
	return all
}
