package migration_test

import (
	"fmt"
	"math"
	"strconv"
	"testing"

	"terraform-provider-vsla/internal/plan/migration"
)

// windowed returns a realistic plan for n VMs, with 24 VMs per host and datastore and nightly windows of 8 hours. Every
// third VM is migrated cold; the others have memory and disks to send.
func windowed(n int) migration.PlanInput {
	in := onLink(10000)
	nightly(8)(&in)
	for i := range n {
		v := migration.VM{
			Method:    migration.MethodVMotion,
			MemoryGiB: math.Exp2(float64(i*7%5 + 1)),
			DiskGiB:   20 + float64(i*37%181),
			Host:      fmt.Sprint("host", i/24),
			Datastore: fmt.Sprint("datastore", i/24),
		}
		if i%3 == 0 {
			v.Method, v.MemoryGiB = migration.MethodCold, 0
		}
		in.VMs[strconv.Itoa(i)] = v
	}
	return in
}

func BenchmarkPlanning_migrationWindows(b *testing.B) {
	for _, n := range []int{1450, 5000} {
		in := windowed(n)
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			for b.Loop() {
				planned(b, in)
			}
		})
	}
}
