package vsphere

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/vmware/govmomi/vim25"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"
)

type eventRow struct {
	Key         int32     `xml:"key"`
	CreatedTime time.Time `xml:"createdTime"`
	VM          struct {
		VM types.ManagedObjectReference `xml:"vm"`
	} `xml:"vm"`
	EventTypeID string `xml:"eventTypeId"`
	Arguments   []struct {
		Value string `xml:"value"`
	} `xml:"arguments"`
	ObjectID string `xml:"objectId"`
	// An ExtendedEvent has Data and ManagedObject instead of Arguments and ObjectID.
	Data []struct {
		Value string `xml:"value"`
	} `xml:"data"`
	ManagedObject types.ManagedObjectReference `xml:"managedObject"`
}

func (row eventRow) event() ReplicationEvent {
	e := ReplicationEvent{
		At:   row.CreatedTime,
		Type: row.EventTypeID,
		VMID: cmp.Or(row.VM.VM.Value, row.ObjectID, row.ManagedObject.Value),
	}
	for _, argument := range slices.Concat(row.Arguments, row.Data) {
		if n, err := strconv.ParseInt(strings.TrimSpace(argument.Value), 10, 64); err == nil {
			if n = max(0, n); e.Type == EventRPOViolated {
				e.Minutes = n
			} else {
				e.Bytes = n
			}
			break
		}
	}
	return e
}

type nextEventsBody struct {
	Req *types.ReadNextEvents `xml:"urn:vim25 ReadNextEvents,omitempty"`
	Res *struct {
		Returnval []eventRow `xml:"returnval,omitempty"`
	} `xml:"ReadNextEventsResponse,omitempty"`
	SOAPFault *soap.Fault `xml:"http://schemas.xmlsoap.org/soap/envelope/ Fault,omitempty"`
}

// Fault implements soap.HasFault.
func (b *nextEventsBody) Fault() *soap.Fault { return b.SOAPFault }

func readEvents(ctx context.Context, vim *vim25.Client, collector types.ManagedObjectReference) ([]eventRow, error) {
	var result nextEventsBody
	req := nextEventsBody{Req: &types.ReadNextEvents{This: collector, MaxCount: eventPageSize}}
	if err := vim.RoundTrip(ctx, &req, &result); err != nil || result.Res == nil {
		return nil, err
	}
	return result.Res.Returnval, nil
}
