package changerates_test

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
)

// endHour is the hour at which the latest sample ends. The lab's clock starts at midnight UTC.
const endHour = 6

// hourly returns the mean rate for each hour of the day. There are 288 five-minute samples, 12 per hour. Sample i,
// where 0 is the newest, falls in hour endHour - 1 - i/12, modulo 24.
func hourly(vm vcsim.VM) [24]float64 {
	var sums, counts [24]float64
	for back, v := range written(vm, 288) {
		if v >= 0 {
			h := (endHour - 1 - back/12 + 24) % 24
			sums[h] += float64(v)
			counts[h]++
		}
	}
	for h := range sums {
		sums[h] /= counts[h]
	}
	return sums
}

func weigh(means [24]float64) [24]float64 {
	sum := 0.0
	for _, mean := range means {
		sum += mean
	}
	for h := range means {
		means[h] /= sum / 24
	}
	return means
}

func profile(attribute string, want [24]float64) resource.TestCheckFunc {
	checks := []resource.TestCheckFunc{resource.TestCheckResourceAttr(address, attribute+".#", "24")}
	for h, w := range want {
		checks = append(checks, number(fmt.Sprintf("%s.%d", attribute, h), w))
	}
	return resource.ComposeAggregateTestCheckFunc(checks...)
}

func atSix(t *testing.T) *acctest.Lab {
	t.Helper()
	lab := acctest.Start(t, vcsim.Config{VMs: 12, StatisticsLevel: 2})
	lab.Advance(endHour * time.Hour)
	return lab
}

func planConfig(name, weights string) string {
	return fmt.Sprintf(`
data "vsla_sla_plan" %q {
  links = { metro = { throughput_mbps = 100 } }
  tiers = {
    db = {
      vm_count             = 3
      vm_size_gib          = 100
      daily_change_percent = 20
      rpo_minutes          = 15
      hourly_weights       = %s
    }
  }
}
`, name, weights)
}

func TestAccChangeRates_hourlyWeights(t *testing.T) {
	t.Parallel()
	lab := atSix(t)
	var sums [24]float64
	checks := []resource.TestCheckFunc{}
	measuredVMs := 0
	for _, vm := range lab.VMs() {
		at := "virtual_machines." + vm.ID + ".hourly_weights"
		if vm.PowerState != "poweredOn" {
			checks = append(checks, resource.TestCheckNoResourceAttr(address, at+".#"),
				resource.TestCheckResourceAttr(address, at+"_reason", "The VM has no samples."))
			continue
		}
		means := hourly(vm)
		for h := range means {
			sums[h] += means[h]
		}
		measuredVMs++
		checks = append(checks, profile(at, weigh(means)), resource.TestCheckNoResourceAttr(address, at+"_reason"))
	}
	require.NotEqual(t, len(lab.VMs()), measuredVMs,
		"no VM of the lab is off, so that a VM without samples is not tested")
	var written []string
	for _, w := range weigh(sums) {
		written = append(written, strconv.FormatFloat(w, 'g', -1, 64))
	}
	busiest := func(name string, s *terraform.State) (float64, error) {
		at := s.RootModule().Resources["data.vsla_sla_plan."+name]
		return strconv.ParseFloat(at.Primary.Attributes["promises.db.busiest_change_mbps"], 64)
	}
	lab.Run(t, resource.TestStep{
		Config: config(lab, idsOf(lab)) +
			planConfig("measured", "data.vsla_change_rates.x.total_hourly_weights") +
			planConfig("of_one_vm", `data.vsla_change_rates.x.virtual_machines["`+lab.VMs()[0].ID+`"].hourly_weights`) +
			planConfig("written", "["+strings.Join(written, ", ")+"]") +
			planConfig("even", "null"),
		Check: resource.ComposeTestCheckFunc(append(checks,
			profile("total_hourly_weights", weigh(sums)),
			resource.TestCheckNoResourceAttr(address, "total_hourly_weights_reason"),
			resource.TestCheckResourceAttr(address, "total_hourly_weights_vm_count", strconv.Itoa(measuredVMs)),
			func(s *terraform.State) error {
				var got [3]float64
				for i, name := range []string{"measured", "written", "even"} {
					var err error
					got[i], err = busiest(name, s)
					if err != nil {
						return err
					}
				}
				if diff := got[0] - got[1]; diff > 1e-6 || diff < -1e-6 || got[0] == got[2] {
					return fmt.Errorf("measured %v, written out %v, even %v", got[0], got[1], got[2])
				}
				return nil
			},
			func(*terraform.State) error {
				reads := lab.Traffic().Count("soap:CurrentTime")
				if reads == 0 {
					return errors.New("the data source was not read")
				}
				// Each read sends two requests for sizes and settings, and one query for all twelve VMs. Weights
				// require no additional requests.
				for kind, n := range map[string]int{"soap:QueryPerf": 1, "soap:RetrievePropertiesEx": 2} {
					if got := lab.Traffic().Count(kind); got != n*reads {
						return fmt.Errorf("%d reads took %d requests %s, want %d for each", reads, got, kind, n)
					}
				}
				return nil
			},
		)...),
	})
}

func TestAccChangeRates_noHourlyWeights(t *testing.T) {
	t.Parallel()
	lab := atSix(t)
	at := "virtual_machines." + lab.VMs()[0].ID + "."
	without := func(reason, total, count string) resource.TestCheckFunc {
		return resource.ComposeAggregateTestCheckFunc(resource.TestCheckNoResourceAttr(address, at+"hourly_weights.#"),
			resource.TestCheckResourceAttr(address, at+"hourly_weights_reason", reason),
			resource.TestCheckNoResourceAttr(address, "total_hourly_weights.#"),
			resource.TestCheckResourceAttr(address, "total_hourly_weights_reason", total),
			resource.TestCheckResourceAttr(address, "total_hourly_weights_vm_count", count))
	}
	lab.Run(
		t,
		resource.TestStep{ // the twelve hours before 06:00 (hours 18 to 5)
			Config: config(lab, idsOf(lab), "lookback_hours = 12"),
			Check: without("Samples cover less than half of these hours (UTC): 6 to 17.",
				"No VM has samples for every hour of the day.", "0"),
		}, resource.TestStep{
			Config: config(lab, idsOf(lab), "vm_hourly_weights = false"),
			Check: resource.ComposeAggregateTestCheckFunc(resource.TestCheckNoResourceAttr(address,
				at+"hourly_weights.#"),
				resource.TestCheckResourceAttr(address, at+"hourly_weights_reason", "vm_hourly_weights is false."),
				resource.TestCheckResourceAttr(address, "total_hourly_weights.#", "24")),
		},
	)
}
