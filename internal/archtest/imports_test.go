package archtest_test

import (
	"os/exec"
	"strings"
	"testing"
)

const module = "terraform-provider-vsla/"

// rules name what packages must never reach, however indirectly: the named package and all below it.
var rules = []struct {
	packages string
	never    []string
	because  string
}{
	{
		module + "internal/plan/...",
		[]string{
			"github.com",
			"golang.org",
			"net",
			"os/exec",
			"log",
			"math/rand",
			module + "internal/provider",
			module + "internal/vsphere",
			module + "internal/lab",
		},
		"the planning core is arithmetic",
	},
	{
		module + "internal/vsphere/...",
		[]string{
			"github.com/hashicorp",
			module + "internal/provider",
			module + "internal/plan",
			module + "internal/lab",
			"github.com/vmware/govmomi/simulator",
		},
		"the adapter knows neither Terraform nor what is calculated",
	},
	{
		module + "internal/report/...",
		[]string{
			"github.com/hashicorp/terraform-plugin-framework", "github.com/hashicorp/terraform-plugin-go", "os/exec", "net/http",
			module + "internal/provider", module + "internal/vsphere", module + "internal/lab",
		},
		"a review is made from a file, and from nothing else",
	},
	{
		module + "internal/vr/...",
		[]string{
			"github.com/hashicorp",
			"github.com/vmware",
			module + "internal/provider",
			module + "internal/vsphere",
			module + "internal/plan",
			module + "internal/lab",
		},
		"the replication client knows neither Terraform nor vCenter's own protocol",
	},
	{
		module + "internal/lab/...",
		[]string{
			"github.com/hashicorp",
			module + "internal/provider",
			module + "internal/vsphere",
			module + "internal/vr",
			module + "internal/plan",
		},
		"the lab shares nothing with what it tests",
	},
	{
		module + "internal/lab/cmd/...",
		[]string{
			module + "internal/lab/contract",
			module + "internal/lab/tagcontract",
			module + "internal/lab/vrcontract",
			"github.com/getkin",
			"testing",
		},
		"the API contracts are for tests only",
	},
	{
		module + "internal/provider/calculator/...",
		[]string{module + "internal/vsphere", module + "internal/vr", module + "internal/provider/kit/connection"},
		"calculators need no connection",
	},
	{
		module + "internal/cli/...",
		[]string{"github.com/hashicorp/terraform-plugin-framework", module + "internal/provider", module + "internal/lab"},
		"the command line reads the descriptions of the calculators, not their schemas",
	},
	{
		strings.TrimSuffix(module, "/"),
		[]string{
			module + "internal/lab",
			module + "internal/acctest",
			module + "internal/terraformcli",
			"github.com/vmware/govmomi/simulator",
			"github.com/hashicorp/terraform-plugin-testing",
			"github.com/hashicorp/terraform-plugin-sdk",
			"pgregory.net",
			"github.com/getkin",
		},
		"the shipped binary has no lab and no test code",
	},
}

func TestImports(t *testing.T) {
	t.Parallel()
	for _, rule := range rules {
		t.Run(rule.packages, func(t *testing.T) {
			t.Parallel()
			out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", rule.packages).Output()
			if err != nil {
				t.Fatal(err)
			}
			reached := strings.Fields(string(out))
			if len(reached) < 5 {
				t.Fatalf("go list names %d packages only, so nothing was checked", len(reached))
			}
			for _, p := range reached {
				for _, never := range rule.never {
					if p == never || strings.HasPrefix(p, never+"/") {
						t.Errorf("%s reaches %s: %s", rule.packages, p, rule.because)
					}
				}
			}
		})
	}
}
