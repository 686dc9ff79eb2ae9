package vsphere_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/lab/fault"
	"terraform-provider-vsla/internal/dev/lab/tagging"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
	"terraform-provider-vsla/internal/vsphere"
)

func soapAnswer(body string) string {
	return `<?xml version="1.0" encoding="UTF-8"?>
<soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/"
xmlns:xsd="http://www.w3.org/2001/XMLSchema"
xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
<soapenv:Body>` + body + `</soapenv:Body></soapenv:Envelope>`
}

func counterXML(key int, group, unit string, level, perDevice int) string {
	element := func(name, key string) string {
		return fmt.Sprintf("<%s><label>l</label><summary>s</summary><key>%s</key></%s>", name, key, name)
	}
	return fmt.Sprintf(
		`<PerfCounterInfo xsi:type="PerfCounterInfo"><key>%d</key>%s%s%s`+
			`<rollupType>average</rollupType><statsType>rate</statsType><level>%d</level><perDeviceLevel>`+
			`%d</perDeviceLevel></PerfCounterInfo>`,
		key,
		element("nameInfo", "write"),
		element("groupInfo", group),
		element("unitInfo", unit),
		level,
		perDevice,
	)
}

// settingsRule returns a rule that answers reads of the performance manager with a single 300-second interval.
func settingsRule(counters string, level int, enabled bool) fault.Rule {
	return fault.Rule{
		Kind:   "soap:RetrievePropertiesEx",
		Status: http.StatusOK,
		Body: soapAnswer(fmt.Sprintf(
			`<RetrievePropertiesExResponse xmlns="urn:vim25"><returnval>
		<objects><obj type="PerformanceManager">PerfMgr</obj>
<propSet><name>perfCounter</name><val xsi:type="ArrayOfPerfCounterInfo">%s</val></propSet>
<propSet><name>historicalInterval</name><val xsi:type="ArrayOfPerfInterval">
<PerfInterval xsi:type="PerfInterval"><key>1</key>
<samplingPeriod>300</samplingPeriod><name>Past Day</name><length>86400</length>
<level>%d</level><enabled>%t</enabled></PerfInterval></val></propSet>
</objects></returnval></RetrievePropertiesExResponse>`, counters, level, enabled)),
	}
}

func TestWriteStatistics_choosesTheCounter(t *testing.T) {
	t.Parallel()
	v, c, _ := startLab(t, vcsim.Config{})
	const kbps = "kiloBytesPerSecond"
	for name, test := range map[string]struct {
		counters string
		interval int32
		level    int
		off      bool
		want     string // the counter, or part of the error
		kind     error
	}{
		"each disk at its own level": {
			counters: counterXML(174, "virtualDisk", kbps, 2, 3) + counterXML(131, "disk", kbps, 2, 3),
			interval: 300,
			level:    3,
			want:     vsphere.CounterVirtualDisk,
		},
		"the sum where disks are not kept": {
			counters: counterXML(174, "virtualDisk", kbps, 2, 3) + counterXML(131, "disk", kbps, 2, 3),
			interval: 300,
			level:    2,
			want:     vsphere.CounterDisk,
		},
		"neither: the lower of the levels": {
			counters: counterXML(174, "virtualDisk", kbps, 2, 4) + counterXML(131, "disk", kbps, 3, 4),
			interval: 300,
			level:    2,
			want:     "requires level 3",
		},
		"a level for devices is not always given": {
			counters: counterXML(174, "virtualDisk", kbps, 2, 0),
			interval: 300,
			level:    2,
			want:     vsphere.CounterVirtualDisk,
		},
		"real time has every level": {
			counters: counterXML(174, "virtualDisk", kbps, 4, 4),
			interval: 20,
			level:    1,
			want:     vsphere.CounterVirtualDisk,
		},
		"no counter of disks": {
			counters: counterXML(131, "disk", kbps, 1, 3),
			interval: 20,
			level:    1,
			want:     vsphere.CounterDisk,
		},
		"no counter at all": {
			counters: counterXML(1, "cpu", kbps, 1, 3),
			interval: 20,
			level:    1,
			want:     "not found",
			kind:     vsphere.ErrNotFound,
		},
		"another unit": {
			counters: counterXML(174, "virtualDisk", "megaBytesPerSecond", 1, 1),
			interval: 20,
			level:    1,
			want:     "megaBytesPerSecond",
			kind:     vsphere.ErrInvalid,
		},
		"an interval that is off is as good as no": {
			counters: counterXML(174, "virtualDisk", kbps, 1, 1),
			interval: 300,
			level:    4,
			off:      true,
			want:     "does not store statistics with an interval of 300 seconds",
		},
	} {
		v.Traffic().Mend()
		v.Traffic().Reset()
		v.Traffic().Break(settingsRule(test.counters, test.level, !test.off))
		query := vsphere.WriteQuery{VMIDs: vmIDs(v), IntervalSeconds: test.interval, Lookback: time.Hour}
		got, _, err := readStatistics(t, c, query)
		if err != nil {
			got = err.Error()
		}
		require.Contains(t, got, test.want, name)
		if test.kind != nil {
			require.ErrorIs(t, err, test.kind, name)
		}
		assert.Equal(t, 1, v.Traffic().Count("soap:RetrievePropertiesEx"), name)
	}
}

