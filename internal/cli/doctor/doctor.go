// Package doctor examines a vCenter and, where it is configured, a vSphere Replication appliance: which release and
// protocol they have, the user's privileges, the readable limits, and whether vsla's assumptions about them are true.
// It changes nothing unless it is told to run the life cycle of a tag.
//
// Its report is made to be published. Every sentence of it is a constant of this package with numbers filled in, and
// the requests that it quotes contain only listed values: methods, templates of paths, names of fields and types.
package doctor

import (
	"context"
	"net/http"
	"time"

	"terraform-provider-vsla/internal/connect"
	"terraform-provider-vsla/internal/snapservice"
	"terraform-provider-vsla/internal/vr"
	"terraform-provider-vsla/internal/vsphere"
)

// Options are the clock, the transports, and the actions in addition to reading.
type Options struct {
	// Version and Commit are those of vsla.
	Version, Commit string
	// Write runs the life cycle of a tag, whose name and whose category's begin with Prefix. VM is the managed object id
	// of a VM that the tag is attached to; empty for none.
	Write      bool
	Prefix, VM string
	// Build publishes exact build numbers.
	Build bool
	// Now is the clock; nil means the system's. Sleep waits between attempts; nil means real time.
	Now   func() time.Time
	Sleep func(context.Context, time.Duration) error
	// Wrap puts something around the HTTP transports, below the record; nil means nothing.
	Wrap func(http.RoundTripper) http.RoundTripper
}

// closing is how long logging out may take, cleaning how long removing the created objects may take. They have
// separate contexts because both happen even after an interruption.
const (
	closing  = 30 * time.Second
	cleaning = 2 * time.Minute
)

// session is one run.
type session struct {
	settings connect.Settings
	options  Options
	record   *record
	report   *Report
	// newest are the newest events of syncs, by VM.
	newest map[string]vsphere.ReplicationEvent
}

// Run examines the systems. The error is about the settings; everything else is in the report.
func Run(ctx context.Context, settings connect.Settings, options Options) (*Report, error) {
	if options.Now == nil {
		options.Now = time.Now //nolint:forbidigo // the default of an injected clock
	}
	s := &session{
		settings: settings, options: options, record: newRecord(options.Now),
		report: &Report{Version: options.Version, Commit: options.Commit},
		newest: make(map[string]vsphere.ReplicationEvent),
	}
	process := connect.Process{
		UserAgent: "vsla/" + options.Version + " doctor", Sleep: options.Sleep, Now: options.Now,
		WrapVSphere: s.wrap(vcenterNames), WrapReplication: s.wrap(applianceNames), WrapProtection: s.wrap(protectionNames),
	}
	client, err := process.VSphere(settings)
	if err != nil {
		return nil, err
	}
	var appliance *vr.Client // nil without settings
	if settings.Replication.Server != "" {
		if appliance, err = process.Replication(settings); err != nil {
			return nil, err
		}
	}
	var protection *snapservice.Client // nil without settings
	if settings.Protection.Server != "" {
		if protection, err = process.Protection(settings); err != nil {
			return nil, err
		}
	}
	s.examineVCenter(ctx, client)
	s.close(ctx, client)
	s.examineAppliance(ctx, appliance)
	if appliance != nil {
		s.close(ctx, appliance)
	}
	s.examineProtection(ctx, protection)
	if protection != nil {
		s.close(ctx, protection)
	}
	s.report.Interrupted = ctx.Err() != nil
	s.report.exchanges, s.report.requests = s.record.all()
	return s.report, nil
}

// wrap returns what records the requests of one service.
func (s *session) wrap(n names) func(http.RoundTripper) http.RoundTripper {
	return func(next http.RoundTripper) http.RoundTripper {
		if s.options.Wrap != nil {
			next = s.options.Wrap(next)
		}
		return &recorder{next: next, names: n, record: s.record}
	}
}

// close logs out, also after an interruption.
func (s *session) close(ctx context.Context, client interface{ Close(context.Context) error }) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closing)
	defer cancel()
	if err := client.Close(ctx); err != nil {
		s.report.Unclosed++
	}
}
