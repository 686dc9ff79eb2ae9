package group_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/stretchr/testify/assert"

	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
)

// TestRequestsPerRun verifies the number of requests. Each Terraform run logs in once, reads the sites once, and
// lists the groups of each cluster once. A plan-only step runs two plans, the first one without a refresh.
func TestRequestsPerRun(t *testing.T) {
	t.Parallel()
	p := acctest.StartProtection(t, acctest.ProtectionConfig{
		VCenter: vcsim.Config{Hosts: 5, Clusters: 5, VMs: 50},
	})
	ids := make([]string, 0, 5)
	for n := range 5 {
		ids = append(ids, fmt.Sprintf("%q", p.Cluster(n)))
	}
	clusters := strings.Join(ids, ", ")
	config := func(pattern string) string {
		return p.Provider() + fmt.Sprintf(`
resource "vsla_protection_group" "many" {
  count            = 50
  cluster_id       = [%s][count.index %% 5]
  name             = "group-${count.index}"
  vm_name_patterns = [count.index == 0 ? %q : "web-${count.index}*"] # equal rules share a preview
}`, clusters, pattern)
	}
	compliance := fmt.Sprintf(`
data "vsla_sla_compliance" "now" {
  tiers               = { gold = { tag_id = %q, rpo_minutes = 15 } }
  protection_clusters = [%s]
}`, p.Tag(t, "tier", "SINGLE", "gold", 0), clusters)
	begin := func() {
		p.Traffic().Reset()
		p.VCenter.Traffic().Reset()
	}
	// counted checks the number of requests since the last call to begin, and that each session required one STS login.
	counted := func(what string, want map[string]int) {
		got := p.Traffic().Counts()
		assert.Equal(t, want, got, what)
		assert.Equal(t, want["POST session"], p.VCenter.Traffic().Count("POST /sts/STSService"), what)
	}
	runs := func(n int, each map[string]int) map[string]int {
		want := map[string]int{"POST session": n, "sites": n}
		for kind, requests := range each {
			want[kind] = n * requests
		}
		return want
	}
	p.Run(t,
		resource.TestStep{PreConfig: begin, Config: config("web-*"), PlanOnly: true, ExpectNonEmptyPlan: true},
		resource.TestStep{
			PreConfig: func() {
				counted("plans of 50 creates", runs(2, map[string]int{"list": 5, "capabilities": 5, "preview": 50}))
				begin()
			},
			Config: config("web-*"),
			Check: func(*terraform.State) error {
				// Plan and apply each read the sites, the group lists and the capabilities, and request the previews.
				// The apply also creates 50 groups, reads each of them, and polls the running tasks every 5 s. Each
				// create invalidates its cluster's group list.
				want := runs(2, map[string]int{"list": 5, "capabilities": 5, "preview": 50})
				want["create"] = 50
				want["get"] = 50
				want["list"] += min(50, p.Traffic().Count("list")-want["list"])
				want["tasks"] = min(50, p.Traffic().Count("tasks"))
				counted("plan and apply of 50 creates", want)
				return nil
			},
		},
		resource.TestStep{PreConfig: begin, Config: config("web-*"), PlanOnly: true},
		acctest.After(func() { // 8 requests including the STS login, none of them sent by the plan without a refresh
			counted("plan without a change", runs(1, map[string]int{"list": 5}))
			begin()
		}, resource.TestStep{Config: config("web-*") + compliance, PlanOnly: true}),
		acctest.After(func() { // "about" is requested to read the release, because 9.0 reports no violations
			counted("plans with compliance", runs(2, map[string]int{"list": 5, "vms": 5, "about": 1}))
			begin()
		}, resource.TestStep{Config: config("db-*"), PlanOnly: true, ExpectNonEmptyPlan: true}),
		acctest.After(func() { // the plan without a refresh lists the groups of a single cluster
			want := runs(2, map[string]int{"capabilities": 1, "preview": 1})
			want["list"] = 1 + 5
			counted("plans of one rule changed", want)
		}, resource.TestStep{Config: config("web-*"), PlanOnly: true}),
	)
}
