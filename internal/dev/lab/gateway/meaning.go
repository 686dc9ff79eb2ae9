package gateway

import (
	"fmt"
	"net/http"
	"path"
	"slices"
	"strings"
)

type finding struct{ code, message string }

func found(code, format string, args ...any) *finding {
	return &finding{code: code, message: fmt.Sprintf(format, args...)}
}

// rejected returns false if f is nil. Otherwise it answers with status 400, or with a failed task if FailInTask is set,
// and returns true.
func (g *Gateway) rejected(c *call, entity, name string, f *finding) bool {
	switch {
	case f == nil:
		return false
	case g.config.Switches.FailInTask:
		g.accept(c, g.newTask(c.op.id, entity, name, &errorInfo{Message: f.message, Details: f.code}, nil, nil))
	default:
		g.refuse(c, http.StatusBadRequest, f.code, f.message)
	}
	return true
}

func (g *Gateway) judge(pairing string, spec replicationSpec, r *replication) *finding {
	mo, guid, ok := split(spec.VMID, "VirtualMachine")
	if !ok || !strings.EqualFold(guid, g.local.vcID) {
		return found("VM_NOT_FOUND", "%s is not a VM of the local vCenter.", spec.VMID)
	}
	target := g.remote
	if g.isSelf(pairing) {
		target = g.local
	}
	if !strings.EqualFold(spec.TargetVCID, target.vcID) {
		return found("TARGET_VC_UNKNOWN", "%s is not the remote vCenter of the pairing.", spec.TargetVCID)
	}
	m, ok := g.local.vc.VMState(mo)
	if !ok {
		return found("VM_NOT_FOUND", "There is no VM %s.", spec.VMID)
	}
	k := g.capabilityOf(g.local, m)
	if r == nil {
		if k.Status != "OK" {
			return found("VM_"+k.Status, "The VM cannot be replicated: %s.", k.Status)
		}
	} else if f := g.changeable(r); f != nil {
		return f
	}
	if f := g.judgeSettings(spec, k); f != nil {
		return f
	}
	if f := g.judgeServer(spec.ServerID, target); f != nil {
		return f
	}
	return g.judgeDisks(spec, target, g.disksOf(g.local, m), r)
}

func (g *Gateway) changeable(r *replication) *finding {
	switch {
	case r.vanished:
		return found("VM_NOT_FOUND", "The VM does not exist.")
	case r.busy, g.engine.Now() < r.settled+g.config.Switches.BusyFor:
		return found("REPLICATION_BUSY", "The replication is being configured.")
	case r.forced == "UNKNOWN":
		return found("REPLICATION_STATE_UNKNOWN", "The state of the replication is not known.")
	case r.recoveryState == "IN_PROGRESS" || r.forced == "RECOVERING" || r.forced == "RECOVERED":
		return found("REPLICATION_RECOVERING", "The replication is being recovered.")
	}
	return nil
}

func (g *Gateway) judgeSettings(spec replicationSpec, k Capability) *finding {
	switch {
	case spec.RPO < int64(k.MinRPOMinutes):
		return found("RPO_TOO_LOW", "The RPO of this VM is at least %d minutes.", k.MinRPOMinutes)
	case spec.Quiesce && (!k.Quiescing || spec.RPO < 15):
		return found("QUIESCING_NOT_SUPPORTED", "Quiescing is not supported, or the RPO is below 15 minutes.")
	case spec.NetworkCompression && !k.Compression:
		return found("COMPRESSION_NOT_SUPPORTED", "Compression is not supported.")
	case spec.Encryption && !k.Encryption:
		return found("ENCRYPTION_NOT_SUPPORTED", "Encryption is not supported.")
	case spec.AutoReplicate && !k.AutoReplicate:
		return found("AUTO_REPLICATION_NOT_SUPPORTED", "New disks cannot be replicated automatically.")
	case spec.MPIT:
		return judgeInstances(spec, k)
	}
	return nil
}

func judgeInstances(spec replicationSpec, k Capability) *finding {
	switch {
	case !k.MPIT:
		return found("MPIT_NOT_SUPPORTED", "Point in time instances are not supported.")
	case spec.MPITInstances < 1 || spec.MPITDays < 0:
		return found("MPIT_INVALID", "Point in time instances need at least one instance, and no negative days.")
	// The number of instances is per day if days are set, and in total otherwise.
	case int64(spec.MPITInstances)*int64(max(1, spec.MPITDays)) > mostInstances:
		return found("MPIT_INVALID", "There are at most %d point in time instances.", mostInstances)
	}
	return nil
}

func (g *Gateway) judgeServer(id *string, target *site) *finding {
	if id == nil {
		return nil
	}
	i := slices.IndexFunc(target.servers, func(s *replicationServer) bool { return s.ID == *id })
	switch {
	case i < 0:
		return found("SERVER_NOT_FOUND", "There is no replication server %s at the target.", *id)
	case target.servers[i].Decommissioned:
		return found("SERVER_DECOMMISSIONED", "The replication server is decommissioned.")
	case !target.servers[i].Connected:
		return found("SERVER_DISCONNECTED", "The replication server is not connected.")
	}
	return nil
}

