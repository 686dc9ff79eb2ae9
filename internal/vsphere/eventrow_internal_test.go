package vsphere

import (
	"encoding/xml"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestEventRow(t *testing.T) {
	t.Parallel()
	const id, number = `<eventTypeId>` + EventRPOViolated + `</eventTypeId>`, `<value>17</value>`
	for name, body := range map[string]string{
		"EventEx": id + `<arguments><key>minutes</key>` + number + `</arguments><objectId>vm-7</objectId>`,
		"ExtendedEvent": id + `<data><key>minutes</key>` + number + `</data>` +
			`<managedObject type="VirtualMachine">vm-7</managedObject>`,
		"with its VM": `<vm><name>a</name><vm type="VirtualMachine">vm-7</vm></vm>` + id + `<data>` + number +
			`</data>`,
	} {
		var row eventRow
		require.NoError(t, xml.Unmarshal([]byte("<returnval>"+body+"</returnval>"), &row))
		e := row.event()
		require.Equal(t, "vm-7", e.VMID, name)
		assert.EqualValues(t, 17, e.Minutes, name)
	}
}
