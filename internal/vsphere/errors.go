package vsphere

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/vmware/govmomi/fault"
	"github.com/vmware/govmomi/vim25"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"

	"terraform-provider-vsla/internal/transport"
)

var kinds = transport.NewKinds()

// Sentinel errors, to be tested with errors.Is. Most of them wrap the error of the same name in package transport.
var (
	// ErrNotFound is returned if the object does not exist.
	ErrNotFound = kinds.NotFound
	// ErrPermission is returned if the user lacks a privilege. vCenter also returns this error if the object to be tagged
	// does not exist.
	ErrPermission = kinds.Permission
	// ErrConflict is returned if an object with the same name already exists.
	ErrConflict = kinds.Conflict
	// ErrInvalid is returned if vCenter rejects the request as invalid.
	ErrInvalid = kinds.Invalid
	// ErrSession is returned if the session is invalid or has expired.
	ErrSession = kinds.Session
	// ErrLogin is returned if vCenter rejects the user name or password.
	ErrLogin = kinds.Login
	// ErrPasswordExpired is returned if the password is correct but has expired. It wraps ErrLogin.
	ErrPasswordExpired = transport.NewKind("the password has expired", ErrLogin)
	// ErrLimited is returned if vCenter still throttles the request after all retries.
	ErrLimited = kinds.Limited
	// ErrUnavailable is returned if there is still no usable response after all retries. The request might have taken
	// effect.
	ErrUnavailable = kinds.Unavailable
	// ErrCertificate is returned if the server's certificate is not trusted.
	ErrCertificate = kinds.Certificate
	// ErrUnknownHost is returned if the server's name cannot be resolved.
	ErrUnknownHost = kinds.UnknownHost
	// ErrAmbiguous is returned if a name that should identify one object matches several.
	ErrAmbiguous = kinds.Ambiguous
	// ErrUncertain is returned if it is unknown whether a change took effect.
	ErrUncertain = kinds.Uncertain
	// ErrNoOperation is returned if the release lacks the operation or its services are still starting.
	ErrNoOperation = transport.NewKind("no such operation", transport.ErrUnavailable)
	// ErrNotVCenter is returned if the server responds but does not offer a vCenter login.
	ErrNotVCenter = errors.New("the server does not offer a vCenter login")
	// ErrSessionLimit is returned if the user has reached vCenter's session limit.
	ErrSessionLimit = transport.NewKind("too many sessions", transport.ErrUnavailable)
)

func isOverloaded(err error) bool {
	e, ok := transport.AsAPIError(err)
	return ok && (e.Status == http.StatusTooManyRequests || e.Status == http.StatusServiceUnavailable)
}

func soapError(ctx context.Context, op string, err error) error {
	var (
		lookup   *transport.NameError
		interval *IntervalError
	)
	switch {
	case err == nil:
		return nil
	case errors.As(err, &lookup), errors.As(err, &interval), errors.Is(err, ErrNotFound), errors.Is(err, ErrInvalid),
		errors.Is(err, ErrUncertain):
		// Errors of this package are already classified.
		return fmt.Errorf("%s: %w", op, err)
	case fault.Is(err, &types.NotAuthenticated{}):
		return fmt.Errorf("%s: %w: %w", op, ErrSession, err)
	case fault.Is(err, &types.PasswordExpired{}):
		return fmt.Errorf("%s: %w", op, ErrPasswordExpired)
	case isInvalidLogin(err):
		return fmt.Errorf("%s: %w", op, ErrLogin)
	case fault.Is(err, &types.NoPermission{}):
		return fmt.Errorf("%s: %w: %w", op, ErrPermission, err)
	case isSessionObjectGone(err):
		return fmt.Errorf("%s: %w: %w", op, ErrSession, err)
	case fault.Is(err, &types.ManagedObjectNotFound{}):
		return fmt.Errorf("%s: %w: %w", op, ErrNotFound, err)
	case isHostUnreachable(err):
		return fmt.Errorf("%s: %w: %w", op, ErrUnavailable, err)
	case soap.IsSoapFault(err):
		// A retry would return the same fault.
		return fmt.Errorf("%s: %w: %w", op, ErrInvalid, err)
	default:
		return kinds.NoResponse(ctx, ctx, op, 0, err)
	}
}

// loginError classifies a login error. It keeps only the status and the fault type, because the text may quote the
// password. A 401 means that the login was rejected, not that a session has expired.
func loginError(ctx context.Context, op string, err error) error {
	classified := soapError(ctx, op, err)
	switch status := transport.SOAPStatus(err); {
	case status == http.StatusUnauthorized:
		return fmt.Errorf("%s: %w (HTTP %d)", op, ErrLogin, status)
	case status >= http.StatusBadRequest && status < http.StatusInternalServerError:
		return fmt.Errorf("%s: %w (HTTP %d)", op, kinds.FromStatus(status), status)
	case soap.IsSoapFault(err) && !errors.Is(classified, ErrLogin):
		return transport.NewKind(fmt.Sprintf("%s: fault %T", op, soap.ToSoapFault(err).VimFault()), classified)
	}
	return classified
}

