package doctor

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"terraform-provider-vsla/internal/vsphere"
)

func (v *vcenterExaminer) reportEventTypes(ctx context.Context) error {
	ids, err := v.client.RegisteredEventTypes(ctx)
	if err != nil {
		return err
	}
	v.eventTypeIDs = ids
	if len(ids) == 0 {
		v.report.Replication.add("vCenter describes no vSphere Replication event types.")
		v.report.addCheck("event-types", Unknown, "vCenter describes no vSphere Replication event types.")
		v.eventTypeIDs = vsphere.ReplicationEventTypes()
		return nil
	}
	listed := make([]string, 0, len(ids))
	for _, id := range ids {
		listed = append(listed, eventText(id))
	}
	v.report.Replication.add("vCenter describes %s: %s.", countText(len(ids), "vSphere Replication event type",
		"vSphere Replication event types"), countedListText(listed))
	var missing []string
	for _, id := range vsphere.ReplicationEventTypes() {
		if !slices.Contains(ids, id) {
			missing = append(missing, "`"+id+"`")
		}
	}
	if len(missing) > 0 {
		v.report.addCheck("event-types", Differs, "vCenter does not describe "+strings.Join(missing, ", ")+".")
		return nil
	}
	v.report.addCheck("event-types", OK, "vCenter describes all event types that vsla reads.")
	return nil
}

const countedPages = 3 // maximum number of event pages (1,000 events each) that are counted

const sequenceTime = 7 * 24 * time.Hour

// reportEvents reports the events of the last seven days, and the event sequence of one VM.
func (v *vcenterExaminer) reportEvents(ctx context.Context) error {
	now, err := v.client.Time(ctx)
	if err != nil {
		return err
	}
	sample := func(vm string, length time.Duration, pages int) ([]vsphere.SampledEvent, bool, error) {
		return v.client.SampleEvents(ctx, v.eventTypeIDs, vm, now.Add(-length), now, pages)
	}
	hour, _, err := sample("", time.Hour, 1)
	if err != nil {
		return err
	}
	v.recordSyncs(hour)
	week, more, err := sample("", sequenceTime, countedPages)
	if err != nil {
		return err
	}
	v.reportEventCounts(week, more)
	if v.replicatedVM == "" && len(week) > 0 {
		v.replicatedVM = week[len(week)-1].VMID
	}
	if v.replicatedVM == "" {
		v.report.Replication.add("There is no event and no replicated VM, so no event sequence was read.")
		return nil
	}
	one, _, err := sample(v.replicatedVM, sequenceTime, countedPages)
	if err != nil {
		return err
	}
	v.recordSyncs(one)
	v.reportSequence(one)
	return nil
}

func (s *session) recordSyncs(events []vsphere.SampledEvent) {
	for _, e := range events {
		if isSync(e.Type) && !e.At.Before(s.latestSync[e.VMID].At) {
			s.latestSync[e.VMID] = e.ReplicationEvent
		}
	}
}

func (v *vcenterExaminer) reportEventCounts(events []vsphere.SampledEvent, more bool) {
	if len(events) == 0 {
		v.report.Replication.add("There are no replication events in the last seven days.")
		return
	}
	texts := make([]string, 0, len(events))
	for _, e := range events {
		texts = append(texts, eventText(e.Type))
	}
	rest := ""
	if more {
		rest = " (more exist)"
	}
	v.report.Replication.add("In the last seven days: %s within %s%s. Types: %s.",
		countText(len(events), "event", "events"), hours(events[len(events)-1].At.Sub(events[0].At)), rest,
		countedListText(texts))
	v.checkOrder(events)
	v.checkVMField(events)
}

func (v *vcenterExaminer) checkOrder(events []vsphere.SampledEvent) {
	if areSorted(events) {
		v.report.addCheck("event-order", OK, "Events are sorted by createdTime and key.")
	} else {
		v.report.addCheck("event-order", Differs, "Events are not sorted by createdTime and key.")
	}
}

func areSorted(events []vsphere.SampledEvent) bool {
	for i, e := range events[1:] {
		previous := events[i]
		if e.At.Before(previous.At) || e.At.Equal(previous.At) && e.Key <= previous.Key {
			return false
		}
	}
	return true
}

func (v *vcenterExaminer) checkVMField(events []vsphere.SampledEvent) {
	unnamed := 0
	for _, e := range events {
		if e.ByVM == "" {
			unnamed++
		}
	}
	if unnamed > 0 {
		v.report.addCheck("event-vm", Differs, fmt.Sprintf("%d of %d events do not have their VM in the field vm.",
			unnamed, len(events)))
	} else {
		v.report.addCheck("event-vm", OK, "Every event has its VM in the field vm.")
	}
}

func hours(d time.Duration) string { return fmt.Sprintf("%.1f hours", d.Hours()) }

// isSync reports whether an event type marks the end of a sync. Events of these types contain the transferred size.
func isSync(id string) bool {
	return strings.HasPrefix(id, vsphere.EventPrefixes[0]) && strings.HasSuffix(id, "CompletedEvent")
}
