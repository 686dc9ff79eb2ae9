package vcsim

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/vmware/govmomi/vim25/soap"
)

// eventsPage is a page of events that are already encoded. The simulator's encoder would take 0.1 ms per event, or
// minutes for millions of events.
type eventsPage struct {
	Inner []byte `xml:",innerxml"`
}

type nextEventsBody struct {
	Res *eventsPage `xml:"ReadNextEventsResponse"`
}

func (*nextEventsBody) Fault() *soap.Fault { return nil }

// append adds an encoded event to a page, with its elements in the order of the schema. The argument names of the real
// events are unknown, so clients must not depend on them.
func (c *eventCollector) append(page []byte, place int, event Event) []byte {
	key := strconv.Itoa(cmp.Or(event.key, place))
	page = append(page, `<returnval xsi:type="EventEx"><key>`...)
	page = append(page, key...)
	page = append(page, `</key><chainId>`...)
	page = append(page, key...)
	page = append(page, `</chainId><createdTime>`...)
	page = event.At.UTC().AppendFormat(page, "2006-01-02T15:04:05.000Z")
	page = append(page, `</createdTime><userName></userName><datacenter><name>DC0</name>`...)
	page = append(page, `<datacenter type="Datacenter">datacenter-2</datacenter></datacenter><vm><name>`...)
	page = append(page, c.events.names[event.VMID]...) // needs no escaping
	page = append(page, `</name><vm type="VirtualMachine">`...)
	page = append(page, event.VMID...)
	page = append(page, `</vm></vm>`...)
	if c.messages {
		page = append(page, `<fullFormattedMessage>`...)
		page = append(page, event.Type...)
		page = append(page, `</fullFormattedMessage>`...)
	}
	page = append(page, `<eventTypeId>`...)
	page = append(page, event.Type...)
	page = append(page, `</eventTypeId><severity>info</severity>`...)
	if event.Type == EventRPOViolated && event.Minutes > 0 {
		page = append(page, `<arguments><key>minutes</key><value xsi:type="xsd:long">`...)
		page = strconv.AppendInt(page, event.Minutes, 10)
		page = append(page, `</value></arguments>`...)
	}
	if strings.HasPrefix(event.Type, eventPrefixPrimary) {
		page = append(page, `<arguments><key>bytes</key><value xsi:type="xsd:long">`...)
		page = strconv.AppendInt(page, event.Bytes, 10)
		page = append(page, `</value></arguments>`...)
	}
	page = append(page, `<objectId>`...)
	page = append(page, event.VMID...)
	return append(page, `</objectId><objectType>VirtualMachine</objectType></returnval>`...)
}
