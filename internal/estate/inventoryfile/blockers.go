// VMs that vSphere Replication refuses.

package inventoryfile

import (
	"slices"
	"strconv"
	"strings"
)

// Blockers are the reasons for which vSphere Replication refuses a VM. Its API reports them as the validation status.
const (
	BlockerRDM      = "PHYSICAL_RDM_DISK_FOUND"
	BlockerFT       = "IS_FT_VM"
	BlockerAgent    = "IS_EAM_VM"
	BlockerTemplate = "IS_VM_TEMPLATE"
	BlockerHardware = "INVALID_HW_VERSION"
)

// minHardware is the oldest virtual hardware version that vSphere Replication supports.
const minHardware = 7

// Folders and names of VMs that vCenter's agent manager deploys, in lower case.
var (
	agentFolders = []string{"vcls", "esx agents"}
	agentNames   = []string{"vcls-", "vcls (", "vsan file service node", "guest introspection"}
)

func (b *builder) readBlockers(r *row, at func(field string) cell, template bool) {
	vm := &r.vm
	add := func(found bool, blocker string) {
		if found {
			vm.Blockers = append(vm.Blockers, blocker)
		}
	}
	ft := strings.ToLower(at(fieldFaultTolerance).text)
	version := strings.TrimPrefix(strings.ToLower(at(fieldHardware).text), "vmx-")
	hardware, err := strconv.Atoi(version)
	add(isAgent(vm.Name, vm.Folder), BlockerAgent)
	add(ft != "" && ft != "notconfigured" && ft != "disabled", BlockerFT)
	add(err == nil && hardware > 0 && hardware < minHardware, BlockerHardware)
	add(template, BlockerTemplate)
}

func isAgent(name, folder string) bool {
	name = strings.ToLower(name)
	hasPrefix := func(prefix string) bool { return strings.HasPrefix(name, prefix) }
	isFolder := func(part string) bool { return slices.Contains(agentFolders, part) }
	return name == "vcls" || slices.ContainsFunc(agentNames, hasPrefix) ||
		slices.ContainsFunc(strings.Split(strings.ToLower(folder), "/"), isFolder)
}

var blockerTexts = map[string]string{
	BlockerRDM:      "disk in physical RDM mode",
	BlockerFT:       "Fault Tolerance",
	BlockerAgent:    "managed by vCenter",
	BlockerTemplate: "template",
	BlockerHardware: "virtual hardware older than version 7",
}

// BlockerText returns the VM's name with the reasons for which vSphere Replication refuses it.
func (vm *VM) BlockerText() string {
	reasons := make([]string, 0, len(vm.Blockers))
	for _, blocker := range vm.Blockers {
		reasons = append(reasons, blockerTexts[blocker]+", "+blocker)
	}
	return vm.Name + " (" + strings.Join(reasons, "; ") + ")"
}

// IsUserVM reports whether the VM is neither a template nor managed by vCenter.
func (vm *VM) IsUserVM() bool {
	return !slices.Contains(vm.Blockers, BlockerTemplate) && !slices.Contains(vm.Blockers, BlockerAgent)
}
