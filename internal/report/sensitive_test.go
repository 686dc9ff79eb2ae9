package report_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/plan"
)

func TestSensitive(t *testing.T) {
	t.Parallel()
	w := inline(t, `
variable "rate" {
  type      = number
  sensitive = true
  default   = 12345.5
}
data "vsla_replication_estimate" "gold" {`+estimateArguments+`
  throughput_mbps = var.rate
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
`)
	text := planned(t, w, 0)
	for _, secret := range []string{"12345.5", "12.3 Gbit/s"} {
		require.True(t, bytes.Contains(text, []byte(secret)), "%s is not in the plan, so nothing is shown", secret)
	}
	r := build(t, text)
	all := subjects(r)
	for address, level := range map[string]plan.Level{
		"data.vsla_replication_estimate.gold":   plan.Meets,
		"data.vsla_configuration_limits.target": plan.Misses,
		"data.vsla_link_throughput.later":       plan.Unknown,
	} {
		s, ok := all[address]
		require.True(t, ok, "%s: %+v", address, s)
		assert.Equal(t, level, s.Level, address)
		assert.Zero(t, len(s.Facts)+len(s.Tables)+len(s.Figures)+len(s.Reasons), address)
	}
	var forms bytes.Buffer
	for _, write := range []func() error{
		func() error { return r.WriteHTML(&forms) },
		func() error { return r.WriteMarkdown(&forms) },
		func() error { return r.WriteJSON(&forms) },
	} {
		require.NoError(t, write())
	}
	// Sending 15 * 100 GiB at 12,345.5 Mbit/s takes 1,043.7 s, and sending 5% of that takes 52.2 s.
	for _, secret := range []string{"12345", "12,345", "12.3 Gbit", "17m 24s", "52s", "1043", "52.18"} {
		assert.NotContains(t, forms.String(), secret)
	}
	require.Contains(t, forms.String(), "throughput_mbps", "the review does not say what it withholds")
	assert.Contains(t, forms.String(), "message is withheld", "the review does not say what it withholds")
}
