package doctor

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestEventText verifies that an event type ID is shown only if every word in it also occurs in the vendor's IDs.
func TestEventText(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]string{
		"hbr.primary.FSQuiescedDeltaCompletedEvent": "`hbr.primary.FSQuiescedDeltaCompletedEvent`",
		"hbr.primary.SyncAbortedEvent":              "`hbr.primary.SyncAbortedEvent`",
		"com.vmware.vcHms.rpoViolatedEvent":         "`com.vmware.vcHms.rpoViolatedEvent`",
		"hbr.primary.PayrollCompletedEvent":         "`hbr.primary.{type}`",
		"com.vmware.vcHms.rpo.web01":                "`com.vmware.vcHms.{type}`",
		"hbr.primary.":                              "`hbr.primary.{type}`",
		"com.example.Event":                         "{type}",
	} {
		assert.Equal(t, want, eventText(id), id)
	}
}
