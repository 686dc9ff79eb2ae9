// VMs that cannot be told apart, and IDs under unknown headers.

package inventoryfile

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/quantity"
)

// checkNames returns an error if names repeat in a file without IDs. They can be rows of the same VM.
func (b *builder) checkNames(vms []VM) error {
	if b.options.DuplicateNames {
		return nil
	}
	type place struct{ datacenter, cluster, folder, name string }
	counts := map[place]int{}
	for _, vm := range vms {
		if vm.ID+vm.InstanceUUID+vm.UUID == "" {
			counts[place{vm.Datacenter, vm.Cluster, vm.Folder, vm.Name}]++
		}
	}
	rows := 0
	var names []string
	for at, n := range counts {
		if n > 1 {
			rows += n
			names = append(names, at.name)
		}
	}
	if rows == 0 {
		return nil
	}
	slices.Sort(names)
	occur := "occur"
	if len(names) == 1 {
		occur = "occurs"
	}
	return fileError("%s%s without an ID %s in %d rows: %s. They can be rows of the same VM, such as one row per hour "+
		"or per disk. Add a column with the VM IDs, keep one row per VM or, if they are different VMs, allow "+
		"duplicate names (allow_duplicate_names in Terraform, --allow-duplicate-names on the command line)", b.prefix(),
		plan.Count(float64(len(names)), "name"), occur, rows, quantity.List(names, maxNoted))
}

// unknownIDs finds a column with IDs under an unknown header. It examines the first rows.
type unknownIDs struct {
	header []string
	rows   int
	// counts is the number of IDs by column.
	counts map[int]int
	sample map[int]string
}

var (
	vmID   = regexp.MustCompile(`^vm-\d+$`)
	vmUUID = regexp.MustCompile(`(?i)^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)
)

const idSample = 50

// setHeader starts to examine the columns of a header row without IDs.
func (u *unknownIDs) setHeader(header []string, found layout) {
	*u = unknownIDs{}
	if found[fieldID] != nil || found[fieldInstanceUUID] != nil || found[fieldUUID] != nil {
		return
	}
	for _, text := range header {
		u.header = append(u.header, strings.Clone(strings.TrimSpace(text)))
	}
	for _, columns := range found {
		for _, c := range columns {
			u.header[c.index] = ""
		}
	}
	u.counts, u.sample = map[int]int{}, map[int]string{}
}

func (u *unknownIDs) observe(cells []string) {
	if u.counts == nil || u.rows == idSample {
		return
	}
	u.rows++
	for i, text := range cells[:min(len(cells), len(u.header))] {
		if text = strings.TrimSpace(text); u.header[i] != "" && (vmID.MatchString(text) || vmUUID.MatchString(text)) {
			u.counts[i]++
			u.sample[i] = strings.Clone(text)
		}
	}
}

func (u *unknownIDs) notes() []string {
	for i, header := range u.header {
		if u.rows > 0 && u.counts[i] == u.rows {
			field := fieldID
			if vmUUID.MatchString(u.sample[i]) {
				field = fieldInstanceUUID
			}
			return []string{fmt.Sprintf("Column %s (%q) contains IDs of VMs, such as %s, but is not read because its "+
				"header is unknown. Rename it to %q, or map the field %s to it.", columnName(i), header, u.sample[i],
				rvtoolsHeaders[field][0], field)}
		}
	}
	return nil
}