func isInvalidLogin(err error) bool {
	var refused types.BaseInvalidLogin
	_, ok := fault.As(err, &refused)
	return ok
}

// isHostUnreachable reports whether a fault means that vCenter could not reach a host, for example HostNotReachable or
// HostNotConnected.
func isHostUnreachable(err error) bool {
	var communication types.BaseHostCommunication
	_, ok := fault.As(err, &communication)
	return ok
}

// isSessionObjectGone reports whether a fault means that a view or a property collector does not exist. Both end with
// their session, so the session must have been replaced.
func isSessionObjectGone(err error) bool {
	var notFound *types.ManagedObjectNotFound
	if _, ok := fault.As(err, &notFound); !ok {
		return false
	}
	return notFound.Obj.Type == "ContainerView" || notFound.Obj.Type == "PropertyCollector"
}

type eventRow struct {
	Key         int32     `xml:"key"`
	CreatedTime time.Time `xml:"createdTime"`
	VM          struct {
		VM types.ManagedObjectReference `xml:"vm"`
	} `xml:"vm"`
	EventTypeID string `xml:"eventTypeId"`
	Arguments   []struct {
		Value string `xml:"value"`
	} `xml:"arguments"`
	ObjectID string `xml:"objectId"`
	// An ExtendedEvent has Data and ManagedObject instead of Arguments and ObjectID.
	Data []struct {
		Value string `xml:"value"`
	} `xml:"data"`
	ManagedObject types.ManagedObjectReference `xml:"managedObject"`
}

func (row eventRow) event() ReplicationEvent {
	e := ReplicationEvent{
		At: row.CreatedTime, Type: row.EventTypeID, VMID: cmp.Or(row.VM.VM.Value, row.ObjectID, row.ManagedObject.Value),
	}
	for _, argument := range slices.Concat(row.Arguments, row.Data) {
		if n, err := strconv.ParseInt(strings.TrimSpace(argument.Value), 10, 64); err == nil {
			if n = max(0, n); e.Type == EventRPOViolated {
				e.Minutes = n
			} else {
				e.Bytes = n
			}
			break
		}
	}
	return e
}

type nextEventsBody struct {
	Req *types.ReadNextEvents `xml:"urn:vim25 ReadNextEvents,omitempty"`
	Res *struct {
		Returnval []eventRow `xml:"returnval,omitempty"`
	} `xml:"ReadNextEventsResponse,omitempty"`
	SOAPFault *soap.Fault `xml:"http://schemas.xmlsoap.org/soap/envelope/ Fault,omitempty"`
}

// Fault implements soap.HasFault.
func (b *nextEventsBody) Fault() *soap.Fault { return b.SOAPFault }

func readEvents(ctx context.Context, vim *vim25.Client, collector types.ManagedObjectReference) ([]eventRow, error) {
	var result nextEventsBody
	req := nextEventsBody{Req: &types.ReadNextEvents{This: collector, MaxCount: eventPageSize}}
	if err := vim.RoundTrip(ctx, &req, &result); err != nil || result.Res == nil {
		return nil, err
	}
	return result.Res.Returnval, nil
}

// vSphere Replication stores the RPO in minutes and the replication ID in these properties of a VM's extra
// configuration. Their names are known only from community scripts.
const (
	rpoProperty = `config.extraConfig["hbr_filter.rpo"]`
	gidProperty = `config.extraConfig["hbr_filter.gid"]`
)

// ConfiguredRPOs returns the RPO of each VM in minutes, from its replication settings or, if there are none, from its
// extra configuration. The extra configuration is ignored if two VMs have the same replication ID, because a clone
// inherits it. One request is sent per 1,000 VMs.
func (c *Client) ConfiguredRPOs(ctx context.Context, vmIDs []string) (map[string]float64, error) {
	settings := make(map[string]rpoSetting, len(vmIDs))
	refs := make([]types.ManagedObjectReference, 0, len(vmIDs))
	for _, id := range vmIDs {
		refs = append(refs, types.ManagedObjectReference{Type: vmType, Value: id})
	}
	properties := []string{rpoProperty, gidProperty, "config.repConfig"}
	err := c.withSOAP(ctx, "read the RPO of VMs", func(ctx context.Context, vim *vim25.Client) error {
		clear(settings)
		return inventory{vim}.readVMs(ctx, refs, properties, func(page []types.ObjectContent) error {
			for _, object := range page {
				settings[object.Obj.Value] = parseRPOSetting(object.PropSet)
			}
			return nil
		})
	})
	vmCountByGID := make(map[string]int, len(settings))
	for _, s := range settings {
		vmCountByGID[s.gid]++
	}
	rpoByVM := make(map[string]float64, len(settings))
	for id, s := range settings {
		switch {
		case s.rpo > 0:
			rpoByVM[id] = s.rpo
		case s.extraConfigRPO > 0 && (s.gid == "" || vmCountByGID[s.gid] == 1):
			rpoByVM[id] = s.extraConfigRPO
		}
	}
	return rpoByVM, err
}

