package vsphere

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/vmware/govmomi/vim25"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"
)

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
	// Data and ManagedObject replace arguments and objectId in an ExtendedEvent.
	Data []struct {
		Value string `xml:"value"`
	} `xml:"data"`
	ManagedObject types.ManagedObjectReference `xml:"managedObject"`
}

func (row eventRow) event() ReplicationEvent {
	e := ReplicationEvent{
		At: row.CreatedTime, Type: row.EventTypeID,
		VMID: cmp.Or(row.VM.VM.Value, row.ObjectID, row.ManagedObject.Value),
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
	Refusal *soap.Fault `xml:"http://schemas.xmlsoap.org/soap/envelope/ Fault,omitempty"`
}

// Fault returns the SOAP fault.
func (b *nextEventsBody) Fault() *soap.Fault { return b.Refusal }

func nextEvents(ctx context.Context, vim *vim25.Client, collector types.ManagedObjectReference) ([]eventRow, error) {
	var answer nextEventsBody
	ask := nextEventsBody{Req: &types.ReadNextEvents{This: collector, MaxCount: eventPage}}
	if err := vim.RoundTrip(ctx, &ask, &answer); err != nil || answer.Res == nil {
		return nil, err
	}
	return answer.Res.Returnval, nil
}

// The RPO in minutes and the replication id in a VM's extra configuration. vSphere Replication writes them; the names
// are known from community scripts.
const (
	rpoProperty = `config.extraConfig["hbr_filter.rpo"]`
	gidProperty = `config.extraConfig["hbr_filter.gid"]`
)

// ConfiguredRPOs returns the RPO in minutes of VMs: by their replication settings, else by their extra configuration.
// That is no evidence where two VMs have the same replication id, because clones keep it. It costs a request for each
// 1,000 VMs.
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
				settings[object.Obj.Value] = rpoSettingOf(object.PropSet)
			}
			return nil
		})
	})
	holders := make(map[string]int, len(settings))
	for _, s := range settings {
		holders[s.gid]++
	}
	found := make(map[string]float64, len(settings))
	for id, s := range settings {
		switch {
		case s.rpo > 0:
			found[id] = s.rpo
		case s.extra > 0 && (s.gid == "" || holders[s.gid] == 1):
			found[id] = s.extra
		}
	}
	return found, err
}

// rpoSetting is the RPO in a VM's configuration: by its replication settings, and by its extra
// configuration.
type rpoSetting struct {
	rpo, extra float64
	gid        string
}

func rpoSettingOf(properties []types.DynamicProperty) (s rpoSetting) {
	for _, property := range properties {
		switch property.Name {
		case rpoProperty:
			s.extra, _ = rpoOf(property.Val)
		case gidProperty:
			s.gid = fmt.Sprint(optionOf(property.Val))
		default:
			if r, ok := property.Val.(types.ReplicationConfigSpec); ok && r.Rpo >= 1 && r.Rpo <= maxRPOMinutes {
				s.rpo = float64(r.Rpo)
			}
		}
	}
	return s
}

func optionOf(v types.AnyType) any {
	switch option := v.(type) {
	case types.OptionValue:
		return option.Value
	case types.BaseOptionValue:
		return option.GetOptionValue().Value
	}
	return nil
}

// rpoOf reads the setting, which is a text or a number.
func rpoOf(v types.AnyType) (float64, bool) {
	switch value := optionOf(v).(type) {
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
	// keptEvents is the number of events cached for other callers, some 10 MiB.
	keptEvents = 100_000
	// presentAge is how old vCenter's time may be, so that the periods of a run end at the same moment.
	presentAge = time.Minute
)

type clockReading struct{ time, read time.Time }

// Present returns vCenter's time as it was read at most a minute ago: callers of one run share it.
func (c *Client) Present(ctx context.Context) (time.Time, error) {
	p, err := c.presents.GetIf(ctx, "", func(ctx context.Context) (clockReading, error) {
		now, err := c.Time(ctx)
		return clockReading{now, c.config.Now()}, err
	}, func(p clockReading) bool { return c.config.Now().Sub(p.read) <= presentAge })
	return p.time, err
}

// eventLog has the events of all VMs in a period. It is not shared where they are too many, or were not all read.
type eventLog struct {
	from, to time.Time
	shared   bool
	count    int64
	events   []ReplicationEvent
	texts    map[string]string // by themselves, so that each is stored once
}

func (l *eventLog) keep(e ReplicationEvent) {
	if !l.shared {
		return
	}
	if len(l.events) == keptEvents {
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

// covers reports whether the log has all that a query asks for, or is not shared.
func (l *eventLog) covers(query EventQuery) bool {
	return !l.shared || !query.From.Before(l.from) && !query.To.After(l.to)
}

// shareAll reads the events of all VMs, which the callers that ask at the same time or later share.
func (r *eventReader) shareAll(ctx context.Context) error {
	own := false
	l, err := r.client.eventLogs.GetIf(ctx, "", func(ctx context.Context) (*eventLog, error) {
		own = true
		l := &eventLog{from: r.query.From, to: r.query.To, shared: true, texts: make(map[string]string)}
		r.keep = l.keep
		err := r.readAll(ctx)
		r.keep, l.texts = nil, nil
		l.count, l.shared = r.count, l.shared && !r.byEntity
		if !l.shared {
			l.events = nil
		}
		return l, err
	}, func(l *eventLog) bool { return l.covers(r.query) })
	switch {
	case own || err != nil:
		return err
	case !l.shared:
		return r.readAll(ctx)
	}
	r.count = l.count
	for _, e := range l.events {
		if r.wanted[e.VMID] && !e.At.Before(r.query.From) && !e.At.After(r.query.To) {
			r.each(e)
		}
	}
	return nil
}
