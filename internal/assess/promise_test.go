package assess_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"terraform-provider-vsla/internal/assess"
	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/promise"
)

func TestPromise_Within(t *testing.T) {
	t.Parallel()
	size := 100.0
	always := 100.0
	half := 50.0
	meets, misses := plan.Meets, plan.Misses
	known := map[string]promise.VM{"a": {SizeGiB: &size}, "b": {SizeGiB: &size}}
	holed := map[string]promise.VM{"a": {SizeGiB: &size}, "b": {}}
	for name, test := range map[string]struct {
		vms   map[string]promise.VM
		moves *string
		want  string
	}{
		"all sizes are known":          {known, nil, "100%"},
		"a size is unknown":            {holed, nil, "100% for 1 of 2 VMs"},
		"unknown, holds in the moves":  {holed, &meets, "100% for 1 of 2 VMs"},
		"unknown, misses in the moves": {holed, &misses, "50% during the moves"},
	} {
		p := assess.Promise{Tier: promise.Tier{VirtualMachines: test.vms}}
		p.VMCount = 2
		p.LikelyVerdict = meets
		p.WithinRPOPercent = &always
		p.MovesVerdict, p.MovesWithinRPOPercent = test.moves, &half
		assert.Equal(t, test.want, p.Within(), name)
	}
}
