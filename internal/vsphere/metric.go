package vsphere

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/vmware/govmomi/property"
	"github.com/vmware/govmomi/vim25"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"
)

type metricPlan struct {
	counter string
	spec    types.PerfQuerySpec
	batch   int
}

func planMetric(ctx context.Context, vim *vim25.Client, query WriteQuery) (metricPlan, error) {
	if vim.ServiceContent.PerfManager == nil {
		return metricPlan{}, fmt.Errorf("performance manager: %w", ErrNotFound)
	}
	var manager mo.PerformanceManager
	if err := property.DefaultCollector(vim).RetrieveOne(ctx, *vim.ServiceContent.PerfManager,
		[]string{"perfCounter", "historicalInterval"}, &manager); err != nil {
		return metricPlan{}, err
	}
	byName := make(map[string]types.PerfCounterInfo)
	for _, info := range manager.PerfCounter {
		if name := info.Name(); name == CounterVirtualDisk || name == CounterDisk {
			byName[name] = info
		}
	}
	plan := metricPlan{
		batch: realTimeBatch,
		spec:  types.PerfQuerySpec{IntervalId: query.IntervalSeconds, Format: string(types.PerfFormatCsv)},
	}
	lookback := query.Lookback.Round(time.Second)
	var level int32
	if query.IntervalSeconds == realTimeSeconds {
		if query.Lookback > realTimeRetention {
			return plan, &IntervalError{
				IntervalSeconds: query.IntervalSeconds,
				Name:            "Real-time",
				Retention:       realTimeRetention,
			}
		}
		plan.spec.MaxSample = max(1, int32(lookback/time.Second)/realTimeSeconds) //nolint:gosec // at most an hour
	} else {
		interval, err := findInterval(manager.HistoricalInterval, query)
		if err != nil {
			return plan, err
		}
		level = interval.Level
		end, err := methods.GetCurrentTime(ctx, vim)
		if err != nil {
			return plan, err
		}
		start := end.Add(-lookback)
		plan.spec.StartTime = &start
		plan.spec.EndTime = end
		plan.batch = historicalBatch
	}
	var err error
	plan.counter, plan.spec.MetricId, err = chooseMetric(byName, level)
	if low, ok := errors.AsType[*IntervalError](err); ok {
		low.IntervalSeconds = query.IntervalSeconds
		low.Name = intervalName(manager.HistoricalInterval, query.IntervalSeconds)
	}
	return plan, err
}

func findInterval(intervals []types.PerfInterval, query WriteQuery) (types.PerfInterval, error) {
	for _, interval := range intervals {
		if interval.SamplingPeriod != query.IntervalSeconds || !interval.Enabled {
			continue
		}
		if retention := time.Duration(interval.Length) * time.Second; query.Lookback.Round(time.Second) > retention {
			return interval, &IntervalError{
				IntervalSeconds: query.IntervalSeconds,
				Name:            interval.Name,
				Retention:       retention,
			}
		}
		return interval, nil
	}
	return types.PerfInterval{}, &IntervalError{IntervalSeconds: query.IntervalSeconds}
}

func intervalName(intervals []types.PerfInterval, seconds int32) string {
	for _, interval := range intervals {
		if interval.SamplingPeriod == seconds {
			return interval.Name
		}
	}
	return ""
}

// chooseMetric prefers the counter per virtual disk to the counter per VM. level is the interval's statistics level, or
// 0 in real time, where all counters are available.
func chooseMetric(counters map[string]types.PerfCounterInfo, level int32) (string, []types.PerfMetricId, error) {
	var needed int32
	for _, choice := range []struct{ name, instance string }{{CounterVirtualDisk, "*"}, {CounterDisk, ""}} {
		info, ok := counters[choice.name]
		if !ok {
			continue
		}
		unit := info.UnitInfo.GetElementDescription().Key
		if unit != string(types.PerformanceManagerUnitKiloBytesPerSecond) {
			return "", nil, fmt.Errorf("counter %s is in %s, not in kilobytes per second: %w",
				choice.name, unit, ErrInvalid)
		}
		required := info.Level
		if choice.instance == "*" && info.PerDeviceLevel > 0 {
			required = info.PerDeviceLevel
		}
		if level == 0 || required <= level {
			return choice.name, []types.PerfMetricId{{CounterId: info.Key, Instance: choice.instance}}, nil
		}
		if needed == 0 || required < needed {
			needed = required
		}
	}
	if needed == 0 {
		return "", nil, fmt.Errorf("counters %s and %s: %w", CounterVirtualDisk, CounterDisk, ErrNotFound)
	}
	return "", nil, &IntervalError{
		Level:   level,
		Needed:  needed,
		Counter: CounterVirtualDisk + " (or " + CounterDisk + ")",
	}
}

// IntervalError is returned if vCenter does not store the required statistics for the interval, or does not store them
// for long enough. No statistics were read in this case.
type IntervalError struct {
	IntervalSeconds int32
	// Name is vCenter's name for the interval, for example "Past Day". It is empty if the interval does not exist or is
	// disabled.
	Name string
	// Retention is vCenter's retention for the interval if it is shorter than the lookback. Otherwise, it is 0.
	Retention time.Duration
	// Level is the statistics level of the interval. Needed is the level that Counter requires. Both are 0 if the level
	// is not the cause.
	Level, Needed int32
	Counter       string
}

// Error describes the cause.
func (e *IntervalError) Error() string {
	switch {
	case e.Name == "":
		return fmt.Sprintf("vCenter does not store statistics with an interval of %d seconds", e.IntervalSeconds)
	case e.Needed > 0:
		return fmt.Sprintf(
			"interval %q (%d seconds) is stored at statistics level %d, but %s requires level %d",
			e.Name,
			e.IntervalSeconds,
			e.Level,
			e.Counter,
			e.Needed,
		)
	default:
		return fmt.Sprintf("interval %q (%d seconds) is only stored for %s", e.Name, e.IntervalSeconds, e.Retention)
	}
}
