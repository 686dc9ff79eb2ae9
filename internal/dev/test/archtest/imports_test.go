package archtest_test

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const module = "terraform-provider-vsla/"

// rules lists forbidden dependencies, direct or indirect. Subpackages are included.
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
		},
		"the planning core is arithmetic",
	},
	{
		module + "internal/vsphere/...",
		[]string{
			"github.com/hashicorp",
			module + "internal/provider",
			module + "internal/plan",
			"github.com/vmware/govmomi/simulator",
		},
		"the adapter knows neither Terraform nor what is calculated",
	},
	{
		module + "internal/report/...",
		[]string{
			"github.com/hashicorp/terraform-plugin-framework", "github.com/hashicorp/terraform-plugin-go", "os/exec",
			"net/http", module + "internal/provider", module + "internal/vsphere",
		},
		"a review is made from a file, and from nothing else",
	},
	{
		module + "internal/estate/...",
		[]string{
			"github.com/hashicorp/terraform-plugin-framework",
			module + "internal/provider",
			module + "internal/cli",
		},
		"an estate is reviewed without Terraform",
	},
	{
		module + "internal/whatif",
		[]string{
			"github.com", "golang.org", "net", "os/exec", "html/template", module + "internal/provider",
			module + "internal/vsphere", module + "internal/estate",
		},
		"a page in a browser has it, and is to stay small",
	},
	{
		module + "internal/whatif/page",
		[]string{
			"net/http",
			"os/exec",
			module + "internal/provider",
			module + "internal/vsphere",
			module + "internal/cli",
		},
		"a page is made from files, and from nothing else",
	},
	{
		module + "internal/vr/...",
		[]string{
			"github.com/hashicorp",
			"github.com/vmware",
			module + "internal/provider",
			module + "internal/vsphere",
			module + "internal/plan",
		},
		"the replication client knows neither Terraform nor vCenter's own protocol",
	},
	{
		module + "internal/snapservice/...",
		[]string{
			"github.com/hashicorp",
			module + "internal/provider",
			module + "internal/vsphere",
			module + "internal/vr",
			module + "internal/plan",
		},
		"the client of vSAN Data Protection knows neither Terraform nor the other clients",
	},
	{
		module + "internal/dev/lab/...",
		[]string{
			"github.com/hashicorp",
			module + "internal/provider",
			module + "internal/vsphere",
			module + "internal/vr",
			module + "internal/snapservice",
			module + "internal/plan",
		},
		"the lab shares nothing with what it tests",
	},
	{
		module + "internal/dev/cmd/vslalab",
		[]string{module + "internal/dev/lab/snapcontract", module + "internal/dev/lab/tagcontract"},
		"these contracts are for tests only",
	},
	{
		module + "internal/provider/calculator/...",
		[]string{
			module + "internal/vsphere", module + "internal/vr", module + "internal/snapservice",
			module + "internal/provider/kit/connection",
		},
		"calculators need no connection",
	},
	{
		module + "internal/provider/kit/...",
		[]string{module + "internal/provider/tagging", module + "internal/provider/replication"},
		"what all nouns share knows none of them",
	},
	{
		module + "internal/cli/...",
		[]string{"github.com/hashicorp/terraform-plugin-framework", module + "internal/provider"},
		"the command line reads the descriptions of the calculators, not their schemas",
	},
	{
		strings.TrimSuffix(module, "/"),
		[]string{
			"github.com/vmware/govmomi/simulator", "github.com/hashicorp/terraform-plugin-testing",
			"github.com/hashicorp/terraform-plugin-sdk", "pgregory.net", "github.com/getkin",
		},
		"the shipped binary has no simulator and no test code",
	},
}

func TestImports_dev(t *testing.T) {
	t.Parallel()
	const dev = module + "internal/dev/"
	shipped := make([]string, 0, 100)
	for _, p := range list(t, "./../../../../...") {
		if !strings.HasPrefix(p, dev) {
			shipped = append(shipped, p)
		}
	}
	require.GreaterOrEqual(t, len(shipped), 50)
	for _, p := range list(t, append([]string{"-deps"}, shipped...)...) {
		assert.False(t, strings.HasPrefix(p, dev),
			"got %s among the imports of what ships, want nothing of internal/dev", p)
	}
}

func TestImports(t *testing.T) {
	t.Parallel()
	for _, rule := range rules {
		t.Run(rule.packages, func(t *testing.T) {
			t.Parallel()
			reached := list(t, "-deps", rule.packages)
			require.GreaterOrEqual(t, len(reached), 5)
			for _, p := range reached {
				for _, never := range rule.never {
					require.NotEqual(t, never, p, "%v, %v", rule.packages, rule.because)
					assert.False(t, strings.HasPrefix(p, never+"/"), "%s reaches %s: %s", rule.packages, p,
						rule.because)
				}
			}
		})
	}
}

func list(t *testing.T, arguments ...string) []string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", append([]string{"list"}, arguments...)...).Output()
	require.NoError(t, err, "%+v", arguments)
	return strings.Fields(string(out))
}
