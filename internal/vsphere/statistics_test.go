package vsphere_test

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/lab/fault"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
	"terraform-provider-vsla/internal/vsphere"
)

func vmIDs(v *vcsim.VCenter) []string {
	var ids []string
	for _, vm := range v.VMs() {
		ids = append(ids, vm.ID)
	}
	slices.Sort(ids)
	return ids
}

func readStatistics(
	t *testing.T,
	c *vsphere.Client,
	query vsphere.WriteQuery,
) (string, map[string]vsphere.WriteSeries, error) {
	t.Helper()
	found := make(map[string]vsphere.WriteSeries)
	var order []string
	counter, err := c.WriteStatistics(t.Context(), query, func(s vsphere.WriteSeries) error {
		found[s.VMID] = s
		order = append(order, s.VMID)
		return nil
	})
	assert.Len(t, order, len(found))
	if slices.IsSorted(query.VMIDs) {
		assert.True(t, slices.IsSorted(order), "the order is not the query's")
	}
	return counter, found, err
}

// checkSeries compares a series with the lab's samples, from the oldest to the newest. Gaps are -1.
func checkSeries(got vsphere.WriteSeries, vm vcsim.VM, count int, interval int64) error {
	if vm.PowerState != "poweredOn" {
		count = 0
	}
	if len(got.Times) != count {
		return fmt.Errorf("%d times, want %d", len(got.Times), count)
	}
	if count == 0 {
		return nil
	}
	if len(got.Instances) != len(vm.Disks) {
		return fmt.Errorf("%d instances, want %d", len(got.Instances), len(vm.Disks))
	}
	for j := range vm.Disks {
		values := got.Instances[fmt.Sprintf("scsi0:%d", j)]
		for i, v := range values {
			if want := vm.WrittenKBps(j, count-1-i); v != want {
				return fmt.Errorf("disk %d, sample %d is %d, want %d", j, i, v, want)
			}
		}
		if len(values) != count {
			return fmt.Errorf("%d values, want %d", len(values), count)
		}
	}
	for i := 1; i < count; i++ {
		if got.Times[i]-got.Times[i-1] != interval {
			return fmt.Errorf("samples %d and %d are %d seconds apart", i-1, i, got.Times[i]-got.Times[i-1])
		}
	}
	return nil
}

func TestWriteStatistics(t *testing.T) {
	t.Parallel()
	v, c, _ := startLab(t, vcsim.Config{VMs: 60, StatisticsLevel: 2})
	for _, test := range []struct {
		interval int32
		hours    float64
		samples  int
	}{
		// There are 180 samples of 20 seconds in an hour, 288 of 300 seconds in a day, 336 of 1,800 seconds in a week,
		// and 360 of 7,200 seconds in 30 days.
		{20, 1, 180},
		{20, 0.1, 18},
		{20, 20.0 / 3600, 1},
		{300, 24, 288},
		{1800, 168, 336},
		{7200, 720, 360},
		{86400, 8760, 365},
		{86400, 24, 1},
	} {
		counter, found, err := readStatistics(t, c, vsphere.WriteQuery{
			VMIDs:           vmIDs(v),
			IntervalSeconds: test.interval,
			Lookback:        time.Duration(test.hours * float64(time.Hour)),
		})
		if err != nil || counter != vsphere.CounterVirtualDisk || len(found) != 60 {
			t.Errorf("%d seconds: %q, %d VMs, %v", test.interval, counter, len(found), err)
			continue
		}
		for _, vm := range v.VMs() {
			assert.NoError(t, checkSeries(found[vm.ID], vm, test.samples, int64(test.interval)), "%v, %v",
				test.interval,
				vm.Name)
		}
	}
}