type rpoSetting struct {
	rpo, extraConfigRPO float64
	gid                 string
}

func parseRPOSetting(properties []types.DynamicProperty) (s rpoSetting) {
	for _, property := range properties {
		switch property.Name {
		case rpoProperty:
			s.extraConfigRPO, _ = parseRPO(property.Val)
		case gidProperty:
			s.gid = fmt.Sprint(optionValue(property.Val))
		default:
			if r, ok := property.Val.(types.ReplicationConfigSpec); ok && r.Rpo >= 1 && r.Rpo <= maxRPOMinutes {
				s.rpo = float64(r.Rpo)
			}
		}
	}
	return s
}

func optionValue(v types.AnyType) any {
	switch option := v.(type) {
	case types.OptionValue:
		return option.Value
	case types.BaseOptionValue:
		return option.GetOptionValue().Value
	}
	return nil
}

// parseRPO parses an RPO in minutes, which can be a string or a number.
func parseRPO(v types.AnyType) (float64, bool) {
	switch value := optionValue(v).(type) {
	case string:
		minutes, err := strconv.ParseFloat(value, 64)
		return minutes, err == nil && minutes > 0
	case int32:
		return float64(value), value > 0
	case int64:
		return float64(value), value > 0
	}
	return 0, false
}

const (
	// maxCachedEvents is the maximum number of cached events. 100,000 events take about 10 MiB.
	maxCachedEvents = 100_000
	// maxClockAge is the maximum age of a cached vCenter time. Caching it makes all periods of a run end at the same time.
	maxClockAge = time.Minute
)

type clockReading struct{ vcenterTime, readAt time.Time }

// CachedTime returns a vCenter time that was read at most a minute ago. All callers share the same reading.
func (c *Client) CachedTime(ctx context.Context) (time.Time, error) {
	reading, err := c.clockReadings.GetIf(ctx, "", func(ctx context.Context) (clockReading, error) {
		now, err := c.Time(ctx)
		return clockReading{now, c.config.Now()}, err
	}, func(reading clockReading) bool { return c.config.Now().Sub(reading.readAt) <= maxClockAge })
	return reading.vcenterTime, err
}

// eventLog contains the events of all VMs in a period. It is not shared if there are more than maxCachedEvents, or if
// the reader switched to one query per VM.
type eventLog struct {
	from, to time.Time
	shared   bool
	count    int64
	events   []ReplicationEvent
	texts    map[string]string // interns strings
}

func (l *eventLog) add(e ReplicationEvent) {
	if !l.shared {
		return
	}
	if len(l.events) == maxCachedEvents {
		l.shared, l.events = false, nil
		return
	}
	for _, text := range []*string{&e.Type, &e.VMID} {
		if known, ok := l.texts[*text]; ok {
			*text = known
		} else {
			l.texts[*text] = *text
		}
	}
	l.events = append(l.events, e)
}

// covers reports whether the log contains the query's period. It also returns true if the log is not shared, because a
// new one would not be shared either.
func (l *eventLog) covers(query EventQuery) bool {
	return !l.shared || !query.From.Before(l.from) && !query.To.After(l.to)
}

func (r *eventReader) readShared(ctx context.Context) error {
	isReader := false
	l, err := r.client.eventLogs.GetIf(ctx, "", func(ctx context.Context) (*eventLog, error) {
		isReader = true
		l := &eventLog{from: r.query.From, to: r.query.To, shared: true, texts: make(map[string]string)}
		r.record = l.add
		err := r.readAll(ctx)
		r.record, l.texts = nil, nil
		l.count, l.shared = r.count, l.shared && !r.perVM
		if !l.shared {
			l.events = nil
		}
		return l, err
	}, func(l *eventLog) bool { return l.covers(r.query) })
	switch {
	case isReader || err != nil:
		return err
	case !l.shared:
		return r.readAll(ctx)
	}
	r.count = l.count
	for _, e := range l.events {
		if r.selectedVMs[e.VMID] && !e.At.Before(r.query.From) && !e.At.After(r.query.To) {
			r.visit(e)
		}
	}
	return nil
}
