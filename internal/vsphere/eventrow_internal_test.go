package vsphere

import (
	"encoding/xml"
	"testing"
)

// TestEventRow: the VM and the number of an event, in the form of an EventEx and in that of an ExtendedEvent.
func TestEventRow(t *testing.T) {
	t.Parallel()
	const id, number = `<eventTypeId>` + EventRPOViolated + `</eventTypeId>`, `<value>17</value>`
	for name, body := range map[string]string{
		"EventEx": id + `<arguments><key>minutes</key>` + number + `</arguments><objectId>vm-7</objectId>`,
		"ExtendedEvent": id + `<data><key>minutes</key>` + number + `</data>` +
			`<managedObject type="VirtualMachine">vm-7</managedObject>`,
		"with its VM": `<vm><name>a</name><vm type="VirtualMachine">vm-7</vm></vm>` + id + `<data>` + number + `</data>`,
	} {
		var row eventRow
		if err := xml.Unmarshal([]byte("<returnval>"+body+"</returnval>"), &row); err != nil {
			t.Fatal(err)
		}
		if e := row.event(); e.VMID != "vm-7" || e.Minutes != 17 {
			t.Errorf("%s: got %+v, want 17 minutes of vm-7", name, e)
		}
	}
}
