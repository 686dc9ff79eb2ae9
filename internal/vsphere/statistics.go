package vsphere

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/vmware/govmomi/fault"
	"github.com/vmware/govmomi/property"
	"github.com/vmware/govmomi/vim25"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"
)

const (
	// CounterVirtualDisk is the write rate of each virtual disk, in KBps.
	CounterVirtualDisk = "virtualDisk.write.average"
	// CounterDisk is a VM's write rate to block storage, in KBps.
	CounterDisk = "disk.write.average"

	realTimeSeconds   = 20
	realTimeRetention = time.Hour

	// vCenter rejects historical queries for more series than vpxd.stats.maxQueryMetrics (256 by default, 64 before
	// 6.5). How it counts "*" is undocumented, so a rejected batch is halved. Real-time queries are answered by the
	// hosts and are not limited. The samples of 256 VMs take about 3 MB.
	historicalBatch = 64
	realTimeBatch   = 256
)

// WriteQuery selects write-rate samples.
type WriteQuery struct {
	// VMIDs are distinct VM IDs. The series are returned in this order.
	VMIDs []string
	// IntervalSeconds is 20 for real-time samples, or one of vCenter's historical intervals.
	IntervalSeconds int32
	// Lookback is the maximum age of the samples, according to the vCenter clock.
	Lookback time.Duration
}

// WriteSeries contains the samples of one VM.
type WriteSeries struct {
	VMID string
	// Times contains the end time of each sample, in seconds since 1970 and in vCenter's order.
	Times []int64
	// Instances maps each virtual disk, or "" for the whole VM, to its samples in kilobytes (1,024 bytes) per second. A
	// negative value is a missing sample.
	Instances map[string][]int64
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

// maxQueryMetrics appears in vCenter's error message for a query with too many series. The error type varies.
const maxQueryMetrics = "vpxd.stats.maxQueryMetrics"

// WriteStatistics calls visit for each VM with statistics, in the order of the query, and returns the name of the
// counter. It sends one request, or two for a historical interval, plus one per 64 VMs (per 256 VMs in real time).
// Missing VMs are skipped, and VMs that are powered off have no real-time samples. Errors: *IntervalError,
// ErrPermission, ErrNotFound if vCenter lacks the counters.
func (c *Client) WriteStatistics(ctx context.Context, query WriteQuery, visit func(WriteSeries) error) (string, error) {
	var plan metricPlan
	err := c.withSOAP(
		ctx,
		"read the performance statistics settings",
		func(ctx context.Context, vim *vim25.Client) error {
			var err error
			plan, err = planMetric(ctx, vim, query)
			return err
		},
	)
	if err != nil {
		return "", err
	}
	ids, size := query.VMIDs, plan.batch
	for len(ids) > 0 {
		batch := ids[:min(size, len(ids))]
		var (
			found      map[string]WriteSeries
			restricted *types.RestrictedByAdministrator
			gone       *types.ManagedObjectNotFound
		)
		err := c.withSOAP(ctx, "query performance statistics", func(ctx context.Context, vim *vim25.Client) error {
			var err error
			found, err = plan.query(ctx, vim, batch)
			// Check this here, because fault.As inspects only the first of several wrapped errors.
			_, _ = fault.As(err, &restricted)
			_, _ = fault.As(err, &gone)
			return err
		})
		tooMany := restricted != nil || (err != nil && strings.Contains(err.Error(), maxQueryMetrics))
		if tooMany && len(batch) > 1 {
			size = (len(batch) + 1) / 2
			continue
		}
		if gone != nil && slices.Contains(batch, gone.Obj.Value) {
			ids = slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return id == gone.Obj.Value })
			continue
		}
		if err != nil {
			return "", err
		}
		if err := visitSeries(batch, found, visit); err != nil {
			return "", err
		}
		ids = ids[len(batch):]
	}
	return plan.counter, nil
}

func visitSeries(batch []string, found map[string]WriteSeries, visit func(WriteSeries) error) error {
	for _, id := range batch {
		if series, ok := found[id]; ok {
			if err := visit(series); err != nil {
				return err
			}
		}
	}
	return nil
}

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

func (p metricPlan) query(ctx context.Context, vim *vim25.Client, ids []string) (map[string]WriteSeries, error) {
	req := types.QueryPerf{This: *vim.ServiceContent.PerfManager}
	for _, id := range ids {
		spec := p.spec
		spec.Entity = types.ManagedObjectReference{Type: vmType, Value: id}
		req.QuerySpec = append(req.QuerySpec, spec)
	}
	res, err := methods.QueryPerf(ctx, vim, &req)
	if err != nil {
		return nil, err
	}
	found := make(map[string]WriteSeries, len(res.Returnval))
	for _, entity := range res.Returnval {
		csv, ok := entity.(*types.PerfEntityMetricCSV)
		if !ok {
			return nil, fmt.Errorf("statistics must be CSV, got %T: %w", entity, ErrInvalid)
		}
		series, err := writeSeries(csv, p.spec.IntervalId)
		if err != nil {
			return nil, err
		}
		found[series.VMID] = series
	}
	return found, nil
}

// writeSeries parses vCenter's CSV, which contains intervals and times ("20,2026-01-05T12:00:00Z,20,…") and values
// ("12,-1,13,…"). It skips samples of other intervals, which vCenter may also return.
func writeSeries(csv *types.PerfEntityMetricCSV, interval int32) (WriteSeries, error) {
	series := WriteSeries{VMID: csv.Entity.Value, Instances: make(map[string][]int64, len(csv.Value))}
	info := splitCSV(csv.SampleInfoCSV)
	if len(info)%2 != 0 {
		return series, fmt.Errorf("statistics of %s have an odd number of fields (%d): %w", series.VMID, len(info),
			ErrInvalid)
	}
	var indexes []int
	for i := 0; i < len(info); i += 2 {
		if info[i] != strconv.Itoa(int(interval)) {
			continue
		}
		at, err := time.Parse(time.RFC3339, info[i+1])
		if err != nil {
			return series, fmt.Errorf("statistics of %s: %w: %w", series.VMID, ErrInvalid, err)
		}
		indexes = append(indexes, i/2)
		series.Times = append(series.Times, at.Unix())
	}
	for _, value := range csv.Value {
		all := splitCSV(value.Value)
		list := make([]int64, 0, len(indexes))
		for _, i := range indexes {
			list = append(list, sampleAt(all, i))
		}
		series.Instances[value.Id.Instance] = list
	}
	return series, nil
}

// sampleAt returns a sample, or -1 if it is missing or not a number.
func sampleAt(all []string, i int) int64 {
	if i >= len(all) {
		return -1
	}
	v, err := strconv.ParseInt(all[i], 10, 64)
	if err != nil {
		return -1
	}
	return v
}

func splitCSV(csv string) []string {
	if csv == "" {
		return nil
	}
	list := strings.Split(csv, ",")
	for i := range list {
		list[i] = strings.TrimSpace(list[i])
	}
	return list
}
