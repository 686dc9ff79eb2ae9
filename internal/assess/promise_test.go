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
		worse *string
		moves *string
		want  string
	}{
		"holds":                           {known, nil, nil, "100%"},
		"a size is unknown":               {holed, &meets, nil, "1 of 2 VMs hold"},
		"unknown, fails at the worse end": {holed, &misses, nil, "100%"},
		"unknown, and moves":              {holed, nil, &meets, "1 of 2 VMs hold"},
		"unknown, fails in the moves":     {holed, nil, &misses, "50% during the moves"},
	} {
		p := assess.Promise{Tier: promise.Tier{VirtualMachines: test.vms}}
		p.VMCount = 2
		p.LikelyVerdict = meets
		p.WorseEndVerdict = test.worse
		p.WithinRPOPercent = &always
		p.MovesVerdict, p.MovesWithinRPOPercent = test.moves, &half
		assert.Equal(t, test.want, p.Within(), name)
	}
}
