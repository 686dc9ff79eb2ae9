package replication

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"terraform-provider-vsla/internal/vr"
)

const (
	// leastCommonRPO is the minimum RPO of most VMs in minutes.
	leastCommonRPO = 15
	// leastPlainRPO is the minimum RPO without enhanced replication in minutes.
	leastPlainRPO = 5
)

type check struct {
	client              *vr.Client
	plan, state, config model
	// fresh is true if the replication will be created, and own if state contains a replication of the VM.
	fresh, own bool
	// number counts the planned replications including this one.
	number int
	load   *load
	diags  *diag.Diagnostics
}

func (ch check) run(ctx context.Context) {
	ch.enhanced()
	wishes := ch.wishes()
	moves := ch.fresh || ch.plan.placesDiffer(ch.state)
	if len(wishes) == 0 && !moves {
		return
	}
	source, target, ok := sides(ctx, ch.client, ch.plan, ch.diags)
	if !ok {
		return
	}
	if moves && !ch.places(ctx, target) {
		return
	}
	if len(wishes) > 0 || ch.fresh {
		ch.capability(ctx, source, wishes)
	}
}

func (ch check) enhanced() {
	rpo, flag := ch.plan.RPOMinutes, ch.plan.EnhancedReplication
	if !known(rpo) || rpo.ValueInt64() >= leastPlainRPO || flag.ValueBool() || ch.config.EnhancedReplication.IsUnknown() ||
		(!ch.fresh && rpo.Equal(ch.state.RPOMinutes) && flag.Equal(ch.state.EnhancedReplication)) {
		return
	}
	ch.diags.AddAttributeError(path.Root("rpo_minutes"), "RPO Needs Enhanced Replication",
		fmt.Sprintf("rpo_minutes must be at least %d without enhanced replication, got %d. Set enhanced_replication = true, "+
			"which needs a release and hosts that support it, or raise rpo_minutes.", leastPlainRPO, rpo.ValueInt64()))
}

func (ch check) capability(ctx context.Context, source vr.Site, wishes []wish) {
	pairing, vm := ch.plan.PairingID.ValueString(), ch.plan.VMID.ValueString()
	if ch.suitable(ctx, source, wishes) {
		return
	}
	can, err := ch.client.Capability(ctx, pairing, source.VCenterID, vm)
	if errors.Is(err, vr.ErrNotFound) && !ch.fresh {
		vmGone(ch.plan, err, ch.diags)
		return
	}
	if err != nil {
		f := failure("Check", ch.plan, fmt.Errorf("%w; skip_capability_check = true skips the check", err))
		if errors.Is(err, vr.ErrNotFound) {
			at := path.Root("vm_id")
			f.Attribute = &at
		}
		f.AddTo(ch.diags)
		return
	}
	ch.load.compare(can)
	if ch.own && can.Status == alreadyConfigured {
		can.Status = "OK" // replaced or resumed by this resource
	}
	if ch.fresh && !ch.replicable(ctx, can) {
		return
	}
	ch.refuse(wishes, can)
}

// suitable reports whether the individual capability check can be skipped. The VM must be in the gateway's list of
// suitable VMs, the plan must have no rare setting, and the sampled VMs must have the usual capability. For other VMs,
// the individual check returns the reason.
func (ch check) suitable(ctx context.Context, source vr.Site, wishes []wish) bool {
	rare := slices.ContainsFunc(wishes, func(w wish) bool { return w.rare })
	if !ch.fresh || ch.own || rare || !ch.load.samples(ch.number) {
		return false
	}
	suitable, err := ch.client.Suitable(ctx, ch.plan.PairingID.ValueString(), source.VCenterID, ch.plan.VMID.ValueString())
	return err == nil && suitable
}

// refuse adds an error for each wish that the VM does not support.
func (ch check) refuse(wishes []wish, can vr.Capability) {
	for _, w := range wishes {
		if refusal := w.refusal(can); refusal != "" {
			ch.diags.AddAttributeError(
				path.Root(w.attribute),
				"Not Possible With This VM",
				fmt.Sprintf(
					"vSphere Replication reports for %s: %s. Change the argument, or skip the check with "+
						"skip_capability_check = true.",
					ch.plan.VMID.ValueString(),
					refusal,
				),
			)
		}
	}
}

