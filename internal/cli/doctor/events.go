package doctor

import (
	"context"
	_ "embed"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"terraform-provider-vsla/internal/vsphere"
)

// eventList contains the event type IDs of releases 6.7 to 8.0.
//
//go:embed eventtypes.txt
var eventList string

var (
	eventWord  = regexp.MustCompile(`[A-Z]*[a-z]+`)
	eventForm  = regexp.MustCompile(`^[A-Za-z]{1,80}$`)
	eventWords = wordSetOfIDs(strings.Fields(eventList))
)

func wordSetOfIDs(ids []string) map[string]bool {
	words := make(map[string]bool)
	for _, id := range ids {
		for _, word := range eventWord.FindAllString(id[strings.LastIndexByte(id, '.')+1:], -1) {
			words[strings.ToLower(word)] = true
		}
	}
	return words
}

// eventText returns an event type ID if all words in it are known. Otherwise, it returns a placeholder.
func eventText(id string) string {
	prefix, name := "", ""
	for _, p := range vsphere.EventPrefixes {
		if rest, ok := strings.CutPrefix(id, p); ok {
			prefix, name = p, rest
		}
	}
	if prefix == "" {
		return "{type}"
	}
	words := eventWord.FindAllString(name, -1)
	if !eventForm.MatchString(name) || strings.Join(words, "") != name ||
		slices.ContainsFunc(words, func(w string) bool { return !eventWords[strings.ToLower(w)] }) {
		return "`" + prefix + "{type}`"
	}
	return "`" + id + "`"
}

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

func countedListText(texts []string) string {
	count := make(map[string]int)
	for _, text := range texts {
		count[text]++
	}
	parts := make([]string, 0, len(count))
	for _, text := range slices.Sorted(maps.Keys(count)) {
		if count[text] > 1 {
			text = fmt.Sprintf("%s (%d)", text, count[text])
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, ", ")
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
	if err == nil {
		v.recordSyncs(one)
		v.reportSequence(one)
	}
	return err
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
	sorted, unnamed := true, 0
	for i, e := range events {
		texts = append(texts, eventText(e.Type))
		if e.ByVM == "" {
			unnamed++
		}
		if i > 0 && (e.At.Before(events[i-1].At) || e.At.Equal(events[i-1].At) && e.Key <= events[i-1].Key) {
			sorted = false
		}
	}
	rest := ""
	if more {
		rest = " (more exist)"
	}
	v.report.Replication.add("In the last seven days: %s within %s%s. Types: %s.",
		countText(len(events), "event",
			"events"), hours(events[len(events)-1].At.Sub(events[0].At)), rest, countedListText(texts))
	if sorted {
		v.report.addCheck("event-order", OK, "Events are sorted by createdTime and key.")
	} else {
		v.report.addCheck("event-order", Differs, "Events are not sorted by createdTime and key.")
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

const maxRuns = 80

// reportSequence reports the events of one VM, combining consecutive events of the same type into runs.
func (v *vcenterExaminer) reportSequence(events []vsphere.SampledEvent) {
	if len(events) == 0 {
		v.report.Replication.add("The selected VM has no events in the last seven days.")
		return
	}
	var runs []eventRun
	violations := 0
	lasts := false
	repeats := false
	for i, e := range events {
		var gap time.Duration
		if i > 0 {
			gap = e.At.Sub(events[i-1].At)
		}
		if n := len(runs); n == 0 || runs[n-1].id != e.Type {
			runs = append(runs, eventRun{id: e.Type, gapBefore: gap, minGap: -1})
		} else {
			runs[n-1].extend(gap)
		}
		last := &runs[len(runs)-1]
		last.count++
		switch e.Type {
		case vsphere.EventRPOViolated:
			if e.Minutes > 0 {
				last.minutes = append(last.minutes, e.Minutes)
			}
			violations++
			repeats, lasts = repeats || lasts, true
		case vsphere.EventRPORestored:
			lasts = false
		}
	}
	texts := make([]string, 0, maxRuns)
	for i := range runs[:min(maxRuns, len(runs))] {
		texts = append(texts, runs[i].String())
	}
	if left := len(runs) - maxRuns; left > 0 {
		texts = append(texts, fmt.Sprintf("and %d more", left))
	}
	v.report.Replication.add(
		"Event sequence of one VM in the last seven days, in minutes since the previous event: %s.",
		strings.Join(texts, "; "),
	)
	switch {
	case violations == 0:
		v.report.addCheck("violation-repeats", Unknown, "The selected VM had no RPO violation in the last seven days.")
	case repeats:
		v.report.addCheck("violation-repeats", OK, "The event of a violation is repeated during the violation. "+
			"vsla counts it once.")
	default:
		v.report.addCheck("violation-repeats", OK, "The event of a violation was not repeated during the violation.")
	}
}

type eventRun struct {
	id                        string
	count                     int
	gapBefore, minGap, maxGap time.Duration
	minutes                   []int64 // duration of the violation in each event
}

func (r *eventRun) extend(gap time.Duration) {
	if r.minGap < 0 || gap < r.minGap {
		r.minGap = gap
	}
	r.maxGap = max(r.maxGap, gap)
}

const maxMinutes = 12

// String formats a run of events, for example "+14 3 times `hbr.primary.DeltaCompletedEvent` every 14 to 16". All times
// are in minutes.
func (r *eventRun) String() string {
	s := fmt.Sprintf("+%.0f ", r.gapBefore.Minutes())
	if r.count > 1 {
		s += fmt.Sprintf("%d times ", r.count)
	}
	s += eventText(r.id)
	if r.count > 1 {
		s += fmt.Sprintf(" every %.0f to %.0f", r.minGap.Minutes(), r.maxGap.Minutes())
	}
	if len(r.minutes) > 0 {
		s += " with violation minutes " + strings.Trim(fmt.Sprint(r.minutes[:min(maxMinutes, len(r.minutes))]), "[]")
	}
	return s
}