func TestWriteStatistics_unknownMachines(t *testing.T) {
	t.Parallel()
	v, c, _ := startLab(t, vcsim.Config{})
	ids := append(vmIDs(v), "vm-none")
	_, found, err := readStatistics(t, c, vsphere.WriteQuery{VMIDs: ids, IntervalSeconds: 20, Lookback: time.Hour})
	require.NoError(t, err)
	assert.Len(t, found, len(ids)-1)
	// vCenter can also reject the batch because of a VM that was just deleted.
	v.Traffic().Break(fault.Rule{
		Kind:   "soap:QueryPerf",
		Times:  1,
		Status: http.StatusInternalServerError,
		Body:   soapFault("ManagedObjectNotFound", `<obj type="VirtualMachine">`+ids[0]+`</obj>`),
	})
	_, found, err = readStatistics(t, c, vsphere.WriteQuery{VMIDs: ids, IntervalSeconds: 20, Lookback: time.Hour})
	require.NoError(t, err)
	assert.Len(t, found, len(ids)-2)
}

func soapFault(kind, detail string) string {
	return `<?xml version="1.0" encoding="UTF-8"?>
<soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/"
xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
<soapenv:Body><soapenv:Fault><faultcode>ServerFaultCode</faultcode><faultstring>refused</faultstring>
<detail><` + kind + `Fault xmlns="urn:vim25" xsi:type="` + kind + `">` + detail + `</` + kind +
		`Fault></detail></soapenv:Fault></soapenv:Body></soapenv:Envelope>`
}

func TestWriteStatistics_requests(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		config         vcsim.Config
		interval       int32
		queries, times int
	}{
		// In real time, 257 VMs need a batch of 256 and one of 1. For historical intervals, 65 VMs need a batch of 64
		// and one of 1.
		"real time":  {vcsim.Config{VMs: 257}, 20, 2, 0},
		"historical": {vcsim.Config{VMs: 65, StatisticsLevel: 2}, 300, 2, 1},
		// Every group of three VMs has six disks in total, so batches of 64, 32 and 16 VMs have about 128, 64 and 32
		// series. The first two batches are rejected, because the limit is 40 series. The 150 VMs then take ten batches
		// of up to 16.
		"small limit": {vcsim.Config{VMs: 150, StatisticsLevel: 2, MaxQueryMetrics: 40}, 300, 2 + 10, 1},
	} {
		v, c, _ := startLab(t, test.config)
		query := vsphere.WriteQuery{VMIDs: vmIDs(v), IntervalSeconds: test.interval, Lookback: 10 * time.Minute}
		_, found, err := readStatistics(t, c, query)
		require.NoError(t, err, name)
		assert.Len(t, found, test.config.VMs, name)
		for kind, want := range map[string]int{
			"soap:QueryPerf":            test.queries,
			"soap:CurrentTime":          test.times,
			"soap:RetrievePropertiesEx": 1,
		} {
			assert.Equal(t, want, v.Traffic().Count(kind), "%v, %v", name, kind)
		}
	}
}

func TestWriteStatistics_limitOfOne(t *testing.T) {
	t.Parallel()
	v, c, _ := startLab(t, vcsim.Config{VMs: 6, StatisticsLevel: 2, MaxQueryMetrics: 2})
	_, _, err := readStatistics(t, c, vsphere.WriteQuery{VMIDs: vmIDs(v), IntervalSeconds: 300, Lookback: time.Hour})
	require.ErrorIs(t, err, vsphere.ErrInvalid)
	assert.Contains(t, err.Error(), "vpxd.stats.maxQueryMetrics")
}