func TestWriteStatistics_oddSeries(t *testing.T) {
	t.Parallel()
	v, c, _ := startLab(t, vcsim.Config{})
	id := vmIDs(v)[0]
	result := func(info string, values ...string) string {
		var text strings.Builder
		text.WriteString(
			`<QueryPerfResponse xmlns="urn:vim25"><returnval xsi:type="PerfEntityMetricCSV"><entity ` +
				`type="VirtualMachine">` + id + `</entity><sampleInfoCSV>` + info + `</sampleInfoCSV>`,
		)
		for i, list := range values {
			fmt.Fprintf(&text,
				`<value><id><counterId>174</counterId><instance>scsi0:%d</instance></id><value>%s</value></value>`, i,
				list)
		}
		return soapAnswer(text.String() + `</returnval></QueryPerfResponse>`)
	}
	// 2026-01-05 12:00 UTC is 1,767,614,400 seconds since 1970.
	const noon, later = "2026-01-05T12:00:00Z", "2026-01-05T13:00:20+01:00"
	for name, test := range map[string]struct {
		body string
		want *vsphere.WriteSeries // nil if an error is expected
	}{
		"times with an offset": {
			result("20,"+noon+",20,"+later, "7,8"),
			&vsphere.WriteSeries{
				Times:     []int64{1767614400, 1767614420},
				Instances: map[string][]int64{"scsi0:0": {7, 8}},
			},
		},
		"short, empty and odd": {
			result("20,"+noon+",20,"+later, "7", "", "x, 9"),
			&vsphere.WriteSeries{
				Times: []int64{1767614400, 1767614420},
				Instances: map[string][]int64{
					"scsi0:0": {7, -1},
					"scsi0:1": {-1, -1},
					"scsi0:2": {-1, 9},
				},
			},
		},
		"another interval": {
			result("300,"+noon+",20,"+later, "7,8"),
			&vsphere.WriteSeries{Times: []int64{1767614420}, Instances: map[string][]int64{"scsi0:0": {8}}},
		},
		"no sample":      {result("", ""), &vsphere.WriteSeries{Instances: map[string][]int64{"scsi0:0": {}}}},
		"half a pair":    {result("20", "7"), nil},
		"no time":        {result("20,noon", "7"), nil},
		"another format": {strings.ReplaceAll(result("20,"+noon), "PerfEntityMetricCSV", "PerfEntityMetric"), nil},
	} {
		v.Traffic().Mend()
		v.Traffic().Break(fault.Rule{Kind: "soap:QueryPerf", Status: http.StatusOK, Body: test.body})
		_, found, err := readStatistics(t, c, vsphere.WriteQuery{
			VMIDs:           []string{id},
			IntervalSeconds: 20,
			Lookback:        time.Hour,
		})
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

const (
	listBatch = "POST tag-association:list-attached-objects-on-tags"
)

// newTaggedEstate returns a vCenter with n tags. Tag i is attached to VMs 0 to i.
func newTaggedEstate(t *testing.T, n, vms int) (*vcsim.VCenter, *vsphere.Client, []string) {
	t.Helper()
	e := newEstate(t, vcsim.Config{VMs: vms}, 1, n)
	_, tags := e.anyCategory()
	for i, id := range tags {
		for _, o := range allVMs(e.VCenter)[:min(i+1, vms)] {
			require.NoError(t, e.Tags().Attach(id, tagging.Object(o)))
		}
	}
	return e.VCenter, e.client, tags
}
