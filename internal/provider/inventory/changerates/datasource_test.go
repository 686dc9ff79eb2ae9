package changerates_test

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
)

const address = "data.vsla_change_rates.x"

func config(lab *acctest.Lab, ids []string, arguments ...string) string {
	var quoted []string
	for _, id := range ids {
		quoted = append(quoted, strconv.Quote(id))
	}
	return fmt.Sprintf("%sdata \"vsla_change_rates\" \"x\" {\n  vm_ids = [%s]\n  %s\n}\n",
		lab.Provider(), strings.Join(quoted, ", "), strings.Join(arguments, "\n  "))
}

func idsOf(lab *acctest.Lab) []string {
	var ids []string
	for _, vm := range lab.VMs() {
		ids = append(ids, vm.ID)
	}
	return ids
}

func number(attribute string, want float64) resource.TestCheckFunc {
	return acctest.CheckNear(address, attribute, want, 1e-9)
}

// written returns the write rates of a VM in KiB/s for the latest samples, newest first, with -1 for a missing sample.
// It reads the rates from the lab instead of the data source.
func written(vm vcsim.VM, samples int) []int64 {
	var sums []int64
	for back := range samples {
		sum := int64(0)
		for j := range vm.Disks {
			kbps := vm.WrittenKBps(j, back)
			if kbps == vcsim.Gap || kbps == vcsim.Reset {
				sum = -1
				break
			}
			sum += kbps
		}
		sums = append(sums, sum)
	}
	return sums
}

const (
	mbitPerKB   = 1024 * 8 / 1e6
	dailyGiB    = 1024.0 * 86400 / (1 << 30)
	bytesPerGiB = 1 << 30
)

// percentile95 returns the value at position ceil(0.95 n) of n sorted values.
func percentile95(values []float64) float64 {
	slices.Sort(values)
	return values[int(math.Ceil(float64(len(values))*95/100))-1]
}

func measured(
	lab *acctest.Lab, vms []vcsim.VM, samples int, factor float64, size func(vcsim.VM) int64,
) resource.TestCheckFunc {
	checks := []resource.TestCheckFunc{
		resource.TestCheckResourceAttr(address, "virtual_machines.%", strconv.Itoa(len(lab.VMs()))),
	}
	var without []string
	together := make([]float64, samples)
	var meanSum, sizeSum float64
	count := 0
	for _, vm := range vms {
		at := "virtual_machines." + vm.ID + "."
		if vm.PowerState != "poweredOn" {
			without = append(without, vm.ID)
			checks = append(checks, resource.TestCheckResourceAttr(address, at+"samples", "0"))
			for _, attribute := range []string{
				"mean_write_mbps",
				"p95_write_mbps",
				"peak_write_mbps",
				"daily_write_gib",
				"daily_change_gib",
				"daily_change_percent",
			} {
				checks = append(checks, resource.TestCheckNoResourceAttr(address, at+attribute))
			}
			continue
		}
		series := written(vm, samples)
		var known []float64
		sum := 0.0
		for _, v := range series {
			if v >= 0 {
				known = append(known, float64(v))
				sum += float64(v)
			}
		}
		mean := sum / float64(len(known))
		for i, v := range series {
			if v >= 0 {
				together[i] += float64(v)
			} else {
				together[i] += mean
			}
		}
		gib := float64(size(vm)) / bytesPerGiB
		meanSum += mean
		sizeSum += gib
		count += len(known)
		checks = append(checks,
			number(at+"mean_write_mbps", mean*mbitPerKB), number(at+"p95_write_mbps", percentile95(known)*mbitPerKB),
			number(at+"peak_write_mbps", slices.Max(known)*mbitPerKB), number(at+"daily_write_gib", mean*dailyGiB),
			number(at+"daily_change_gib", mean*dailyGiB*factor),
			number(at+"daily_change_percent", mean*dailyGiB*factor/gib*100),
			number(at+"size_gib", gib), resource.TestCheckResourceAttr(address, at+"samples", strconv.Itoa(len(known))),
		)
	}
	slices.Sort(without)
	checks = append(checks, resource.TestCheckResourceAttr(address, "without_statistics.#", strconv.Itoa(len(without))))
	for i, id := range without {
		checks = append(checks, resource.TestCheckResourceAttr(address, fmt.Sprintf("without_statistics.%d", i), id))
	}
	checks = append(checks, resource.TestCheckResourceAttr(address, "counter", "virtualDisk.write.average"),
		number("total_mean_write_mbps", meanSum*mbitPerKB),
		number("total_p95_write_mbps", percentile95(together)*mbitPerKB),
		number("total_peak_write_mbps", slices.Max(together)*mbitPerKB),
		number("total_daily_write_gib", meanSum*dailyGiB),
		number("total_daily_change_gib", meanSum*dailyGiB*factor),
		number("total_daily_change_percent", meanSum*dailyGiB*factor/sizeSum*100), number("total_size_gib", sizeSum),
		resource.TestCheckResourceAttr(address, "total_samples", strconv.Itoa(count)))
	return resource.ComposeAggregateTestCheckFunc(checks...)
}

func used(vm vcsim.VM) int64 { return vm.UsedBytes }

func TestAccChangeRates(t *testing.T) {
	t.Parallel()
	lab := acctest.Start(t, vcsim.Config{VMs: 24, StatisticsLevel: 2})
	ids := idsOf(lab)
	// Check the lab: VMs 2 and 3 have gaps and resets, and VM 11 is powered off.
	one := written(lab.VMs()[1], 288)
	two := written(lab.VMs()[2], 288)
	require.EqualValues(t, -1, one[3], "the lab's series have changed")
	require.EqualValues(t, -1, two[7], "the lab's series have changed")
	require.NotEqual(t, "poweredOn", lab.VMs()[10].PowerState, "the lab's series have changed")
	slices.Reverse(ids) // the order of the IDs does not matter
	lab.Run(
		t,
		resource.TestStep{ // by default, one day of 300-second samples is read
			Config: config(lab, append(ids, ids[0])),
			Check: resource.ComposeTestCheckFunc(measured(lab, lab.VMs(), 288, 1, used),
				resource.TestCheckResourceAttr(address, "interval_seconds", "300"),
				resource.TestCheckResourceAttr(address, "lookback_hours", "24"),
				resource.TestCheckResourceAttr(address, "coalescing_factor", "1"),
				resource.TestCheckResourceAttr(address, "size_basis", "used")),
		}, resource.TestStep{
			Config: config(lab, ids, "interval_seconds = 1800", "lookback_hours = 36.5", "coalescing_factor = 0.25",
				`size_basis = "disk"`),
			Check: measured(lab, lab.VMs(), 73, 0.25, func(vm vcsim.VM) int64 { return vm.DiskBytes }),
		},
	)
}

func TestAccChangeRates_ofNothing(t *testing.T) {
	t.Parallel()
	lab := acctest.Start(t, vcsim.Config{})
	lab.Run(t, resource.TestStep{
		Config: config(lab, nil),
		Check: resource.ComposeTestCheckFunc(resource.TestCheckResourceAttr(address, "virtual_machines.%", "0"),
			number("total_mean_write_mbps", 0), number("total_daily_write_gib", 0),
			resource.TestCheckNoResourceAttr(address, "total_daily_change_percent"),
			resource.TestCheckNoResourceAttr(address, "counter")),
	})
	assert.Equal(t, 0, lab.Traffic().Total())
}
