package exposition

import (
	"cmp"
	"io"
	"maps"
	"slices"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"

	"terraform-provider-vsla/internal/vsphere"
)

const secondsPerMinute = 60

// family is a metric with its samples. All metrics are gauges without timestamps, which node_exporter's textfile
// collector also supports.
type family struct {
	name, help, unit string
	samples          []*dto.Metric
}

// add adds a sample. labels alternates between names and values.
func (f *family) add(value float64, labels ...string) {
	m := &dto.Metric{Gauge: &dto.Gauge{Value: &value}}
	for pair := range slices.Chunk(labels, 2) {
		m.Label = append(m.Label, &dto.LabelPair{Name: &pair[0], Value: &pair[1]})
	}
	f.samples = append(f.samples, m)
}

func newGauge(name, help, unit string, value float64, labels ...string) *family {
	f := &family{name: name, help: help, unit: unit}
	f.add(value, labels...)
	return f
}

// WriteOpenMetrics writes the snapshot in the OpenMetrics text format.
func (s Snapshot) WriteOpenMetrics(w io.Writer) error {
	families := append(s.general(), s.perTier()...)
	families = append(families, s.outsideTiers()...)
	if s.PerVM {
		families = append(families, s.perVM()...)
	}
	gauge := dto.MetricType_GAUGE
	for _, f := range families {
		if len(f.samples) == 0 {
			continue
		}
		out := &dto.MetricFamily{Name: &f.name, Help: &f.help, Type: &gauge, Metric: f.samples}
		if f.unit != "" {
			out.Unit = &f.unit
		}
		if _, err := expfmt.MetricFamilyToOpenMetrics(w, out, expfmt.WithUnit()); err != nil {
			return err
		}
	}
	_, err := expfmt.FinalizeOpenMetrics(w)
	return err
}

func (s Snapshot) general() []*family {
	return []*family{
		newGauge("vsla_compliance_info", "Version of vsla and source of the data.", "", 1,
			"version", s.Version, "vcenter", s.VCenter, "pairing_id", s.Scope.PairingID),
		newGauge("vsla_compliance_read_timestamp_seconds",
			"Time at which vCenter and vSphere Replication were read.", "seconds", unixSeconds(s.ReadAt)),
		newGauge("vsla_compliance_read_duration_seconds", "Duration of the read.", "seconds", s.ReadDuration.Seconds()),
		newGauge("vsla_compliance_kept", "1 if all promises are known to be met, otherwise 0.", "",
			boolValue(s.isCompliant())),
	}
}

func (s Snapshot) perTier() []*family {
	promised := &family{
		name: "vsla_tier_promised_rpo_seconds",
		unit: "seconds",
		help: "Maximum age of the newest recovery point of the VMs in the tier.",
	}
	vms := &family{
		name: "vsla_tier_vms",
		help: "VMs with the tag of the tier, by verdict: the first fault, or compliant.",
	}
	faults := &family{
		name: "vsla_tier_fault_vms",
		help: "VMs that break the promise of the tier, by fault. A VM with several faults is counted once per fault.",
	}
	oldest := &family{
		name: "vsla_tier_oldest_sync_timestamp_seconds",
		unit: "seconds",
		help: "Oldest last sync of the VMs in the tier. VMs that have never been synced are excluded.",
	}
	for _, t := range s.tiers() {
		promised.add(float64(t.rpoMinutes)*secondsPerMinute, "tier", t.name)
		for _, verdict := range slices.Sorted(maps.Keys(t.verdicts)) {
			vms.add(float64(t.verdicts[verdict]), "tier", t.name, "verdict", verdict)
		}
		for _, fault := range slices.Sorted(maps.Keys(t.faults)) {
			faults.add(float64(t.faults[fault]), "tier", t.name, "fault", fault)
		}
		if !t.oldestSync.IsZero() {
			oldest.add(unixSeconds(t.oldestSync), "tier", t.name)
		}
	}
	return []*family{promised, vms, faults, oldest}
}

func (s Snapshot) outsideTiers() []*family {
	count := func(name, help string, n int) *family { return newGauge(name, help, "", float64(n)) }
	return []*family{
		count("vsla_uncovered_vms", "Powered-on VMs with neither a tier nor a replication.",
			len(s.Uncovered.VMs)),
		count(
			"vsla_uncovered_unknown_vms",
			"VMs without a tier whose replication is unknown, such as inaccessible VMs.",
			len(s.Uncovered.Unknown),
		),
		count(
			"vsla_replicated_elsewhere_vms",
			"VMs without a tier that are replicated by another pairing or appliance.",
			len(s.Uncovered.ReplicatedElsewhere),
		),
		count("vsla_untagged_replicated_vms", "VMs without a tier that are replicated by the pairing.",
			len(s.Result.UntaggedButReplicated)),
		count("vsla_tagged_templates", "Templates with the tag of a tier. Templates cannot be replicated.",
			len(s.Result.Templates)),
		count("vsla_orphaned_replications", "Replications whose VM is unknown.", len(s.Result.Orphans)),
	}
}

func (s Snapshot) perVM() []*family {
	verdict := &family{
		name: "vsla_vm_verdict_info",
		help: "Verdict for a VM with a tier: the first fault, or compliant.",
	}
	last := &family{
		name: "vsla_vm_last_sync_timestamp_seconds",
		unit: "seconds",
		help: "Last sync of a VM with a tier. VMs that have never been synced are omitted.",
	}
	for _, v := range s.vms() {
		labels := []string{"vm_id", v.ID, "vm", v.Name, "tier", v.Tier}
		verdict.add(1, append(slices.Clone(labels), "verdict", v.Verdict)...)
		if at, ok := s.LastSyncs[v.ID]; ok {
			last.add(unixSeconds(at), labels...)
		}
	}
	uncovered := &family{name: "vsla_uncovered_vm_info", help: "A VM that is counted in vsla_uncovered_vms."}
	for _, vm := range sortedByID(s.Uncovered.VMs) {
		uncovered.add(1, "vm_id", vm.ID, "vm", vm.Name)
	}
	return []*family{verdict, last, uncovered}
}

func sortedByID(vms []vsphere.VMReference) []vsphere.VMReference {
	return slices.SortedFunc(slices.Values(vms), func(a, b vsphere.VMReference) int { return cmp.Compare(a.ID, b.ID) })
}

func unixSeconds(t time.Time) float64 {
	return float64(t.UnixMilli()) / float64(time.Second/time.Millisecond)
}

func boolValue(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}
