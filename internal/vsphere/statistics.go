package vsphere

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/vmware/govmomi/fault"
	"github.com/vmware/govmomi/vim25"
	"github.com/vmware/govmomi/vim25/methods"
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
