package vsphere_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/lab/fault"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
	"terraform-provider-vsla/internal/vsphere"
)

func soapAnswer(body string) string {
	return `<?xml version="1.0" encoding="UTF-8"?>
<soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/" xmlns:xsd="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
<soapenv:Body>` + body + `</soapenv:Body></soapenv:Envelope>`
}

func counter(key int, group, unit string, level, perDevice int) string {
	element := func(name, key string) string {
		return fmt.Sprintf("<%s><label>l</label><summary>s</summary><key>%s</key></%s>", name, key, name)
	}
	return fmt.Sprintf(
		`<PerfCounterInfo xsi:type="PerfCounterInfo"><key>%d</key>%s%s%s`+
			`<rollupType>average</rollupType><statsType>rate</statsType><level>%d</level><perDeviceLevel>%d</perDeviceLevel></PerfCounterInfo>`,
		key,
		element("nameInfo", "write"),
		element("groupInfo", group),
		element("unitInfo", unit),
		level,
		perDevice,
	)
}

// settings answers the reading of the performance manager, with one interval of 300 seconds.
func settings(counters string, level int, enabled bool) fault.Rule {
	return fault.Rule{Kind: "soap:RetrievePropertiesEx", Status: http.StatusOK, Body: soapAnswer(fmt.Sprintf(
		`<RetrievePropertiesExResponse xmlns="urn:vim25"><returnval><objects><obj type="PerformanceManager">PerfMgr</obj>
<propSet><name>perfCounter</name><val xsi:type="ArrayOfPerfCounterInfo">%s</val></propSet>
<propSet><name>historicalInterval</name><val xsi:type="ArrayOfPerfInterval">
<PerfInterval xsi:type="PerfInterval"><key>1</key>
<samplingPeriod>300</samplingPeriod><name>Past Day</name><length>86400</length><level>%d</level><enabled>%t</enabled></PerfInterval></val></propSet>
</objects></returnval></RetrievePropertiesExResponse>`, counters, level, enabled))}
}

// TestWriteStatistics_choosesTheCounter by the levels that vCenter reports.
func TestWriteStatistics_choosesTheCounter(t *testing.T) {
	t.Parallel()
	v, c, _ := start(t, vcsim.Config{})
	const kbps = "kiloBytesPerSecond"
	for name, test := range map[string]struct {
		counters string
		interval int32
		level    int
		off      bool
		want     string // the counter, or a part of the error
		kind     error
	}{
		"each disk at its own level":               {counters: counter(174, "virtualDisk", kbps, 2, 3) + counter(131, "disk", kbps, 2, 3), interval: 300, level: 3, want: vsphere.CounterVirtualDisk},
		"the sum where disks are not kept":         {counters: counter(174, "virtualDisk", kbps, 2, 3) + counter(131, "disk", kbps, 2, 3), interval: 300, level: 2, want: vsphere.CounterDisk},
		"neither: the lower of the levels":         {counters: counter(174, "virtualDisk", kbps, 2, 4) + counter(131, "disk", kbps, 3, 4), interval: 300, level: 2, want: "needs level 3"},
		"a level for devices is not always given":  {counters: counter(174, "virtualDisk", kbps, 2, 0), interval: 300, level: 2, want: vsphere.CounterVirtualDisk},
		"real time has every level":                {counters: counter(174, "virtualDisk", kbps, 4, 4), interval: 20, level: 1, want: vsphere.CounterVirtualDisk},
		"no counter of disks":                      {counters: counter(131, "disk", kbps, 1, 3), interval: 20, level: 1, want: vsphere.CounterDisk},
		"no counter at all":                        {counters: counter(1, "cpu", kbps, 1, 3), interval: 20, level: 1, want: "not found", kind: vsphere.ErrNotFound},
		"another unit":                             {counters: counter(174, "virtualDisk", "megaBytesPerSecond", 1, 1), interval: 20, level: 1, want: "megaBytesPerSecond", kind: vsphere.ErrInvalid},
		"an interval that is off is as good as no": {counters: counter(174, "virtualDisk", kbps, 1, 1), interval: 300, level: 4, off: true, want: "keeps no statistics of 300 seconds"},
	} {
		v.Traffic().Mend()
		v.Traffic().Reset()
		v.Traffic().Break(settings(test.counters, test.level, !test.off))
		got, err := c.WriteStatistics(
			t.Context(),
			vsphere.WriteQuery{VMIDs: vmIDs(v), IntervalSeconds: test.interval, Lookback: time.Hour},
			func(vsphere.WriteSeries) error { return nil },
		)
		if err != nil {
			got = err.Error()
		}
		require.Contains(t, got, test.want, name)
		assert.False(t, test.kind != nil && !errors.Is(err, test.kind), "%s: %q", name, got)
		assert.Equal(t, 1, v.Traffic().Count("soap:RetrievePropertiesEx"), name)
	}
}

