// The vCenter: connection, release, privileges and limits.

package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/transport"
	"terraform-provider-vsla/internal/vsphere"
	"terraform-provider-vsla/internal/vsphere/privilege"
)

// vcenter is the state of the examined vCenter.
type vcenter struct {
	*session

	client  *vsphere.Client
	release int // 80 for 8.0; 0 when not known
	// categories are the ids of all categories.
	categories []string
	// metricsSet and metricsErr are what became of reading the limit of a query of statistics.
	metricsSet bool
	metricsErr error
	// types are the ids of the events to read, replicated is a VM that is replicated; empty for none.
	types      []string
	replicated string
}

// examineVCenter connects and runs every check; after a failure to connect it ends.
func (s *session) examineVCenter(ctx context.Context, client *vsphere.Client) {
	v := &vcenter{session: s, client: client}
	if err := v.connect(ctx); err != nil {
		s.report.Failed = append(s.report.Failed, "vCenter: "+reason(err)+".")
		s.report.loginRefused = errors.Is(err, transport.ErrLogin)
		return
	}
	v.permissions(ctx)
	v.limits(ctx)
	for _, check := range vcenterChecks {
		if ctx.Err() != nil {
			s.report.Failed = append(s.report.Failed, "vCenter: interrupted.")
			break
		}
		result, meaning := check.run(ctx, v)
		s.report.check(check.id, result, meaning)
	}
	v.replication(ctx)
	if s.options.Write && ctx.Err() == nil {
		v.lifeCycle(ctx)
	}
	if ctx.Err() == nil {
		result, meaning := endedSession(ctx, v)
		s.report.check("ended-session", result, meaning)
	}
}

// connect logs in by SOAP and by REST. A refused login is sent once: vCenter locks accounts.
func (v *vcenter) connect(ctx context.Context) error {
	about, err := v.client.About(ctx)
	if err != nil {
		return err
	}
	v.release = releaseOf(about.Version)
	v.report.VCenter = append(v.report.VCenter, fmt.Sprintf(
		"Release %s, build %s, API %s.", v.version(about.Version), v.version(about.Build), v.version(about.APIVersion),
	))
	if v.categories, err = v.client.CategoryIDs(ctx); err != nil {
		if errors.Is(err, transport.ErrPermission) {
			return nil
		}
		return err
	}
	v.report.VCenter = append(v.report.VCenter, fmt.Sprintf(
		"Tagging answers below %s and lists %s.",
		cmp.Or(v.client.Protocol(), "an unknown path"), counted(len(v.categories), "category", "categories"),
	))
	return nil
}

var (
	version = regexp.MustCompile(`^\d{1,10}(\.\d{1,10}){0,4}$`)
	build   = regexp.MustCompile(`\d{6,}`)
)

// version returns a version or a build; what does not look like one is not published. A build identifies the patch that
// a system lacks, so that it is published only when the user chooses to.
func (s *session) version(text string) string {
	switch {
	case !version.MatchString(text):
		return "{not a number}"
	case s.options.Build:
		return text
	}
	return build.ReplaceAllString(text, "{build}")
}

// releaseOf returns 91 for "9.1.0"; 0 for any text that is no version.
func releaseOf(s string) int {
	major, rest, _ := strings.Cut(s, ".")
	minor, _, _ := strings.Cut(rest, ".")
	a, errA := strconv.Atoi(major)
	b, errB := strconv.Atoi(cmp.Or(minor, "0"))
	if errA != nil || errB != nil || b > 9 {
		return 0
	}
	return 10*a + b
}

// permissions reports which privileges the user has on the root folder, where global permissions count as well.
func (v *vcenter) permissions(ctx context.Context) {
	var all []string
	for _, need := range privilege.Needs() {
		all = append(all, need.IDs...)
	}
	slices.Sort(all)
	all = slices.Compact(all)
	p, err := v.client.Privileges(ctx, all)
	if err != nil {
		v.report.check("privilege-names", Unknown, "The privileges cannot be read: "+reason(err)+".")
		return
	}
	for _, need := range privilege.Needs() {
		one := Permission{For: need.For}
		for _, id := range need.IDs {
			granted, reported := p.Granted[id]
			switch {
			case !reported:
				one.NotReported = append(one.NotReported, id)
			case granted:
				one.Has = append(one.Has, id)
			default:
				one.Lacks = append(one.Lacks, id)
			}
		}
		v.report.Permissions = append(v.report.Permissions, one)
	}
	v.privilegeNames(all, p)
}

// privilegeNames checks that the release has the privileges that vsla's messages name.
func (v *vcenter) privilegeNames(all []string, p vsphere.Privileges) {
	var missing []string
	for _, id := range all {
		if !p.Offered[id] {
			missing = append(missing, id)
		}
	}
	const id = "privilege-names"
	switch {
	case len(p.Offered) == 0:
		v.report.check(id, Unknown, "vCenter does not list its privileges to this user.")
	case len(missing) > 0:
		v.report.check(id, Differs, "This release lacks privileges that vsla's messages name: "+
			strings.Join(missing, ", ")+".")
	default:
		v.report.check(id, OK, "This release has every privilege that vsla's messages name.")
	}
}

const (
	metricsSetting = "config.vpxd.stats.maxQueryMetrics"
	// answerLimit is above what vCenter's endpoint is known to refuse.
	answerLimit = 7_000_000
)

// limits reports the limits that can be read.
func (v *vcenter) limits(ctx context.Context) {
	r := v.report
	n, err := v.client.OpenSessions(ctx)
	if err != nil {
		r.limit("open sessions", "not readable: "+reason(err))
	} else {
		r.limit("open sessions", counted(n, "SOAP session", "SOAP sessions")+" of all users, this one included")
	}
	r.limit("sessions of a user", "not readable; 550 are documented")
	value, set, err := v.client.Setting(ctx, metricsSetting)
	v.metricsSet, v.metricsErr = set, err
	switch {
	case err != nil:
		r.limit(metricsSetting, "not readable: "+reason(err))
	case !set:
		r.limit(metricsSetting, "not set, so the default is in force")
	case isNumber(strings.TrimPrefix(value, "-")):
		r.limit(metricsSetting, value)
	default:
		r.limit(metricsSetting, "not a number")
	}
	r.limit("size of an answer", "not readable; an answer above 7 MB is known to be refused")
	r.limit("requests a second", "not readable; 429 and 503 are counted in the requests below")
}

// counted returns "1 tag", "2 tags".
func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return plan.Thousands(float64(n), 0) + " " + many
}