func (g *Gateway) judgeDisks(spec replicationSpec, target *site, sources []vmDisk, r *replication) *finding {
	seen := map[int32]bool{}
	stores := g.datastores(target)
	for _, d := range spec.Disks {
		key := d.key()
		i := slices.IndexFunc(sources, func(s vmDisk) bool { return s.key() == key })
		switch {
		case d.Disk.VMID != spec.VMID:
			return found("DISK_OF_OTHER_VM", "A disk is one of %s.", d.Disk.VMID)
		case i < 0:
			return found("DISK_NOT_FOUND", "The VM has no disk %d.", key)
		case seen[key]:
			return found("DISK_TWICE", "The disk %d is there twice.", key)
		case !sources[i].SupportedForReplication && d.Enabled:
			return found("DISK_NOT_SUPPORTED", "The disk %d cannot be replicated.", key)
		}
		seen[key] = true
		if f := judgeSeed(d); f != nil {
			return f
		}
		if f := g.judgePlace(d, target, stores, sources[i], r); f != nil {
			return f
		}
	}
	for _, s := range sources {
		if !seen[s.key()] {
			return found("DISK_MISSING", "The disk %q is not in the request.", s.Label)
		}
	}
	return nil
}

func judgeSeed(d diskSpec) *finding {
	hasPath := d.Path != nil && *d.Path != ""
	switch {
	case d.isHome() && (d.UseSeeds || hasPath || !d.Enabled):
		return found("VM_HOME_INVALID", "The folder of the VM is replicated always, and without a seed.")
	case d.UseSeeds && !hasPath:
		return found("SEED_PATH_MISSING", "A seed needs its path.")
	case !d.UseSeeds && hasPath:
		return found("SEED_PATH_UNEXPECTED", "A path is given only with a seed.")
	}
	return nil
}

func (g *Gateway) judgePlace(d diskSpec, target *site, stores []datastore, source vmDisk, r *replication) *finding {
	_, guid, ok := split(d.DatastoreID, "Datastore")
	i := slices.IndexFunc(stores, func(s datastore) bool { return s.ID == d.DatastoreID })
	switch {
	case !ok || !strings.EqualFold(guid, target.vcID):
		return found("DATASTORE_NOT_AT_TARGET", "%s is not a datastore of the target vCenter.", d.DatastoreID)
	case i < 0:
		return found("DATASTORE_NOT_FOUND", "There is no datastore %s.", d.DatastoreID)
	case !stores[i].Accessible:
		return found("DATASTORE_NOT_ACCESSIBLE", "The datastore %s is not accessible.", stores[i].Name)
	case stores[i].OverallStatus == "RED":
		return found("DATASTORE_RED", "The datastore %s is in trouble.", stores[i].Name)
	case r == nil && d.Enabled && !d.UseSeeds && stores[i].FreeSpace < g.diskBytes(d.Disk.VMID, source):
		return found("DATASTORE_FULL", "The datastore %s has too little space.", stores[i].Name)
	}
	if d.PolicyID == nil {
		return nil
	}
	p := slices.IndexFunc(target.policies, func(p storagePolicy) bool { return p.ID == *d.PolicyID })
	switch {
	case p < 0:
		return found("POLICY_NOT_FOUND", "There is no storage policy %s.", *d.PolicyID)
	case target.policies[p].Encryption:
		return found(
			"POLICY_NOT_COMPLIANT",
			"The datastore %s does not comply with the policy %s.",
			stores[i].Name,
			target.policies[p].Name,
		)
	}
	return nil
}

func (g *Gateway) datastoreOf(c *call, s *site) (datastore, bool) {
	list := g.datastores(s)
	if i := slices.IndexFunc(list, func(d datastore) bool { return d.ID == c.r.PathValue("datastore_id") }); i >= 0 {
		return list[i], true
	}
	g.empty(c, http.StatusNotFound)
	return datastore{}, false
}

func (g *Gateway) findSeeds(c *call) {
	s := g.vcenter(c)
	if s == nil {
		return
	}
	d, ok := g.datastoreOf(c, s)
	if !ok {
		return
	}
	var ask []struct {
		Disk diskIdentifier `json:"vm_disk"`
		Path *string        `json:"destination_path"`
	}
	if !g.read(c, &ask) {
		return
	}
	list := []foundSeeds{}
	for _, one := range ask {
		found := foundSeeds{Disk: one.Disk, Found: []string{}}
		want := g.fileOf(one.Disk)
		for _, file := range g.filesOn(d.ID) {
			if path.Base(file) == want && (one.Path == nil || strings.HasPrefix(file, *one.Path)) {
				found.Found = append(found.Found, file)
			}
		}
		list = append(list, found)
	}
	all(g, c, list, nil)
}

func (g *Gateway) fileOf(id diskIdentifier) string {
	m, ok := g.local.vc.VMState(moid(id.VMID))
	if !ok || id.DeviceKey == nil {
		return ""
	}
	for _, disk := range g.disksOf(g.local, m) {
		if disk.key() == *id.DeviceKey && !disk.IsVMHome {
			return *disk.SourcePath.Filename
		}
	}
	return ""
}

func (g *Gateway) listPolicies(c *call) {
	if s := g.vcenter(c); s != nil {
		page(g, c, s.policies, nil)
	}
}

func (g *Gateway) checkCompliance(c *call) {
	s := g.vcenter(c)
	if s == nil {
		return
	}
	i := slices.IndexFunc(s.policies, func(p storagePolicy) bool { return p.ID == c.r.PathValue("storage_policy_id") })
	if i < 0 {
		g.empty(c, http.StatusNotFound)
		return
	}
	var ids []string
	if !g.read(c, &ids) {
		return
	}
	list := []compliance{}
	for _, id := range ids {
		result := compliance{PolicyID: s.policies[i].ID, Datastore: id, Compliant: !s.policies[i].Encryption}
		if !result.Compliant {
			result.Message = new("The datastore offers no encryption.")
		}
		list = append(list, result)
	}
	all(g, c, list, nil)
}
