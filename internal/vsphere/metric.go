package vsphere

import (
	"context"
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
	if query.IntervalSeconds == realTimeSeconds {
		return planRealTime(query, byName)
	}
	interval, err := findInterval(manager.HistoricalInterval, query)
	if err != nil {
		return metricPlan{}, err
	}
	return planHistorical(ctx, vim, query, interval, byName)
}

func planRealTime(query WriteQuery, counters map[string]types.PerfCounterInfo) (metricPlan, error) {
	if query.Lookback > realTimeRetention {
		return metricPlan{}, &IntervalError{
			IntervalSeconds: query.IntervalSeconds,
			Name:            "Real-time",
			Retention:       realTimeRetention,
		}
	}
	seconds := int32(query.Lookback.Round(time.Second) / time.Second) //nolint:gosec // at most an hour
	plan := metricPlan{batch: realTimeBatch, spec: types.PerfQuerySpec{
		IntervalId: query.IntervalSeconds,
		Format:     string(types.PerfFormatCsv),
		MaxSample:  max(1, seconds/realTimeSeconds),
	}}
	var err error
	plan.counter, plan.spec.MetricId, err = chooseMetric(counters, types.PerfInterval{})
	return plan, err
}

func planHistorical(
	ctx context.Context, vim *vim25.Client, query WriteQuery, interval types.PerfInterval,
	counters map[string]types.PerfCounterInfo,
) (metricPlan, error) {
	end, err := methods.GetCurrentTime(ctx, vim)
	if err != nil {
		return metricPlan{}, err
	}
	start := end.Add(-query.Lookback.Round(time.Second))
	plan := metricPlan{batch: historicalBatch, spec: types.PerfQuerySpec{
		IntervalId: query.IntervalSeconds,
		Format:     string(types.PerfFormatCsv),
		StartTime:  &start,
		EndTime:    end,
	}}
	plan.counter, plan.spec.MetricId, err = chooseMetric(counters, interval)
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

// chooseMetric prefers the counter per virtual disk to the counter per VM. interval is empty in real time, where all
// counters are available.
func chooseMetric(
	counters map[string]types.PerfCounterInfo, interval types.PerfInterval,
) (string, []types.PerfMetricId, error) {
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
		if interval.Level == 0 || required <= interval.Level {
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
		IntervalSeconds: interval.SamplingPeriod,
		Name:            interval.Name,
		Level:           interval.Level,
		Needed:          needed,
		Counter:         CounterVirtualDisk + " (or " + CounterDisk + ")",
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
