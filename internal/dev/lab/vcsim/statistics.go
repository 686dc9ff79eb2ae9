package vcsim

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"

	"terraform-provider-vsla/internal/dev/lab/order"
)

const (
	virtualDiskWrite = "virtualDisk.write.average"
	diskWrite        = "disk.write.average"

	realTimeSeconds = 20
	realTimeKept    = 180 // one hour of samples
)

// Special sample values.
const (
	// Gap is vCenter's value for a missing sample.
	Gap int64 = -1
	// Reset is the value of the first sample after a 32-bit counter has been reset.
	Reset int64 = (1 << 32) / realTimeSeconds
)

var now = time.Date(2026, time.January, 5, 12, 0, 0, 0, time.UTC)

// WrittenKBps returns a sample of the write rate of a VM's j-th disk in kilobytes (1,024 bytes) per second. All
// intervals have the same samples. back is the number of newer samples, and position is vm.Position:
//
//	by default                                     100 * (1 + position mod 7) + 10 * j + back mod 12
//	if back mod 24 is 5                            eight times the default
//	if position mod 5 is 1 and back mod 17 is 3    a gap
//	if position mod 5 is 2 and back mod 29 is 7    a reset
//
// VMs that are powered off have no samples.
func (vm VM) WrittenKBps(j, back int) int64 {
	switch {
	case vm.Position%5 == 1 && back%17 == 3:
		return Gap
	case vm.Position%5 == 2 && back%29 == 7:
		return Reset
	}
	kbps := int64(100*(1+vm.Position%7) + 10*j + back%12)
	if back%24 == 5 {
		kbps *= 8
	}
	return kbps
}

// statistics replaces the simulator's performance manager, whose samples are random, complete and the same for all VMs.
type statistics struct {
	simulator.PerformanceManager
	// vms contains the VMs by ID and must not change after the start.
	vms        map[string]VM
	maxMetrics int
	names      map[int32]string
}

func (v *VCenter) serveStatistics() error {
	ctx := v.model.Service.Context
	theirs, ok := ctx.Map.Get(*v.model.ServiceContent.PerfManager).(*simulator.PerformanceManager)
	if !ok {
		return errors.New("the model has no performance manager")
	}
	s := &statistics{
		PerformanceManager: *theirs,
		vms:                make(map[string]VM),
		maxMetrics:         v.config.MaxQueryMetrics,
		names:              make(map[int32]string),
	}
	// Copy the simulator's intervals, which are stored in a package variable.
	s.HistoricalInterval = slices.Clone(s.HistoricalInterval)
	for i := range s.HistoricalInterval {
		s.HistoricalInterval[i].Level = int32(v.config.StatisticsLevel) //nolint:gosec // 1 to 4
	}
	for _, c := range s.PerfCounter {
		s.names[c.Key] = c.Name()
	}
	for _, vm := range v.vms {
		s.vms[vm.ID] = vm
	}
	ctx.Map.Put(s)
	return nil
}

// QueryPerf supports only the CSV format. Like vCenter, it skips VMs that do not exist.
func (s *statistics) QueryPerf(_ *simulator.Context, req *types.QueryPerf) soap.HasFault {
	body := &methods.QueryPerfBody{Res: &types.QueryPerfResponse{}}
	metrics := 0
	for _, spec := range req.QuerySpec {
		vm, ok := s.vms[spec.Entity.Value]
		if !ok {
			continue
		}
		series := s.series(vm, spec)
		if spec.IntervalId != realTimeSeconds {
			metrics += len(series.Value)
		}
		body.Res.Returnval = append(body.Res.Returnval, series)
	}
	order.By(body.Res.Returnval, func(m types.BasePerfEntityMetricBase) string {
		return m.GetPerfEntityMetricBase().Entity.Value
	})
	if metrics > s.maxMetrics {
		const setting = "vpxd.stats.maxQueryMetrics"
		return &methods.QueryPerfBody{
			Fault_: simulator.Fault(
				"This operation is restricted by the administrator - '"+setting+"'.",
				&types.RestrictedByAdministrator{Details: setting},
			),
		}
	}
	return body
}

func (s *statistics) series(vm VM, spec types.PerfQuerySpec) *types.PerfEntityMetricCSV {
	m := &types.PerfEntityMetricCSV{PerfEntityMetricBase: types.PerfEntityMetricBase{Entity: spec.Entity}}
	newest, count := s.window(spec)
	if vm.PowerState != "poweredOn" || vm.ConnectionState != "connected" || count == 0 {
		return m
	}
	var info []string
	for back := count - 1; back >= 0; back-- {
		at := newest.Add(-time.Duration(back) * time.Duration(spec.IntervalId) * time.Second)
		info = append(info, strconv.Itoa(int(spec.IntervalId)), at.UTC().Format(time.RFC3339))
	}
	m.SampleInfoCSV = strings.Join(info, ",")
	for _, metric := range spec.MetricId {
		if !s.collected(metric, spec.IntervalId) {
			continue
		}
		name := s.names[metric.CounterId]
		switch {
		case name == virtualDiskWrite && metric.Instance == "*":
			for j := range vm.Disks {
				one := types.PerfMetricId{CounterId: metric.CounterId, Instance: "scsi0:" + strconv.Itoa(j)}
				m.Value = append(m.Value, values(one, count, func(back int) int64 { return vm.WrittenKBps(j, back) }))
			}
		case name == diskWrite && metric.Instance == "":
			m.Value = append(m.Value, values(metric, count, vm.aggregate))
		}
	}
	return m
}

func (vm VM) aggregate(back int) int64 {
	var sum int64
	for j := range vm.Disks {
		kbps := vm.WrittenKBps(j, back)
		if kbps == Gap || kbps == Reset {
			return kbps
		}
		sum += kbps
	}
	return sum
}

func values(metric types.PerfMetricId, count int, sample func(back int) int64) types.PerfMetricSeriesCSV {
	var list []string
	for back := count - 1; back >= 0; back-- {
		list = append(list, strconv.FormatInt(sample(back), 10))
	}
	return types.PerfMetricSeriesCSV{
		PerfMetricSeries: types.PerfMetricSeries{Id: metric},
		Value:            strings.Join(list, ","),
	}
}

// window returns the end of the newest sample and the number of retained samples that end in the queried time range.
// The start of the range is exclusive.
func (s *statistics) window(spec types.PerfQuerySpec) (newest time.Time, count int) {
	if spec.IntervalId == realTimeSeconds {
		if spec.MaxSample > 0 {
			return now, min(int(spec.MaxSample), realTimeKept)
		}
		return now, realTimeKept
	}
	for _, interval := range s.HistoricalInterval {
		if interval.SamplingPeriod != spec.IntervalId || spec.StartTime == nil || spec.EndTime == nil {
			continue
		}
		asked := int(spec.EndTime.Sub(*spec.StartTime).Seconds()) / int(interval.SamplingPeriod)
		return *spec.EndTime, min(asked, int(interval.Length/interval.SamplingPeriod))
	}
	return time.Time{}, 0
}

// collected reports whether the statistics level includes a metric. Real-time statistics include all metrics.
func (s *statistics) collected(metric types.PerfMetricId, interval int32) bool {
	if interval == realTimeSeconds {
		return true
	}
	for _, c := range s.PerfCounter {
		if c.Key != metric.CounterId {
			continue
		}
		needed := c.Level
		if metric.Instance != "" {
			needed = c.PerDeviceLevel
		}
		return slices.ContainsFunc(
			s.HistoricalInterval,
			func(i types.PerfInterval) bool { return i.SamplingPeriod == interval && i.Level >= needed },
		)
	}
	return false
}
