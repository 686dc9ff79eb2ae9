package vcsim

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"
)

const (
	collectorType   = "EventHistoryCollector"
	collectorPrefix = "lab-collector-"
	// maxEventPage and maxEventCollectors are vCenter's limits.
	maxEventPage       = 1000
	maxEventCollectors = 32
)

// serveEvents replaces the simulator's event log and clock. The event manager needs a new ID, because the simulator
// looks up its own event manager by ID.
func (v *VCenter) serveEvents() error {
	v.events = newEvents(v.clock.now)
	for _, vm := range v.vms {
		v.events.names[vm.ID] = vm.Name
	}
	ctx := v.model.Service.Context
	instance, isInstance := ctx.Map.Get(vim25.ServiceInstance).(*simulator.ServiceInstance)
	theirs, isManager := ctx.Map.Get(*v.model.ServiceContent.EventManager).(*simulator.EventManager)
	if !isInstance || !isManager {
		return errors.New("the model has no event manager")
	}
	theirs.Description.EventInfo = slices.Clone(theirs.Description.EventInfo) // copy the package variable
	for _, id := range registered {
		theirs.Description.EventInfo = append(theirs.Description.EventInfo, types.EventDescriptionEventDetail{
			Key:        "EventEx",
			Category:   "info",
			FullFormat: id + "|Replication of {vm.name}",
		})
	}
	log := &eventLog{EventManager: theirs, events: v.events}
	log.self = types.ManagedObjectReference{Type: theirs.Self.Type, Value: "LabEventManager"}
	ctx.Map.Put(log)
	ctx.Map.Put(&labInstance{ServiceInstance: instance, manager: log.self, events: v.events})
	ctx.Map.Handler = v.events.handle
	return nil
}

var registered = []string{
	EventDelta,
	EventAppDelta,
	EventFSDelta,
	EventUnquiesced,
	EventFullSync,
	EventRPOViolated,
	EventRPORestored,
	"hbr.primary.DeltaStartedEvent",
	"hbr.primary.DeltaAbortedEvent",
	"hbr.primary.SystemPausedReplication",
	"hbr.primary.VmReplicationConfigurationChangedEvent",
	"hbr.primary.FailedToStartDeltaEvent",
	"hbr.primary.FailedToStartSyncEvent",
	"com.vmware.vcHms.replicationConfiguredEvent",
}

type labInstance struct {
	*simulator.ServiceInstance
	manager types.ManagedObjectReference
	events  *Events
}

func (i *labInstance) RetrieveServiceContent(*types.RetrieveServiceContent) soap.HasFault {
	content := i.Content
	content.EventManager = &i.manager
	return &methods.RetrieveServiceContentBody{Res: &types.RetrieveServiceContentResponse{Returnval: content}}
}

func (i *labInstance) CurrentTime(*types.CurrentTime) soap.HasFault {
	defer i.events.lock()()
	return &methods.CurrentTimeBody{Res: &types.CurrentTimeResponse{Returnval: i.events.time()}}
}

func (e *Events) handle(ctx *simulator.Context, call *simulator.Method) (mo.Reference, types.BaseMethodFault) {
	defer e.lock()()
	number, err := strconv.Atoi(strings.TrimPrefix(call.This.Value, collectorPrefix))
	if err != nil || call.This.Type != collectorType || ctx.Session == nil {
		return nil, nil
	}
	if c := e.collectors[number]; c != nil && c.session == ctx.Session.Key {
		return c, nil
	}
	return nil, nil
}

func ofReplication(kinds []string) bool {
	return len(kinds) > 0 && !slices.ContainsFunc(kinds, func(kind string) bool {
		return !strings.HasPrefix(kind, eventPrefixPrimary) && !strings.HasPrefix(kind, eventPrefixServer)
	})
}

type eventLog struct {
	*simulator.EventManager
	self   types.ManagedObjectReference
	events *Events
}

func (l *eventLog) Reference() types.ManagedObjectReference { return l.self }

