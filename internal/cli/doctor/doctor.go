// Package doctor examines a vCenter and its appliances: the release and the protocol, the user's privileges, the
// settings that limit what can be read, and the assumptions that vsla makes. It is read-only.
//
// The report can be published. Its sentences are constants, apart from numbers. The requests it quotes contain only
// known methods, path templates, field names and types.
package doctor

import (
	"cmp"
	"context"
	"errors"
	"regexp"
	"slices"
	"strings"
	"time"

	"terraform-provider-vsla/internal/connect"
	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/snapservice"
	"terraform-provider-vsla/internal/transport"
	"terraform-provider-vsla/internal/vr"
	"terraform-provider-vsla/internal/vsphere"
	"terraform-provider-vsla/internal/vsphere/privilege"
)

// Options configure a run.
type Options struct {
	// Version and Commit identify the build of vsla.
	Version, Commit string
	// Full includes the privileges, the limits, all checks and the requests in the report.
	Full bool
	// Build includes exact build numbers in the report.
	Build bool
	// Now returns the current time, and Sleep waits before a request is sent again. Both default to the real clock.
	Now   func() time.Time
	Sleep func(context.Context, time.Duration) error
	// Count is called after each step with the number of completed steps and the total. It can be nil.
	Count func(done, all int)
}

// closeTimeout is the time limit for logging out, which also happens after an interruption.
const closeTimeout = 30 * time.Second

type session struct {
	settings  connect.Settings
	options   Options
	exchanges *recording
	report    *Report
	// latestSync maps VM IDs to their latest sync events.
	latestSync map[string]vsphere.ReplicationEvent
	done       int
}

func (s *session) countStep() {
	const appliances = 2
	s.done++
	if s.options.Count != nil {
		s.options.Count(s.done, len(vcenterChecks)+len(replicationReads)+appliances)
	}
}

// Run examines the systems. It returns an error only if the settings are invalid. All other errors are part of the
// report.
func Run(ctx context.Context, settings connect.Settings, options Options) (*Report, error) {
	if options.Now == nil {
		options.Now = time.Now //nolint:forbidigo // the default for an injectable clock
	}
	s := &session{
		settings:   settings,
		options:    options,
		exchanges:  newRecord(options.Now),
		report:     &Report{Version: options.Version, Commit: options.Commit, Full: options.Full},
		latestSync: make(map[string]vsphere.ReplicationEvent),
	}
	process := connect.Process{
		UserAgent:       "vsla/" + options.Version + " doctor",
		Sleep:           options.Sleep,
		Now:             options.Now,
		WrapVSphere:     s.exchanges.wrapTransport("vCenter"),
		WrapReplication: s.exchanges.wrapTransport(serviceAppliance),
		WrapProtection:  s.exchanges.wrapTransport("data protection"),
	}
	client, err := process.VSphere(settings)
	if err != nil {
		return nil, err
	}
	var appliance *vr.Client // nil if not configured
	if settings.Replication.Server != "" {
		if appliance, err = process.Replication(settings); err != nil {
			return nil, err
		}
	}
	var protection *snapservice.Client // nil if not configured
	if settings.Protection.Server != "" {
		if protection, err = process.Protection(settings); err != nil {
			return nil, err
		}
	}
	s.examineVCenter(ctx, client)
	s.close(ctx, client)
	if s.canExamine(ctx, &s.report.Appliance, ReplicationMissing(settings.Replication), settings.Replication.User) {
		s.examineAppliance(ctx, appliance)
		s.close(ctx, appliance)
	}
	s.countStep()
	var unset []string
	if protection == nil {
		unset = []string{connect.ProtectionServer}
	}
	if s.canExamine(ctx, &s.report.Protection, unset, settings.Protection.User) {
		s.examineProtection(ctx, protection)
		s.close(ctx, protection)
	}
	s.countStep()
	s.report.Interrupted = ctx.Err() != nil
	s.report.exchanges, s.report.requests = s.exchanges.all()
	return s.report, nil
}

func (s *session) close(ctx context.Context, client interface{ Close(context.Context) error }) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTimeout)
	defer cancel()
	if err := client.Close(ctx); err != nil {
		s.report.Unclosed++
	}
}

// ReplicationMissing returns the variables that vSphere Replication needs and that are not set, or nil if its server is
// set.
func ReplicationMissing(r connect.Replication) []string {
	if r.Server != "" {
		return nil
	}
	missing := r.Missing()
	for _, remote := range [][2]string{
		{connect.ReplicationRemoteUser, r.RemoteUser},
		{connect.ReplicationRemotePassword, r.RemotePassword},
	} {
		if remote[1] == "" {
			missing = append(missing, remote[0])
		}
	}
	return missing
}

