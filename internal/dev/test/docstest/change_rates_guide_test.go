package docstest_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/plan/changerate"
	"terraform-provider-vsla/internal/plan/quantity"
)

func TestChangeRatesGuide(t *testing.T) {
	t.Parallel()
	guide := read(t, "templates", "guides", "change-rates.md")
	text := strings.Join(strings.Fields(string(guide)), " ")
	says := func(what string) {
		t.Helper()
		assert.Contains(t, text, what)
	}
	rates := func(factor float64) changerate.Rates {
		t.Helper()
		estate, err := changerate.NewEstate(changerate.Input{IntervalSeconds: 300, CoalescingFactor: factor})
		require.NoError(t, err)
		r, err := estate.Add(changerate.VM{
			Size:   quantity.FromGiB(100),
			Series: changerate.Series{Times: []int64{300}, Instances: map[string][]int64{"scsi0:0": {1000}}},
		})
		require.NoError(t, err)
		return r
	}
	whole := rates(1)
	says(fmt.Sprintf("writes %.3f Mbit/s and %.2f GiB a day", whole.MeanWriteMbps, whole.DailyWriteGiB))
	says(fmt.Sprintf("that is %.2f%% a day", *whole.DailyChangePercent))
	factor := 6.0 / 10
	says(fmt.Sprintf("give %.1f.", factor))
	says(fmt.Sprintf("`coalescing_factor = %.1f` it is %.2f%%", factor, *rates(factor).DailyChangePercent))
	// 2 GiB per sync, four syncs per hour
	says(fmt.Sprintf("are %d GiB a day", 2*4*24))
	// The series has twelve hours at 10 KBps, followed by twelve hours at 30 KBps.
	day := changerate.Series{Instances: map[string][]int64{}}
	for hour := range int64(24) {
		day.Times = append(day.Times, (hour+1)*3600, hour*3600+1800)
		kbps := 10 + hour/12*20
		day.Instances["scsi0:0"] = append(day.Instances["scsi0:0"], kbps, kbps)
	}
	estate, err := changerate.NewEstate(changerate.Input{IntervalSeconds: 1800, CoalescingFactor: 1})
	require.NoError(t, err)
	profile, err := estate.Add(changerate.VM{Series: day})
	require.NoError(t, err)
	require.NotNil(t, profile.Hours.Weights)
	says(fmt.Sprintf("the weights are %.1f twelve times, then %.1f twelve times",
		profile.Hours.Weights[0], profile.Hours.Weights[23]))
	says(fmt.Sprintf("above %.0f GiB/s", float64(changerate.MaxKBps)/(1<<20)))
	kept := map[int64]string{20: "1 hour", 300: "1 day", 1800: "1 week", 7200: "30 days", 86400: "1 year"}
	for interval, back := range kept {
		hours := map[string]float64{"1 hour": 1, "1 day": 24, "1 week": 168, "30 days": 720, "1 year": 8760}[back]
		assert.Equal(t, hours, changerate.KeptHours(interval), back)
		says(fmt.Sprintf("| %d | %s |", interval, back))
	}
}
