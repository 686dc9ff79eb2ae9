package group_test

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/stretchr/testify/assert"

	lab "terraform-provider-vsla/internal/dev/lab/snapservice"
)

func TestReplicas(t *testing.T) {
	t.Parallel()
	p := start(t, lab.Switches{})
	const places = "use_replica_seeds = true\n target_datastore_id = \"datastore-99\""
	p.Run(t, step(gold(p, byID(p, 0), replicate(p, 60, places)), func(*terraform.State) error {
		sent := p.GroupByName("gold").Info.Replication[0]
		assert.Equal(t, new(true), sent.Seed)
		assert.Equal(t, map[string]string{"target_datastore": "datastore-99"}, sent.Storage)
		return nil
	}))
}

func TestUnits(t *testing.T) {
	t.Parallel()
	p := start(t, lab.Switches{})
	p.Run(t, step(gold(p, byID(p, 0), `snapshot_policies = {
    often   = { every_minutes = 30, keep_hours = 6 }
    hourly  = { every_hours = 2, keep_days = 3 }
    daily   = { every_days = 5, keep_years = 1 }
    weekly  = { every_weeks = 2, keep_weeks = 4 }
    monthly = { every_months = 3, keep_months = 12 }
  }`), func(*terraform.State) error {
		got := make(map[string]string)
		for _, policy := range p.GroupByName("gold").Info.Policies {
			got[policy.Name] = fmt.Sprint(policy.Schedule, policy.Retention)
		}
		assert.Equal(t, map[string]string{
			"often":   "{MINUTE 30} {HOUR 6}",
			"hourly":  "{HOUR 2} {DAY 3}",
			"daily":   "{DAY 5} {YEAR 1}",
			"weekly":  "{WEEK 2} {WEEK 4}",
			"monthly": "{MONTH 3} {MONTH 12}",
		}, got)
		return nil
	}))
}

func TestLongTerm_years(t *testing.T) {
	t.Parallel()
	p := start(t, lab.Switches{})
	p.Run(t, step(gold(p, byID(p, 0), replicate(p, 60, `long_term = {
      hourly  = { keep_years = 1 }
      daily   = { hour = 2, keep_years = 2 }
      weekly  = { hour = 3, day_of_week = "SUNDAY", keep_years = 3 }
      monthly = { hour = 4, day_of_month = 5, keep_years = 6 }
    }`)), func(*terraform.State) error {
		years := func(n int) map[string]any { return map[string]any{"unit": "YEAR", "duration": float64(n)} }
		assert.Equal(t, map[string]any{
			"hourly":  map[string]any{"retention": years(1)},
			"daily":   map[string]any{"retention": years(2), "hour": 2.0},
			"weekly":  map[string]any{"retention": years(3), "hour": 3.0, "day_of_week": "SUNDAY"},
			"monthly": map[string]any{"retention": years(6), "hour": 4.0, "day_of_month": 5.0},
		}, p.GroupByName("gold").Info.Replication[0].Retention.Long)
		return nil
	}))
}

func TestPeriodsInOtherUnits(t *testing.T) {
	t.Parallel()
	p := start(t, lab.Switches{PeriodsInHours: true})
	p.Run(t, step(gold(p, byID(p, 0),
		`snapshot_policies = { hourly = { every_hours = 1, keep_days = 2 } }`,
		replicate(p, 120, `long_term = {
      daily   = { hour = 2, keep_days = 7 }
      weekly  = { hour = 3, day_of_week = "SUNDAY", keep_weeks = 4 }
      monthly = { hour = 2, day_of_month = 1, keep_months = 6 }
      hourly  = { keep_hours = 24 }
    }`))))
}