func (l *eventLog) CreateCollectorForEvents(ctx *simulator.Context, req *types.CreateCollectorForEvents) soap.HasFault {
	if !ofReplication(req.Filter.EventTypeId) {
		return l.EventManager.CreateCollectorForEvents(ctx, req)
	}
	defer l.events.lock()()
	body := new(methods.CreateCollectorForEventsBody)
	c, fault := l.events.collect(req.Filter)
	if fault != nil {
		body.Fault_ = fault
		return body
	}
	if len(l.events.collectors) >= maxEventCollectors {
		body.Fault_ = simulator.Fault("Too many event collectors.", new(types.InvalidState))
		return body
	}
	l.events.created++
	c.session = ctx.Session.Key
	c.self = types.ManagedObjectReference{Type: collectorType, Value: collectorPrefix + strconv.Itoa(l.events.created)}
	c.number = l.events.created
	l.events.collectors[c.number] = c
	body.Res = &types.CreateCollectorForEventsResponse{Returnval: c.self}
	return body
}

// eventCollector is an open event history collector of the vSphere Web Services API. It reads a filtered event log,
// starting with the oldest event.
type eventCollector struct {
	self     types.ManagedObjectReference
	number   int
	session  string
	events   *Events
	log      EventSource
	kinds    []string
	vmID     string // empty means all VMs
	from     int    // first log index within the time filter
	to       int    // log index after the last one within the time filter
	position int    // log index of the next event
	pages    int
	messages bool
}

func (e *Events) collect(filter types.EventFilterSpec) (*eventCollector, *soap.Fault) {
	invalid := func(property string) (*eventCollector, *soap.Fault) {
		return nil, simulator.Fault("", &types.InvalidArgument{InvalidProperty: "filter." + property})
	}
	c := &eventCollector{events: e, log: e.log(), kinds: filter.EventTypeId}
	c.to = c.log.Len()
	if span := filter.Time; span != nil {
		if span.BeginTime != nil {
			c.from = first(c.log, *span.BeginTime)
		}
		if span.EndTime != nil {
			c.to = max(c.from, first(c.log, span.EndTime.Add(time.Nanosecond)))
		}
	}
	if of := filter.Entity; of != nil {
		switch {
		case of.Entity.Type == "VirtualMachine":
			c.vmID = of.Entity.Value
		case of.Recursion != types.EventFilterSpecRecursionOptionAll:
			return invalid("entity")
		}
	}
	switch {
	case filter.MaxCount < 0 || filter.MaxCount > maxEventPage:
		return invalid("maxCount")
	case filter.EventChainId != 0, filter.Alarm != nil, filter.ScheduledTask != nil, filter.UserName != nil,
		filter.Category != nil, filter.Tag != nil, filter.Type != nil:
		return invalid("userName") // unsupported filters
	}
	c.messages = filter.DisableFullMessage == nil || !*filter.DisableFullMessage
	c.position = c.from
	return c, nil
}

func (c *eventCollector) matches(event Event) bool {
	ofVM := c.vmID == "" || c.vmID == event.VMID
	return ofVM && slices.Contains(c.kinds, event.Type) && c.events.has(event.At)
}

func (c *eventCollector) next(count int) []byte {
	var page []byte
	behaviour := c.events.behaviour
	c.pages++
	if behaviour.EmptyPages > 0 && c.pages%behaviour.EmptyPages == 0 {
		return nil
	}
	for n := 0; n < count && c.position < c.to; c.position++ {
		if event := c.log.Event(c.position); c.matches(event) {
			if !slices.Contains(behaviour.Hidden, event.VMID) {
				page = c.append(page, c.position+1, event)
			}
			n++
		}
	}
	return page
}

func (c *eventCollector) Reference() types.ManagedObjectReference { return c.self }

func (c *eventCollector) ReadNextEvents(_ *simulator.Context, req *types.ReadNextEvents) soap.HasFault {
	defer c.events.lock()()
	if req.MaxCount <= 0 || req.MaxCount > maxEventPage {
		return &methods.ReadNextEventsBody{
			Fault_: simulator.Fault("", &types.InvalidArgument{InvalidProperty: "maxCount"}),
		}
	}
	return &nextEventsBody{Res: &eventsPage{c.next(int(req.MaxCount))}}
}

func (c *eventCollector) DestroyCollector(*simulator.Context, *types.DestroyCollector) soap.HasFault {
	defer c.events.lock()()
	delete(c.events.collectors, c.number)
	return &methods.DestroyCollectorBody{Res: new(types.DestroyCollectorResponse)}
}

func (e *Events) end() {
	defer e.lock()()
	clear(e.collectors)
}
