package report_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	nethtml "golang.org/x/net/html"

	names "terraform-provider-vsla/internal/dev/hostile"
	"terraform-provider-vsla/internal/wording"
)

func TestWriteMarkdown(t *testing.T) {
	t.Parallel()
	values := estimated(t, 440)
	values["summary"] = "a | b\n# c <img src=x onerror=alert(1)> [d](http://e) `f` **g** @h i@j.k"
	r := build(t, state(t, data("vsla_replication_estimate", `x["|<b>"]`, values)))
	var b bytes.Buffer
	require.NoError(t, r.WriteMarkdown(&b))
	text := b.String()
	for _, want := range []string{
		`### \|&lt;b&gt;: ✕ does not hold`, "a \\| b \\# c &lt;img src=x onerror=alert(1)&gt; \\[d\\](http\\://e) f " +
			"\\*\\*g\\*\\* \\@\u200bh i\\@\u200bj.k",
		"| ✕ does not hold | 1 |", "<details><summary>Other throughputs</summary>",
	} {
		assert.Contains(t, text, want)
	}
	for line := range strings.Lines(text) {
		assert.False(t, strings.HasPrefix(line, "|") && !strings.HasSuffix(line, "|\n"), "a row is broken: %q", line)
	}
}

func TestWriteJSON(t *testing.T) {
	t.Parallel()
	r := build(t, state(t, data("vsla_replication_estimate", "x", estimated(t, 901))))
	var b bytes.Buffer
	require.NoError(t, r.WriteJSON(&b))
	var got struct {
		Format   string `json:"format_version"`
		Verdict  string `json:"verdict"`
		Sections []struct {
			ID       string `json:"id"`
			Subjects []struct {
				Address string `json:"address"`
				Level   string `json:"level"`
				Facts   []struct {
					Name  string `json:"name"`
					Value any    `json:"value"`
				} `json:"facts"`
			} `json:"subjects"`
		} `json:"sections"`
	}
	require.NoError(t, json.Unmarshal(b.Bytes(), &got))
	s := got.Sections[0].Subjects[0]
	assert.True(t, got.Format == "2.0" && got.Verdict == "at_risk" && s.Address == "data.vsla_replication_estimate.x" &&
		s.Level == "at_risk" && s.Facts[0].Name == "vm_count" && s.Facts[0].Value == 15.0, "%+v", got)
	assert.NotContains(t, b.String(), ": null")
}

func named(t *testing.T, name string) []byte {
	t.Helper()
	tier := estimated(t, 440)
	tier["label"] = name
	vm := object{
		"name": name, "tier": name, "promised_rpo_minutes": 15, "configured_rpo_minutes": nil, "status": name,
		"verdict": "unprotected", "cluster": name, "power_state": name, "used_gib": 10, "samples": 3, "mean_write_mbps": 1.5,
	}
	group := data("vsla_protection_group", "x", replicated(name, object{
		"cluster_id": name, "status": name, "member_vm_ids": []any{name},
		"replication":       object{"cluster_pair_id": name, "rpo_minutes": 15},
		"snapshot_policies": object{name: object{"keep_days": 1}},
	}))
	group["mode"], group["address"] = "managed", "vsla_protection_group.x"
	return state(t, group,
		data("vsla_replication_estimate", `tier["`+name+`"]`, tier),
		data("vsla_sla_compliance", "gold", object{
			"compliant": false, "pairing_id": name, "tiers": object{name: object{"tag_id": name, "rpo_minutes": 15}},
			"unprotected": []any{name}, "untagged_but_replicated": []any{name + "2"}, "virtual_machines": object{name: vm},
		}),
		data("vsla_virtual_machines", "db", object{
			"vm_count": 1, "total_used_gib": 10, "mean_used_gib": 10, "name_regex": name, "virtual_machines": object{name: vm},
		}),
		data("vsla_change_rates", "db", object{"virtual_machines": object{name: vm}, "warnings": []any{name}}),
		data("vsla_something_new", "x", object{
			"verdict": "misses", "reasons": []any{name}, "explanations": []any{name}, name: name, "warnings": []any{name},
		}),
	)
}

func TestWrite_hostile(t *testing.T) {
	t.Parallel()
	harmless := shape(t, html(t, build(t, named(t, "name"))))
	for _, name := range names.Names() {
		r := build(t, named(t, name))
		page := html(t, r)
		checkPage(t, page)
		assert.Equal(t, harmless, shape(t, page), name)
		var text bytes.Buffer
		require.NoError(t, r.WriteMarkdown(&text))
		assert.Equal(t, "", names.Effect(text.String()), "%v, %v", name, text.String())
	}
}

func shape(t *testing.T, page string) []string {
	t.Helper()
	root, err := nethtml.Parse(strings.NewReader(page))
	require.NoError(t, err)
	var list []string
	for _, e := range elements(root) {
		if e.Parent.Namespace == "svg" {
			continue
		}
		list = append(list, e.Data+" "+strings.Join(slices.Sorted(maps.Keys(e.attributes)), " "))
	}
	return list
}

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
		assert.True(t, ok && s.Level == level && len(s.Facts)+len(s.Tables)+len(s.Figures)+len(s.Reasons) == 0,
			"%s: %+v", address, s)
	}
	var forms bytes.Buffer
	for _, write := range []func() error{
		func() error { return r.WriteHTML(&forms) }, func() error { return r.WriteMarkdown(&forms) },
		func() error { return r.WriteJSON(&forms) },
	} {
		require.NoError(t, write())
	}
	// Sending 15 * 100 GiB at 12,345.5 Mbit/s takes 1,043.7 s, and sending 5% of that takes 52.2 s.
	for _, secret := range []string{"12345", "12,345", "12.3 Gbit", "secret-site", "17m 24s", "52s", "1043", "52.18"} {
		assert.NotContains(t, forms.String(), secret)
	}
	require.Contains(t, forms.String(), "throughput_mbps", "the review does not say what it withholds")
	assert.Contains(t, forms.String(), "message is withheld", "the review does not say what it withholds")
}
