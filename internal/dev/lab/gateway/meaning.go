package gateway

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
)

type apiError struct{ code, message string }

func newAPIError(code, format string, args ...any) *apiError {
	return &apiError{code: code, message: fmt.Sprintf(format, args...)}
}

// rejectInvalid rejects the request if f is not nil, and reports whether it did. It responds with status 400, or with a
// failing task if FailInTask is set.
func (g *Gateway) rejectInvalid(c *call, entity, name string, f *apiError) bool {
	switch {
	case f == nil:
		return false
	case g.config.Switches.FailInTask:
		g.writeTask(c, g.newTask(c.op.id, entity, name, &errorInfo{Message: f.message, Details: f.code}, nil, nil))
	default:
		g.writeError(c, http.StatusBadRequest, f.code, f.message)
	}
	return true
}

func (g *Gateway) validate(pairing string, spec replicationSpec, r *replication) *apiError {
	moid, vcenter, ok := parseID(spec.VMID, "VirtualMachine")
	if !ok || !strings.EqualFold(vcenter, g.local.vcID) {
		return newAPIError("VM_NOT_FOUND", "%s is not a VM of the local vCenter.", spec.VMID)
	}
	target := g.remote
	if g.isSelf(pairing) {
		target = g.local
	}
	if !strings.EqualFold(spec.TargetVCID, target.vcID) {
		return newAPIError("TARGET_VC_UNKNOWN", "%s is not the remote vCenter of the pairing.", spec.TargetVCID)
	}
	m, ok := g.local.vc.VMState(moid)
	if !ok {
		return newAPIError("VM_NOT_FOUND", "There is no VM %s.", spec.VMID)
	}
	k := g.capabilityOf(g.local, m)
	if r == nil {
		if k.Status != "OK" {
			return newAPIError("VM_"+k.Status, "The VM cannot be replicated: %s.", k.Status)
		}
	} else if f := g.checkChangeable(r); f != nil {
		return f
	}
	if f := g.validateSettings(spec, k); f != nil {
		return f
	}
	if f := g.validateServer(spec.ServerID, target); f != nil {
		return f
	}
	return g.validateDisks(spec, target, g.disksOf(g.local, m), r)
}

func (g *Gateway) checkChangeable(r *replication) *apiError {
	switch {
	case r.vmDeleted:
		return newAPIError("VM_NOT_FOUND", "The VM does not exist.")
	case r.busy, g.engine.Now() < r.configuredAt+g.config.Switches.BusyFor:
		return newAPIError("REPLICATION_BUSY", "The replication is being configured.")
	case r.statusOverride == "UNKNOWN":
		return newAPIError("REPLICATION_STATE_UNKNOWN", "The state of the replication is not known.")
	case r.recoveryState == "IN_PROGRESS" || r.statusOverride == "RECOVERING" || r.statusOverride == "RECOVERED":
		return newAPIError("REPLICATION_RECOVERING", "The replication is being recovered.")
	}
	return nil
}

func (g *Gateway) validateSettings(spec replicationSpec, k Capability) *apiError {
	canQuiesce := k.Quiescing && spec.RPO >= 15
	switch {
	case spec.RPO < int64(k.MinRPOMinutes):
		return newAPIError("RPO_TOO_LOW", "The RPO of this VM is at least %d minutes.", k.MinRPOMinutes)
	case spec.Quiesce && !canQuiesce:
		return newAPIError("QUIESCING_NOT_SUPPORTED", "Quiescing is not supported, or the RPO is below 15 minutes.")
	case spec.NetworkCompression && !k.Compression:
		return newAPIError("COMPRESSION_NOT_SUPPORTED", "Compression is not supported.")
	case spec.Encryption && !k.Encryption:
		return newAPIError("ENCRYPTION_NOT_SUPPORTED", "Encryption is not supported.")
	case spec.AutoReplicate && !k.AutoReplicate:
		return newAPIError("AUTO_REPLICATION_NOT_SUPPORTED", "New disks cannot be replicated automatically.")
	case spec.MPIT:
		return validateInstances(spec, k)
	}
	return nil
}

func validateInstances(spec replicationSpec, k Capability) *apiError {
	switch {
	case !k.MPIT:
		return newAPIError("MPIT_NOT_SUPPORTED", "Point in time instances are not supported.")
	case spec.MPITInstances < 1 || spec.MPITDays < 0:
		return newAPIError("MPIT_INVALID", "Point in time instances need at least one instance, and no negative days.")
	// MPITInstances is the number per day if MPITDays is set, and the total number otherwise.
	case int64(spec.MPITInstances)*int64(max(1, spec.MPITDays)) > maxInstances:
		return newAPIError("MPIT_INVALID", "There are at most %d point in time instances.", maxInstances)
	}
	return nil
}

