// Package doctor examines a vCenter and its appliances: the release and the protocol, the user's privileges, the
// settings that limit what can be read, and the assumptions that vsla makes. It is read-only.
//
// The report can be published. Its sentences are constants, apart from numbers. The requests it quotes contain only
// known methods, path templates, field names and types.
package doctor

import (
	"context"
	"strings"
	"time"

	"terraform-provider-vsla/internal/connect"
	"terraform-provider-vsla/internal/snapservice"
	"terraform-provider-vsla/internal/vr"
	"terraform-provider-vsla/internal/vsphere"
)

// Options configure a run.
type Options struct {
	// Version and Commit identify the build of vsla.
	Version, Commit string
	// Full includes the privileges, the limits, all checks and the requests in the report.
	Full bool
	// Build includes exact build numbers in the report.
	Build bool
	// Now returns the current time, and Sleep waits before a request is sent again. If they are nil, the real clock is
	// used.
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
	c, err := s.newClients()
	if err != nil {
		return nil, err
	}
	s.examineVCenter(ctx, c.vcenter)
	s.close(ctx, c.vcenter)
	if !s.skips(ctx, &s.report.Appliance, ReplicationMissing(settings.Replication), settings.Replication.User) {
		s.examineAppliance(ctx, c.appliance)
		s.close(ctx, c.appliance)
	}
	s.countStep()
	var unset []string
	if c.protection == nil {
		unset = []string{connect.ProtectionServer}
	}
	if !s.skips(ctx, &s.report.Protection, unset, settings.Protection.User) {
		s.examineProtection(ctx, c.protection)
		s.close(ctx, c.protection)
	}
	s.countStep()
	s.report.Interrupted = ctx.Err() != nil
	s.report.exchanges, s.report.requests = s.exchanges.all()
	return s.report, nil
}

// clients contains the clients of a run. appliance and protection are nil if they are not configured.
type clients struct {
	vcenter    *vsphere.Client
	appliance  *vr.Client
	protection *snapservice.Client
}

func (s *session) newClients() (c clients, err error) {
	process := connect.Process{
		UserAgent:       "vsla/" + s.options.Version + " doctor",
		Sleep:           s.options.Sleep,
		Now:             s.options.Now,
		WrapVSphere:     s.exchanges.wrapTransport("vCenter"),
		WrapReplication: s.exchanges.wrapTransport(serviceAppliance),
		WrapProtection:  s.exchanges.wrapTransport("data protection"),
	}
	if c.vcenter, err = process.VSphere(s.settings); err != nil {
		return c, err
	}
	if s.settings.Replication.Server != "" {
		if c.appliance, err = process.Replication(s.settings); err != nil {
			return c, err
		}
	}
	if s.settings.Protection.Server != "" {
		c.protection, err = process.Protection(s.settings)
	}
	return c, err
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

// skips reports whether an appliance is not examined, and adds the reason to the report. A user whose login vCenter has
// rejected is skipped, because another attempt could lock the account.
func (s *session) skips(ctx context.Context, about *section, unset []string, user string) bool {
	switch {
	case len(unset) > 0:
		about.add("Not checked, because these variables are not set: %s.", strings.Join(unset, ", "))
		s.report.unset = append(s.report.unset, unset...)
	case ctx.Err() != nil:
		about.add("Not checked: interrupted.")
	case s.report.loginRefused && user == s.settings.User:
		about.add("Not checked: vCenter rejected the same user, and another attempt could lock the account.")
	default:
		return false
	}
	return true
}