// canExamine reports whether an appliance can be examined. If not, it adds the reason to the report. A user whose login
// vCenter has rejected is skipped, because another attempt could lock the account.
func (s *session) canExamine(ctx context.Context, about *section, unset []string, user string) bool {
	switch {
	case len(unset) > 0:
		about.add("Not checked, because these variables are not set: %s.", strings.Join(unset, ", "))
		s.report.unset = append(s.report.unset, unset...)
	case ctx.Err() != nil:
		about.add("Not checked: interrupted.")
	case s.report.loginRefused && user == s.settings.User:
		about.add("Not checked: vCenter rejected the same user, and another attempt could lock the account.")
	default:
		return true
	}
	return false
}

type vcenterExaminer struct {
	*session

	client     *vsphere.Client
	categories []string
	// eventTypeIDs contains the IDs of the event types to read. replicatedVM is the ID of the VM whose events are
	// reported. It is empty if there is none.
	eventTypeIDs []string
	replicatedVM string
}

func (s *session) examineVCenter(ctx context.Context, client *vsphere.Client) {
	v := &vcenterExaminer{session: s, client: client}
	if err := v.connect(ctx); err != nil {
		s.report.Failed.add("vCenter: %s.", reason(err))
		s.report.noVCenter = true
		s.report.loginRefused = errors.Is(err, transport.ErrLogin)
		return
	}
	v.reportPermissions(ctx)
	for _, name := range []string{"config.vpxd.stats.maxQueryMetrics", "event.maxAge", "event.maxAgeEnabled"} {
		v.reportSetting(ctx, name)
	}
	for _, check := range vcenterChecks {
		if ctx.Err() != nil {
			s.report.Failed.add("vCenter: interrupted.")
			break
		}
		result, meaning := check.run(ctx, v)
		s.report.addCheck(check.id, result, meaning)
		s.countStep()
	}
	v.examineReplication(ctx)
	if ctx.Err() == nil {
		result, meaning := checkEndedSession(ctx, v)
		s.report.addCheck("ended-session", result, meaning)
	}
}

// connect logs in over SOAP and REST. It does not retry a rejected login, because that could lock the account.
func (v *vcenterExaminer) connect(ctx context.Context) error {
	about, err := v.client.About(ctx)
	if err != nil {
		return err
	}
	v.report.VCenter.add("Release %s, build %s, API %s.", v.versionText(about.Version), v.versionText(about.Build),
		v.versionText(about.APIVersion))
	if v.categories, err = v.client.CategoryIDs(ctx); err != nil {
		if errors.Is(err, transport.ErrPermission) {
			return nil
		}
		return err
	}
	v.report.VCenter.add("Tagging uses %s and lists %s.",
		cmp.Or(v.client.Protocol(), "an unknown path"), countText(len(v.categories), "category", "categories"))
	return nil
}

var (
	version = regexp.MustCompile(`^\d{1,10}(\.\d{1,10}){0,4}$`)
	build   = regexp.MustCompile(`\d{6,}`)
)

// versionText returns a version for the report. It replaces anything that is not a version and, unless Options.Build is
// set, build numbers, because build numbers reveal missing patches.
func (s *session) versionText(text string) string {
	switch {
	case text == "":
		return "{unknown}"
	case !version.MatchString(text):
		return "{not a number}"
	case s.options.Build:
		return text
	}
	return build.ReplaceAllString(text, "{build}")
}

// reportPermissions reports the privileges on the root folder, including those from global permissions. It also checks
// that the release defines all privileges mentioned in vsla's messages.
func (v *vcenterExaminer) reportPermissions(ctx context.Context) {
	var all []string
	for _, need := range privilege.Needs() {
		all = append(all, need.IDs...)
	}
	slices.Sort(all)
	all = slices.Compact(all)
	p, err := v.client.Privileges(ctx, all)
	missing := slices.DeleteFunc(all, func(id string) bool { return p.Known[id] })
	const id = "privilege-names"
	switch {
	case err != nil:
		v.report.addCheck(id, Unknown, "The privileges cannot be read: "+reason(err)+".")
		return
	case len(p.Known) == 0:
		v.report.addCheck(id, Unknown, "This user cannot list the privileges of vCenter.")
	case len(missing) > 0:
		v.report.addCheck(id, Differs, "Privileges in vsla's messages do not exist in this release: "+
			strings.Join(missing, ", ")+".")
	default:
		v.report.addCheck(id, OK, "All privileges in vsla's messages exist in this release.")
	}
	for _, need := range privilege.Needs() {
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
}

func joinOrDash(ids []string) string {
	if len(ids) == 0 {
		return "-"
	}
	return strings.Join(ids, ", ")
}

func (v *vcenterExaminer) reportSetting(ctx context.Context, name string) {
	value, set, err := v.client.Setting(ctx, name)
	switch {
	case err != nil:
		value = "cannot be read: " + reason(err)
	case !set:
		value = "not set, so the default applies"
	case !isNumber(strings.TrimPrefix(value, "-")) && value != "true" && value != "false":
		value = "neither a number nor a boolean"
	}
	v.report.limits = append(v.report.limits, []string{name, value})
}

func countText(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return plan.Thousands(float64(n), 0) + " " + many
}