func (g *Gateway) validateServer(id *string, target *site) *apiError {
	if id == nil {
		return nil
	}
	i := slices.IndexFunc(target.servers, func(s *replicationServer) bool { return s.ID == *id })
	switch {
	case i < 0:
		return newAPIError("SERVER_NOT_FOUND", "There is no replication server %s at the target.", *id)
	case target.servers[i].Decommissioned:
		return newAPIError("SERVER_DECOMMISSIONED", "The replication server is decommissioned.")
	case !target.servers[i].Connected:
		return newAPIError("SERVER_DISCONNECTED", "The replication server is not connected.")
	}
	return nil
}

func (g *Gateway) validateDisks(spec replicationSpec, target *site, sources []vmDisk, r *replication) *apiError {
	seen := map[int32]bool{}
	stores := g.datastores(target)
	for _, d := range spec.Disks {
		key := d.key()
		i := slices.IndexFunc(sources, func(s vmDisk) bool { return s.key() == key })
		switch {
		case !strings.EqualFold(d.Disk.VMID, spec.VMID):
			return newAPIError("DISK_OF_OTHER_VM", "A disk is one of %s.", d.Disk.VMID)
		case i < 0:
			return newAPIError("DISK_NOT_FOUND", "The VM has no disk %d.", key)
		case seen[key]:
			return newAPIError("DISK_TWICE", "The disk %d is there twice.", key)
		case !sources[i].SupportedForReplication && d.Enabled:
			return newAPIError("DISK_NOT_SUPPORTED", "The disk %d cannot be replicated.", key)
		}
		seen[key] = true
		if f := validateSeed(d); f != nil {
			return f
		}
		if f := g.validatePlacement(d, target, stores, sources[i], r); f != nil {
			return f
		}
	}
	for _, s := range sources {
		if !seen[s.key()] {
			return newAPIError("DISK_MISSING", "The disk %q is not in the request.", s.Label)
		}
	}
	return nil
}

func validateSeed(d diskSpec) *apiError {
	hasPath := d.Path != nil && *d.Path != ""
	isDefault := d.Enabled && !d.UseSeeds && !hasPath
	switch {
	case d.isHome() && !isDefault:
		return newAPIError("VM_HOME_INVALID", "The folder of the VM is replicated always, and without a seed.")
	case d.UseSeeds && !hasPath:
		return newAPIError("SEED_PATH_MISSING", "A seed needs its path.")
	case !d.UseSeeds && hasPath:
		return newAPIError("SEED_PATH_UNEXPECTED", "A path is given only with a seed.")
	}
	return nil
}

func (g *Gateway) validatePlacement(
	d diskSpec, target *site, stores []datastore, source vmDisk, r *replication,
) *apiError {
	_, guid, ok := parseID(d.DatastoreID, "Datastore")
	i := slices.IndexFunc(stores, func(s datastore) bool { return strings.EqualFold(s.ID, d.DatastoreID) })
	switch {
	case !ok || !strings.EqualFold(guid, target.vcID):
		return newAPIError("DATASTORE_NOT_AT_TARGET", "%s is not a datastore of the target vCenter.", d.DatastoreID)
	case i < 0:
		return newAPIError("DATASTORE_NOT_FOUND", "There is no datastore %s.", d.DatastoreID)
	case !stores[i].Accessible:
		return newAPIError("DATASTORE_NOT_ACCESSIBLE", "The datastore %s is not accessible.", stores[i].Name)
	case stores[i].OverallStatus == "RED":
		return newAPIError("DATASTORE_RED", "The datastore %s is in trouble.", stores[i].Name)
	case r == nil && d.Enabled && !d.UseSeeds && stores[i].FreeSpace < g.diskBytes(d.Disk.VMID, source):
		return newAPIError("DATASTORE_FULL", "The datastore %s has too little space.", stores[i].Name)
	}
	if d.PolicyID == nil {
		return nil
	}
	p := slices.IndexFunc(target.policies, func(p storagePolicy) bool { return p.ID == *d.PolicyID })
	switch {
	case p < 0:
		return newAPIError("POLICY_NOT_FOUND", "There is no storage policy %s.", *d.PolicyID)
	case target.policies[p].Encryption:
		return newAPIError(
			"POLICY_NOT_COMPLIANT",
			"The datastore %s does not comply with the policy %s.",
			stores[i].Name,
			target.policies[p].Name,
		)
	}
	return nil
}
