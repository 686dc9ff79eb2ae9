package vsphere

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/vmware/govmomi/event"
	"github.com/vmware/govmomi/property"
	"github.com/vmware/govmomi/vim25"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"
)

// EventPrefixes are the ID prefixes of vSphere Replication event types.
var EventPrefixes = []string{"hbr.primary.", "com.vmware.vcHms."}

// ReplicationEventTypes returns the IDs of the event types that ReplicationEvents reads.
func ReplicationEventTypes() []string { return slices.Clone(eventTypes) }

// RegisteredEventTypes returns the sorted IDs of the vSphere Replication event types that are registered in vCenter. It
// sends one request.
func (c *Client) RegisteredEventTypes(ctx context.Context) ([]string, error) {
	var ids []string
	err := c.withSOAP(ctx, "read the event types", func(ctx context.Context, vim *vim25.Client) error {
		if vim.ServiceContent.EventManager == nil {
			return fmt.Errorf("no event manager: %w", ErrInvalid)
		}
		var manager mo.EventManager
		err := property.DefaultCollector(vim).RetrieveOne(ctx, *vim.ServiceContent.EventManager,
			[]string{"description.eventInfo"}, &manager)
		ids = nil
		for _, info := range manager.Description.EventInfo {
			id := info.Key
			if id == "EventEx" || id == "ExtendedEvent" { // FullFormat begins with the ID
				id, _, _ = strings.Cut(info.FullFormat, "|")
			}
			if slices.ContainsFunc(EventPrefixes, func(p string) bool { return strings.HasPrefix(id, p) }) {
				ids = append(ids, id)
			}
		}
		return err
	})
	slices.Sort(ids)
	return slices.Compact(ids), err
}

// SampledEvent is an event with its key and the VM ID from its vm field.
type SampledEvent struct {
	ReplicationEvent

	Key  int32
	ByVM string
}

// SampleEvents returns events of the given types in vCenter's order, for one VM or, if vmID is empty, for all VMs. It
// reads at most the given number of pages, each with 1,000 events. more reports whether there are further events. It
// sends two requests plus one per page.
func (c *Client) SampleEvents(
	ctx context.Context, ids []string, vmID string, from, to time.Time, pages int,
) (events []SampledEvent, more bool, err error) {
	err = c.withSOAP(ctx, "read a sample of events", func(ctx context.Context, vim *vim25.Client) error {
		events, more = nil, true
		filter := eventFilter(vmID, from, to)
		filter.EventTypeId = ids
		collector, err := event.NewManager(vim).CreateCollectorForEvents(ctx, filter)
		if err != nil {
			return err
		}
		defer release(ctx, collector.Destroy)
		for range pages {
			rows, err := readEvents(ctx, vim, collector.Reference())
			if err != nil {
				return err
			}
			for _, row := range rows {
				events = append(events, SampledEvent{row.event(), row.Key, row.VM.VM.Value})
			}
			if len(rows) < eventPageSize {
				more = false
				break
			}
		}
		return nil
	})
	return events, more, err
}

// StatisticsInterval is a sampling interval of vCenter's historical statistics.
type StatisticsInterval struct {
	Seconds, RetentionSeconds, Level int32
	Enabled                          bool
}

// StatisticsCounter contains the minimum statistics levels at which vCenter stores a counter, in total and per device.
type StatisticsCounter struct {
	Name                  string
	Level, PerDeviceLevel int32
}

// StatisticsSettings returns vCenter's statistics intervals and the counters that WriteStatistics reads. It sends one
// request.
func (c *Client) StatisticsSettings(ctx context.Context) ([]StatisticsInterval, []StatisticsCounter, error) {
	var intervals []StatisticsInterval
	var counters []StatisticsCounter
	err := c.withSOAP(ctx, "read the statistics settings", func(ctx context.Context, vim *vim25.Client) error {
		if vim.ServiceContent.PerfManager == nil {
			return fmt.Errorf("no performance manager: %w", ErrInvalid)
		}
		var manager mo.PerformanceManager
		err := property.DefaultCollector(vim).RetrieveOne(ctx, *vim.ServiceContent.PerfManager,
			[]string{"perfCounter", "historicalInterval"}, &manager)
		intervals, counters = nil, nil
		for _, i := range manager.HistoricalInterval {
			intervals = append(intervals, StatisticsInterval{i.SamplingPeriod, i.Length, i.Level, i.Enabled})
		}
		for _, info := range manager.PerfCounter {
			if name := info.Name(); name == CounterVirtualDisk || name == CounterDisk {
				counters = append(counters, StatisticsCounter{name, info.Level, info.PerDeviceLevel})
			}
		}
		return err
	})
	return intervals, counters, err
}

