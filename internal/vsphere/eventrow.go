// Events as vCenter sends them.

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

// eventRow has the properties that are read of an event: govmomi's own types take several times as long to decode.
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
	Class    string `xml:"type,attr,typeattr"` //nolint:staticcheck // an option of govmomi's own encoding
	// Data and ManagedObject are what an ExtendedEvent has in place of arguments and objectId.
	Data []struct {
		Value string `xml:"value"`
	} `xml:"data"`
	ManagedObject types.ManagedObjectReference `xml:"managedObject"`
}

// event returns the event of a row.
func (row eventRow) event() ReplicationEvent {
	e := ReplicationEvent{
		At: row.CreatedTime, Type: row.EventTypeID,
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
	Refusal *soap.Fault `xml:"http://schemas.xmlsoap.org/soap/envelope/ Fault,omitempty"`
}

// Fault returns what vCenter refused.
func (b *nextEventsBody) Fault() *soap.Fault { return b.Refusal }

func nextEvents(ctx context.Context, vim *vim25.Client, collector types.ManagedObjectReference) ([]eventRow, error) {
	var answer nextEventsBody
	ask := nextEventsBody{Req: &types.ReadNextEvents{This: collector, MaxCount: eventPage}}
	if err := vim.RoundTrip(ctx, &ask, &answer); err != nil || answer.Res == nil {
		return nil, err
	}
	return answer.Res.Returnval, nil
}
