package doctor

import (
	"context"
	"slices"
	"strings"

	"terraform-provider-vsla/internal/vsphere"
	"terraform-provider-vsla/internal/vsphere/privilege"
)

// reportPermissions reports the privileges on the root folder, including those from global permissions.
func (v *vcenterExaminer) reportPermissions(ctx context.Context) {
	var needed []string
	for _, need := range privilege.Needs() {
		needed = append(needed, need.IDs...)
	}
	slices.Sort(needed)
	needed = slices.Compact(needed)
	p, err := v.client.Privileges(ctx, needed)
	v.checkPrivilegeNames(needed, p, err)
	if err != nil {
		return
	}
	for _, need := range privilege.Needs() {
		v.reportNeed(need, p)
	}
}

// checkPrivilegeNames checks that the release defines all privileges mentioned in vsla's messages.
func (v *vcenterExaminer) checkPrivilegeNames(needed []string, p vsphere.Privileges, err error) {
	missing := slices.DeleteFunc(slices.Clone(needed), func(id string) bool { return p.Known[id] })
	const id = "privilege-names"
	switch {
	case err != nil:
		v.report.addCheck(id, Unknown, "The privileges cannot be read: "+reason(err)+".")
	case len(p.Known) == 0:
		v.report.addCheck(id, Unknown, "This user cannot list the privileges of vCenter.")
	case len(missing) > 0:
		v.report.addCheck(id, Differs, "Privileges in vsla's messages do not exist in this release: "+
			strings.Join(missing, ", ")+".")
	default:
		v.report.addCheck(id, OK, "All privileges in vsla's messages exist in this release.")
	}
}

// reportNeed reports which privileges of a feature the user has, lacks, and which vCenter does not report.
func (v *vcenterExaminer) reportNeed(need privilege.Need, p vsphere.Privileges) {
	var has, lacks, notReported []string
	for _, id := range need.IDs {
		granted, reported := p.Granted[id]
		switch {
		case !reported:
			notReported = append(notReported, id)
		case granted:
			has = append(has, id)
		default:
			lacks = append(lacks, id)
		}
	}
	if len(lacks) > 0 {
		v.report.lacking.add("%s: %s", need.Feature, strings.Join(lacks, ", "))
	}
	v.report.permissions = append(v.report.permissions,
		[]string{need.Feature, joinOrDash(has), joinOrDash(lacks), joinOrDash(notReported)})
}