func (ch check) replicable(ctx context.Context, can vr.Capability) bool {
	switch can.Status {
	case "OK", "":
		return true
	case alreadyConfigured:
		there, err := ch.client.Replications(ctx, ch.plan.PairingID.ValueString(), ch.plan.VMID.ValueString(), vr.Shared)
		if err == nil && len(there) > 0 {
			alreadyReplicated(ch.plan, there[0], ch.diags)
			return false
		}
	}
	text := ""
	if len(can.Reasons) > 0 {
		text = " (" + strings.Join(can.Reasons, "; ") + ")"
	}
	ch.diags.AddAttributeError(
		path.Root("vm_id"),
		"VM Cannot Be Replicated",
		fmt.Sprintf(
			"vSphere Replication reports %[2]s for %[1]s%[3]s. Remove the cause, or skip the check with "+
				"skip_capability_check = true.",
			ch.plan.VMID.ValueString(),
			can.Status,
			text,
		),
	)
	return false
}

// wish is a setting that some VMs do not support.
type wish struct {
	attribute string
	refusal   func(vr.Capability) string
	// rare is true if many VMs do not support the setting, so each VM is checked.
	rare bool
}

func (ch check) wishes() []wish {
	plan, state := ch.plan, ch.state
	var all []wish
	common := func(attribute string, wanted, changed bool, refusal func(vr.Capability) string) {
		if wanted && (ch.fresh || changed) {
			all = append(all, wish{attribute: attribute, refusal: refusal})
		}
	}
	add := func(attribute string, wanted, changed bool, refusal func(vr.Capability) string) {
		before := len(all)
		common(attribute, wanted, changed, refusal)
		for i := range all[before:] {
			all[before+i].rare = true
		}
	}
	unless := func(what string, allowed func(vr.Capability) bool) func(vr.Capability) string {
		return func(can vr.Capability) string {
			if allowed(can) {
				return ""
			}
			return what + " is not supported"
		}
	}
	rpo := add
	if plan.RPOMinutes.ValueInt64() >= leastCommonRPO {
		rpo = common
	}
	rpo("rpo_minutes", known(plan.RPOMinutes), !plan.RPOMinutes.Equal(state.RPOMinutes), func(can vr.Capability) string {
		if plan.RPOMinutes.ValueInt64() >= can.MinRPOMinutes {
			return ""
		}
		return fmt.Sprintf("rpo_minutes must be at least %d, got %d", can.MinRPOMinutes, plan.RPOMinutes.ValueInt64())
	})
	add("quiesce_guest", plan.QuiesceGuest.ValueBool(), !plan.QuiesceGuest.Equal(state.QuiesceGuest),
		unless("quiescing", func(can vr.Capability) bool { return can.Quiescing }))
	add("network_compression", plan.NetworkCompression.ValueBool(),
		!plan.NetworkCompression.Equal(state.NetworkCompression),
		unless("compression of traffic", func(can vr.Capability) bool { return can.Compression }))
	add("network_encryption", plan.NetworkEncryption.ValueBool(), !plan.NetworkEncryption.Equal(state.NetworkEncryption),
		unless("encryption of traffic", func(can vr.Capability) bool { return can.Encryption }))
	add("network_encryption", !ch.config.NetworkEncryption.IsNull() && !plan.NetworkEncryption.IsUnknown() &&
		!plan.NetworkEncryption.ValueBool(), !plan.NetworkEncryption.Equal(state.NetworkEncryption),
		func(can vr.Capability) string {
			if !can.Encrypted {
				return ""
			}
			return "the VM is encrypted, so its replication is too; remove network_encryption or set it to true"
		})
	common("auto_replicate_new_disks", plan.AutoReplicateNewDisks.ValueBool(),
		!plan.AutoReplicateNewDisks.Equal(state.AutoReplicateNewDisks),
		unless("to replicate new disks by themselves", func(can vr.Capability) bool { return can.AutoReplicate }))
	add("point_in_time", !plan.PointInTime.IsNull(), !plan.PointInTime.Equal(state.PointInTime),
		unless("to keep instances", func(can vr.Capability) bool { return can.PointInTime }))
	add("target_datastore_id", isCluster(plan.TargetDatastoreID.ValueString()),
		!plan.TargetDatastoreID.Equal(state.TargetDatastoreID),
		unless("a datastore cluster as the target", func(can vr.Capability) bool { return can.DatastoreCluster }))
	add("target_datastore_id", !ch.fresh && !plan.TargetDatastoreID.IsUnknown(),
		!plan.TargetDatastoreID.Equal(state.TargetDatastoreID),
		unless("to move replicas", func(can vr.Capability) bool { return can.ReconfigureDisks }))
	return all
}