// SampledVM contains the replication settings and files of a VM.
type SampledVM struct {
	ID string
	// Filter maps the extra configuration keys that begin with "hbr_filter." to whether they have a value. FilterID is
	// the value of hbr_filter.gid.
	Filter   map[string]bool
	FilterID string
	// Configured reports whether the VM has replication settings (config.repConfig).
	Configured bool
	Running    bool
	// DatastoreTypes contains the sorted, distinct types of the VM's datastores.
	DatastoreTypes []string
	// CommittedBytes is the VM's committed storage. FileBytes is the total file size by file type. UniqueBytes is the
	// total uniqueSize by file type, which is the allocated size if files are sparse.
	CommittedBytes         int64
	FileBytes, UniqueBytes map[string]int64
}

const filterPrefix = "hbr_filter."

// SampleVMs returns at most limit VMs and the total number of VMs. It sends five requests for up to 1,000 VMs.
func (c *Client) SampleVMs(ctx context.Context, limit int) (vms []SampledVM, total int, err error) {
	err = c.withSOAP(ctx, "read a sample of VMs", func(ctx context.Context, vim *vim25.Client) error {
		i := inventory{vim: vim}
		all, err := i.vmsBelow(ctx, vim.ServiceContent.RootFolder)
		if err != nil {
			return err
		}
		total = len(all)
		vmsByStore := make(map[types.ManagedObjectReference][]int) // indexes into vms
		vms = nil
		properties := []string{
			"config.extraConfig", "config.repConfig", "layoutEx.file", "summary.storage", "runtime.powerState",
			"datastore",
		}
		err = i.readVMs(ctx, all[:min(limit, total)], properties, func(page []types.ObjectContent) error {
			return visitVMs(page, func(vm mo.VirtualMachine, _ bool) {
				for _, store := range vm.Datastore {
					vmsByStore[store] = append(vmsByStore[store], len(vms))
				}
				vms = append(vms, newSampledVM(vm))
			})
		})
		if err != nil || len(vmsByStore) == 0 {
			return err
		}
		return i.addDatastoreTypes(ctx, vms, vmsByStore)
	})
	return vms, total, err
}

func newSampledVM(vm mo.VirtualMachine) SampledVM {
	s := SampledVM{
		ID:          vm.Self.Value,
		Filter:      make(map[string]bool),
		FileBytes:   make(map[string]int64),
		UniqueBytes: make(map[string]int64),
		Running:     vm.Runtime.PowerState == types.VirtualMachinePowerStatePoweredOn,
	}
	if vm.Config != nil {
		s.Configured = vm.Config.RepConfig != nil
		for _, option := range vm.Config.ExtraConfig {
			o := option.GetOptionValue()
			if strings.HasPrefix(o.Key, filterPrefix) {
				s.Filter[o.Key] = fmt.Sprint(o.Value) != ""
			}
			if o.Key == replicationIDKey {
				s.FilterID = fmt.Sprint(o.Value)
			}
		}
	}
	if vm.Summary.Storage != nil {
		s.CommittedBytes = vm.Summary.Storage.Committed
	}
	if vm.LayoutEx != nil {
		for _, file := range vm.LayoutEx.File {
			s.FileBytes[file.Type] += file.Size
			s.UniqueBytes[file.Type] += file.UniqueSize
		}
	}
	return s
}

func (i inventory) addDatastoreTypes(
	ctx context.Context, vms []SampledVM, stores map[types.ManagedObjectReference][]int,
) error {
	spec := types.PropertyFilterSpec{
		PropSet: []types.PropertySpec{{Type: "Datastore", PathSet: []string{"summary.type"}}},
	}
	for store := range stores {
		spec.ObjectSet = append(spec.ObjectSet, types.ObjectSpec{Obj: store})
	}
	return i.retrievePages(ctx, spec, func(page []types.ObjectContent) error {
		for _, object := range page {
			for _, p := range object.PropSet {
				kind, _ := p.Val.(string)
				for _, n := range stores[object.Obj] {
					known := slices.Sorted(slices.Values(append(vms[n].DatastoreTypes, kind)))
					vms[n].DatastoreTypes = slices.Compact(known)
				}
			}
		}
		return nil
	})
}
