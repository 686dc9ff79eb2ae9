package report_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/wording"
)

// TestSensitive: neither a sensitive value nor a figure from which it could be computed is in any of the forms.
func TestSensitive(t *testing.T) {
	t.Parallel()
	w := inline(t, `
variable "rate" {
  type      = number
  sensitive = true
  default   = 12345.5
}
variable "site" {
  type      = string
  sensitive = true
  default   = "secret-site"
}
data "vsla_replication_estimate" "gold" {`+estimateArguments+`
  throughput_mbps = var.rate
}
data "vsla_replication_schedule" "day" {
  throughput_mbps = 1000
  groups          = { a = { vm_count = 3, vm_size_gib = var.rate, daily_change_percent = 1, rpo_minutes = 60 } }
}
data "vsla_configuration_limits" "target" {
  product = "vcenter"
  version = "6.5"
  counts  = { hosts = var.rate }
}
resource "terraform_data" "later" {
  input = 1
}
data "vsla_link_throughput" "later" {
  bandwidth_mbps = var.rate
  streams        = terraform_data.later.output
}
check "rate" {
  assert {
    condition     = data.vsla_replication_estimate.gold.verdict == "misses"
    error_message = "Not so: ${data.vsla_replication_estimate.gold.summary}"
  }
}
output "by_site" {
  sensitive = true
  value     = { (var.site) = provider::vsla::link_throughput({ bandwidth_mbps = var.rate }) }
}
`)
	text := planned(t, w, 0)
	// The positive control: the file has them.
	for _, secret := range []string{"12345.5", "12.3 Gbit/s", "secret-site"} {
		require.True(t, bytes.Contains(text, []byte(secret)), "%s is not in the plan, so nothing is shown", secret)
	}
	r := build(t, text)
	all := subjects(r)
	for address, level := range map[string]wording.Level{
		"data.vsla_replication_estimate.gold": wording.Holds, "data.vsla_replication_schedule.day": wording.Holds,
		"data.vsla_configuration_limits.target": wording.Misses, "data.vsla_link_throughput.later": wording.Unknown, "output.by_site": wording.Unknown,
	} {
		s, ok := all[address]
		assert.True(t, ok && s.Level == level && len(s.Facts)+len(s.Tables)+len(s.Figures)+len(s.Reasons) <= 0,
			"%s: %+v", address, s)
	}
	var forms bytes.Buffer
	for _, write := range []func() error{
		func() error { return r.WriteHTML(&forms) },
		func() error { return r.WriteMarkdown(&forms) },
		func() error { return r.WriteJSON(&forms) },
	} {
		require.NoError(t, write())
	}
	// 15 * 100 GiB at 12,345.5 Mbit/s take 1,043.7 s, and 5 % of it 52.2 s; the hosts are 12,345.5 of 2,000.
	for _, secret := range []string{"12345", "12,345", "12.3 Gbit", "secret-site", "17m 24s", "52s", "1043", "52.18"} {
		assert.NotContains(t, forms.String(), secret)
	}
	require.Contains(t, forms.String(), "throughput_mbps", "the review does not say what it withholds")
	assert.Contains(t, forms.String(), "message is withheld", "the review does not say what it withholds")
}