// TestWriteStatistics_oddSeries: a missing sample is a gap, samples of another interval do not count, and an unreadable
// one is an error.
func TestWriteStatistics_oddSeries(t *testing.T) {
	t.Parallel()
	v, c, _ := start(t, vcsim.Config{})
	id := vmIDs(v)[0]
	answer := func(info string, values ...string) string {
		var text strings.Builder
		text.WriteString(
			`<QueryPerfResponse xmlns="urn:vim25"><returnval xsi:type="PerfEntityMetricCSV"><entity type="VirtualMachine">` + id + `</entity><sampleInfoCSV>` + info + `</sampleInfoCSV>`,
		)
		for i, list := range values {
			fmt.Fprintf(
				&text,
				`<value><id><counterId>174</counterId><instance>scsi0:%d</instance></id><value>%s</value></value>`,
				i,
				list,
			)
		}
		return soapAnswer(text.String() + `</returnval></QueryPerfResponse>`)
	}
	// 2026-01-05 12:00 UTC is 1,767,614,400 seconds since 1970.
	const noon, later = "2026-01-05T12:00:00Z", "2026-01-05T13:00:20+01:00"
	for name, test := range map[string]struct {
		body string
		want *vsphere.WriteSeries // nil for an error
	}{
		"times with an offset": {answer("20,"+noon+",20,"+later, "7,8"), &vsphere.WriteSeries{Times: []int64{1767614400, 1767614420}, Instances: map[string][]int64{"scsi0:0": {7, 8}}}},
		"short, empty and odd": {answer("20,"+noon+",20,"+later, "7", "", "x, 9"), &vsphere.WriteSeries{Times: []int64{1767614400, 1767614420}, Instances: map[string][]int64{"scsi0:0": {7, -1}, "scsi0:1": {-1, -1}, "scsi0:2": {-1, 9}}}},
		"another interval":     {answer("300,"+noon+",20,"+later, "7,8"), &vsphere.WriteSeries{Times: []int64{1767614420}, Instances: map[string][]int64{"scsi0:0": {8}}}},
		"no sample":            {answer("", ""), &vsphere.WriteSeries{Instances: map[string][]int64{"scsi0:0": {}}}},
		"half a pair":          {answer("20", "7"), nil},
		"no time":              {answer("20,noon", "7"), nil},
		"another format":       {strings.ReplaceAll(answer("20,"+noon), "PerfEntityMetricCSV", "PerfEntityMetric"), nil},
	} {
		v.Traffic().Mend()
		v.Traffic().Break(fault.Rule{Kind: "soap:QueryPerf", Status: http.StatusOK, Body: test.body})
		_, found, err := statistics(t, c, vsphere.WriteQuery{VMIDs: []string{id}, IntervalSeconds: 20, Lookback: time.Hour})
		if test.want == nil {
			require.ErrorIs(t, err, vsphere.ErrInvalid, name)
			assert.Contains(t, err.Error(), "statistics", name)
			continue
		}
		test.want.VMID = id
		require.NoError(t, err, name)
		assert.Equal(t, *test.want, found[id], name)
	}
}
