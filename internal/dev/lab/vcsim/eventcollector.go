// Event history collectors, as the vSphere Web Services API describes them: a view of the log by type, entity and time
// with a position that moves. A new one stands before its oldest event.

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
	// maxEventPage and maxEventCollectors are vCenter's.
	maxEventPage       = 1000
	maxEventCollectors = 32
)

// serveEvents puts the event log and the time of the lab in place of the simulator's. The simulator finds its own event
// manager by id, so that the lab's has another one.
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
	theirs.Description.EventInfo = slices.Clone(theirs.Description.EventInfo) // a package variable
	for _, id := range registered {
		theirs.Description.EventInfo = append(theirs.Description.EventInfo, types.EventDescriptionEventDetail{
			Key: "EventEx", Category: "info", FullFormat: id + "|Replication of {vm.name}",
		})
	}
	log := &eventLog{EventManager: theirs, events: v.events}
	log.self = types.ManagedObjectReference{Type: theirs.Self.Type, Value: "LabEventManager"}
	ctx.Map.Put(log)
	ctx.Map.Put(&labInstance{ServiceInstance: instance, manager: log.self, events: v.events})
	ctx.Map.Handler = v.events.handle
	return nil
}

// registered are the events of vSphere Replication that vCenter describes, by the list of vCenter 8.0.
var registered = []string{
	EventDelta, EventAppDelta, EventFSDelta, EventUnquiesced, EventFullSync, EventRPOViolated, EventRPORestored,
	"hbr.primary.DeltaStartedEvent", "hbr.primary.DeltaAbortedEvent", "hbr.primary.SystemPausedReplication",
	"hbr.primary.VmReplicationConfigurationChangedEvent", "hbr.primary.FailedToStartDeltaEvent",
	"hbr.primary.FailedToStartSyncEvent", "com.vmware.vcHms.replicationConfiguredEvent",
}

// labInstance is the service instance with the time and the event manager of the lab.
type labInstance struct {
	*simulator.ServiceInstance
	manager types.ManagedObjectReference
	events  *Events
}

// RetrieveServiceContent names the lab's event manager.
func (i *labInstance) RetrieveServiceContent(*types.RetrieveServiceContent) soap.HasFault {
	content := i.Content
	content.EventManager = &i.manager
	return &methods.RetrieveServiceContentBody{Res: &types.RetrieveServiceContentResponse{Returnval: content}}
}

// CurrentTime returns the time of the lab.
func (i *labInstance) CurrentTime(*types.CurrentTime) soap.HasFault {
	i.events.mu.Lock()
	defer i.events.mu.Unlock()
	return &methods.CurrentTimeBody{Res: &types.CurrentTimeResponse{Returnval: i.events.time()}}
}

// handle returns the collector that a call is for, or nil: the simulator does not know the lab's.
func (e *Events) handle(ctx *simulator.Context, call *simulator.Method) (mo.Reference, types.BaseMethodFault) {
	e.mu.Lock()
	defer e.mu.Unlock()
	number, err := strconv.Atoi(strings.TrimPrefix(call.This.Value, collectorPrefix))
	if err != nil || call.This.Type != collectorType || ctx.Session == nil {
		return nil, nil
	}
	if c := e.collectors[number]; c != nil && c.session == ctx.Session.Key {
		return c, nil
	}
	return nil, nil
}

// ofReplication reports whether only events of vSphere Replication are asked for.
func ofReplication(kinds []string) bool {
	return len(kinds) > 0 && !slices.ContainsFunc(kinds, func(kind string) bool {
		return !strings.HasPrefix(kind, eventPrefixPrimary) && !strings.HasPrefix(kind, eventPrefixServer)
	})
}

// eventLog is the simulator's event manager, with the lab's events where only those of replication are asked for.
type eventLog struct {
	*simulator.EventManager
	self   types.ManagedObjectReference
	events *Events
}

// Reference is the lab's event manager.
func (l *eventLog) Reference() types.ManagedObjectReference { return l.self }

// CreateCollectorForEvents opens a collector.
func (l *eventLog) CreateCollectorForEvents(ctx *simulator.Context, req *types.CreateCollectorForEvents) soap.HasFault {
	if !ofReplication(req.Filter.EventTypeId) {
		return l.EventManager.CreateCollectorForEvents(ctx, req)
	}
	l.events.mu.Lock()
	defer l.events.mu.Unlock()
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

// eventCollector is an open collector.
type eventCollector struct {
	self     types.ManagedObjectReference
	number   int
	session  string
	events   *Events
	log      EventSource
	kinds    []string
	vmID     string // empty for any
	from, to int    // the places in the log that the filter's time includes
	position int    // the place of the next event
	pages    int
	messages bool
}

// collect opens a collector that is not yet known by an id.
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
		return invalid("userName") // filters that the lab does not have
	}
	c.messages = filter.DisableFullMessage == nil || !*filter.DisableFullMessage
	c.position = c.from
	return c, nil
}

// matches reports whether the collector shows an event.
func (c *eventCollector) matches(event Event) bool {
	return slices.Contains(c.kinds, event.Type) && (c.vmID == "" || c.vmID == event.VMID) && c.events.has(event.At)
}

// next moves forward past as many events, and returns their places.
func (c *eventCollector) next(count int) []byte {
	var page []byte
	behaviour := c.events.behaviour
	if c.pages++; behaviour.EmptyPages > 0 && c.pages%behaviour.EmptyPages == 0 {
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

// Reference is the collector's id.
func (c *eventCollector) Reference() types.ManagedObjectReference { return c.self }

// ReadNextEvents returns the next newer events; none at the end.
func (c *eventCollector) ReadNextEvents(_ *simulator.Context, req *types.ReadNextEvents) soap.HasFault {
	c.events.mu.Lock()
	defer c.events.mu.Unlock()
	if fault := checkPage(req.MaxCount); fault != nil {
		return &methods.ReadNextEventsBody{Fault_: fault}
	}
	return &nextEventsBody{Res: &eventsPage{c.next(int(req.MaxCount))}}
}

func checkPage(count int32) *soap.Fault {
	if count <= 0 || count > maxEventPage {
		return simulator.Fault("", &types.InvalidArgument{InvalidProperty: "maxCount"})
	}
	return nil
}

// DestroyCollector closes the collector.
func (c *eventCollector) DestroyCollector(*simulator.Context, *types.DestroyCollector) soap.HasFault {
	c.events.mu.Lock()
	defer c.events.mu.Unlock()
	delete(c.events.collectors, c.number)
	return &methods.DestroyCollectorBody{Res: new(types.DestroyCollectorResponse)}
}

// end closes the collectors of all sessions.
func (e *Events) end() {
	e.mu.Lock()
	defer e.mu.Unlock()
	clear(e.collectors)
}