func TestWriteStatistics_intervals(t *testing.T) {
	t.Parallel()
	v, c, _ := startLab(t, vcsim.Config{})
	for name, test := range map[string]struct {
		interval int32
		lookback time.Duration
		want     vsphere.IntervalError
	}{
		"level 1": {
			300,
			time.Hour,
			vsphere.IntervalError{
				IntervalSeconds: 300,
				Name:            "Past Day",
				Level:           1,
				Needed:          2,
				Counter:         "virtualDisk.write.average (or disk.write.average)",
			},
		},
		"too far back": {
			300,
			25 * time.Hour,
			vsphere.IntervalError{IntervalSeconds: 300, Name: "Past Day", Retention: 24 * time.Hour},
		},
		"beyond real time": {
			20,
			2 * time.Hour,
			vsphere.IntervalError{IntervalSeconds: 20, Name: "Real-time", Retention: time.Hour},
		},
		"no such interval": {600, time.Hour, vsphere.IntervalError{IntervalSeconds: 600}},
		"too far, a year": {
			86400,
			9000 * time.Hour,
			vsphere.IntervalError{IntervalSeconds: 86400, Name: "Past Year", Retention: 8760 * time.Hour},
		},
		"level, of a month": {
			7200,
			24 * time.Hour,
			vsphere.IntervalError{
				IntervalSeconds: 7200,
				Name:            "Past Month",
				Level:           1,
				Needed:          2,
				Counter:         "virtualDisk.write.average (or disk.write.average)",
			},
		},
	} {
		query := vsphere.WriteQuery{VMIDs: vmIDs(v), IntervalSeconds: test.interval, Lookback: test.lookback}
		_, _, err := readStatistics(t, c, query)
		got, ok := errors.AsType[*vsphere.IntervalError](err)
		require.True(t, ok, "%s: %v", name, err)
		assert.Equal(t, test.want, *got, name)
		assert.NotEmpty(t, got.Error(), name)
	}
	assert.Equal(t, 0, v.Traffic().Count("soap:QueryPerf"))
}

func TestWriteStatistics_faults(t *testing.T) {
	t.Parallel()
	v, c, _ := startLab(t, vcsim.Config{VMs: 150, StatisticsLevel: 2})
	for name, rule := range map[string]fault.Rule{
		"session":     {Before: func(*http.Request) { v.ExpireSessions() }},
		"busy":        {Status: http.StatusServiceUnavailable},
		"lost answer": {HandleFirst: true, CloseConnection: true},
	} {
		v.Traffic().Mend()
		v.Traffic().Reset()
		rule.Kind = "soap:QueryPerf"
		rule.Skip = 1
		rule.Times = 1
		v.Traffic().Break(rule)
		_, found, err := readStatistics(t, c,
			vsphere.WriteQuery{VMIDs: vmIDs(v), IntervalSeconds: 300, Lookback: time.Hour})
		n := v.Traffic().Count("soap:QueryPerf")
		require.NoError(t, err, name)
		assert.Len(t, found, 150, name)
		assert.Equal(t, 3+1, n, name)
	}
	v.Traffic().Mend()
	v.Traffic().Break(fault.Rule{
		Kind:   "soap:QueryPerf",
		Status: http.StatusInternalServerError,
		Body: soapFault("NoPermission",
			`<object type="VirtualMachine">vm-1</object><privilegeId>System.Read</privilegeId>`),
	})
	v.Traffic().Reset()
	_, _, err := readStatistics(t, c, vsphere.WriteQuery{VMIDs: vmIDs(v), IntervalSeconds: 300, Lookback: time.Hour})
	n := v.Traffic().Count("soap:QueryPerf")
	require.ErrorIs(t, err, vsphere.ErrPermission)
	assert.Equal(t, 1, n)
}

func TestWriteStatistics_stops(t *testing.T) {
	t.Parallel()
	v, c, _ := startLab(t, vcsim.Config{})
	enough := errors.New("enough")
	_, err := c.WriteStatistics(t.Context(),
		vsphere.WriteQuery{VMIDs: vmIDs(v), IntervalSeconds: 20, Lookback: time.Hour},
		func(vsphere.WriteSeries) error { return enough })
	assert.ErrorIs(t, err, enough)
}

func TestWriteStatistics_maxQueryMetricsByText(t *testing.T) {
	t.Parallel()
	v, c, _ := startLab(t, vcsim.Config{StatisticsLevel: 2})
	body := strings.Replace(soapFault("SystemError", "<reason></reason>"), "refused",
		"This operation is restricted by the administrator - 'vpxd.stats.maxQueryMetrics'.", 1)
	v.Traffic().Break(fault.Rule{Kind: "soap:QueryPerf", Times: 1, Status: http.StatusInternalServerError, Body: body})
	ids := vmIDs(v)
	_, found, err := readStatistics(t, c, vsphere.WriteQuery{VMIDs: ids, IntervalSeconds: 300, Lookback: time.Hour})
	require.NoError(t, err)
	assert.Len(t, found, len(ids))
}
