package doctor

import (
	"context"
	"slices"
)

var replicationReads = []struct {
	subject string
	report  func(*vcenterExaminer, context.Context) error
}{
	{"The statistics settings", (*vcenterExaminer).reportStatistics},
	{"The VM configurations", (*vcenterExaminer).reportConfiguration},
	{"The event types", (*vcenterExaminer).reportEventTypes},
	{"The events", (*vcenterExaminer).reportEvents},
}

// examineReplication runs all replicationReads, even if some of them fail.
func (v *vcenterExaminer) examineReplication(ctx context.Context) {
	for _, read := range replicationReads {
		if ctx.Err() != nil {
			return
		}
		if err := read.report(v, ctx); err != nil {
			v.report.Replication.add("%s could not be read: %s.", read.subject, reason(err))
		}
		v.countStep()
	}
	v.addUndecided(eventChecks)
}

var eventChecks = []string{"event-types", "event-order", "event-vm", "violation-repeats"}

func (s *session) addUndecided(ids []string) {
	for _, id := range ids {
		if !slices.ContainsFunc(s.report.Checks, func(c Check) bool { return c.ID == id }) {
			s.report.addCheck(id, Unknown, "There is no data for this check.")
		}
	}
}

// reportStatistics reports the statistics intervals and the levels of the write counters. It also reports what was read
// before an error.
func (v *vcenterExaminer) reportStatistics(ctx context.Context) error {
	intervals, counters, err := v.client.StatisticsSettings(ctx)
	for _, i := range intervals {
		kept := "disabled"
		if i.Enabled {
			kept = "kept for " + countText(int(i.RetentionSeconds/secondsOfHour), "hour", "hours")
		}
		v.report.Replication.add("Statistics interval of %s: %s, level %d.",
			countText(int(i.Seconds), "second", "seconds"), kept, i.Level)
	}
	for _, c := range counters {
		v.report.Replication.add("`%s` is collected from level %d, per device from level %d.",
			c.Name, c.Level, c.PerDeviceLevel)
	}
	if err == nil && len(counters) == 0 {
		v.report.Replication.add("vCenter has no write counters.")
	}
	return err
}

const secondsOfHour = 3600
