package replication

import (
	"fmt"

	"terraform-provider-vsla/internal/vr"
)

func isConfigured(r vr.Replication) (bool, error) {
	switch {
	case r.ConfigurationState == "ERROR":
		return false, fmt.Errorf(
			"the configuration of replication %s failed: %w: %s",
			r.ID,
			vr.ErrTask,
			failureReason(r),
		)
	case r.ConfigurationState == "IN_PROGRESS", r.Status.Is("CONFIGURING", "RECONFIGURING"):
		return false, nil
	}
	return true, nil
}

func failureReason(r vr.Replication) string {
	for _, text := range []string{r.ConfigurationError, r.GroupError, r.RecoveryError} {
		if text != "" {
			return text
		}
	}
	return "vSphere Replication did not report a reason"
}
