package provider_test

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/connect"
	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/dev/lab/tagging"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
	"terraform-provider-vsla/internal/gate/schema"
	"terraform-provider-vsla/internal/provider/kit/connection"
)

const estimate = `
data "vsla_replication_estimate" "x" {
  vm_count             = 15
  vm_size_gib          = 100
  daily_change_percent = 5
  throughput_mbps      = 901
  rpo_minutes          = 15
}
`

const category = `
resource "vsla_tag_category" "sla" {
  name        = "sla"
  cardinality = "SINGLE"
}
`

func TestAccProvider_offline(t *testing.T) {
	t.Parallel()
	verdict := resource.TestCheckResourceAttr("data.vsla_replication_estimate.x", "verdict", "at_risk")
	acctest.RunOffline(t,
		resource.TestStep{Config: estimate, Check: verdict},
		resource.TestStep{Config: `provider "vsla" {}` + estimate, Check: verdict},
		resource.TestStep{ // calculators need no connection
			Config: `
provider "vsla" {
  vsphere_server = "https://127.0.0.1:1"
  user           = "u"
  password       = "p"
}` + estimate,
			Check: verdict,
		},
	)
}

func TestAccProvider_missingConnection(t *testing.T) {
	t.Parallel()
	acctest.RunOffline(t, acctest.FailingStep(`
provider "vsla" {
  user = "u"
}`+category, `vCenter Connection Not Configured.*vsphere_server \(VSPHERE_SERVER\), password \(VSPHERE_PASSWORD\)`))
}

func TestAccProvider_plainHTTP(t *testing.T) {
	t.Parallel()
	const (
		vcenter = `provider "vsla" {
  vsphere_server = "http://192.0.2.1"
  user           = "u"
  password       = "p"
}
`
		appliance = `provider "vsla" {
  replication = {
    server   = "http://192.0.2.1"
    user     = "u"
    password = "p"
  }
}
`
	)
	for name, config := range map[string]string{
		"REST":        vcenter + `data "vsla_tag_category" "x" { name = "sla" }`,
		"SOAP":        vcenter + `data "vsla_virtual_machines" "x" {}`,
		"replication": appliance + `data "vsla_replication_pairing" "x" {}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			acctest.RunOffline(t, acctest.FailingStep(config, `would send the password in clear text`))
		})
	}
}

// TestAccProvider_otherServer verifies that no client, including the one for vCenter's STS, connects to a server other
// than the one set in the environment.
func TestAccProvider_otherServer(t *testing.T) {
	t.Parallel()
	var reached atomic.Int64
	other := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Add(1) }))
	t.Cleanup(func() {
		other.Close()
		assert.EqualValues(t, 0, reached.Load())
	})
	const own = "https://127.0.0.1:1"
	environment := map[string]string{
		connect.Server:              own,
		connect.User:                "u",
		connect.Password:            "p",
		connect.Insecure:            "true",
		connect.ReplicationServer:   own,
		connect.ReplicationUser:     "u",
		connect.ReplicationPassword: "p",
		connect.ProtectionServer:    own,
		connect.ProtectionPassword:  "p",
	}
	const groups = `data "vsla_protection_groups" "x" { cluster_id = "domain-c1" }`
	for name, test := range map[string]struct{ argument, data, want string }{
		"vCenter": {`vsphere_server = %q`, `data "vsla_tag_category" "x" { name = "sla" }`, "vsphere_server"},
		"replication": {
			`replication = { server = %q }`,
			`data "vsla_replication_pairing" "x" {}`,
			"replication.server",
		},
		"data protection": {`data_protection = { server = %q }`, groups, "data_protection.server"},
		"STS":             {"password = \"q\"\n  vsphere_server = %q", groups, "vsphere_server"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			config := fmt.Sprintf("provider \"vsla\" {\n  "+test.argument+"\n}\n", other.URL) + test.data
			acctest.RunWithEnvironment(t, environment,
				acctest.FailingStep(config, `Password for Another Server.*Remove `+regexp.QuoteMeta(test.want)))
		})
	}
}

func TestAccProvider_badConnection(t *testing.T) {
	t.Parallel()
	lab := acctest.Start(t, vcsim.Config{VMs: -1})
	lookup := `data "vsla_tag_category" "x" { name = "none" }`
	block := func(lines ...string) string { return "provider \"vsla\" {\n" + strings.Join(lines, "\n") + "\n}\n" }
	server := `vsphere_server = "` + lab.URL() + `"`
	ca := `ca_file = "` + lab.CAFile() + `"`
	user := "user = \"" + lab.User() + "\"\npassword = \"" + lab.Password() + "\""
	lab.Run(t,
		acctest.FailingStep(block(server, user)+lookup, `certificate of vCenter is not trusted.*ca_file`),
		acctest.FailingStep(block(server, ca, `user = "u"`, `password = "not-the-password"`)+lookup,
			`rejected the user`),
		acctest.FailingStep(block(server, user, `ca_file = "/nowhere/ca.pem"`)+lookup,
			`ca_file \(or VSLA_CA_FILE\) cannot be read`),
		acctest.FailingStep(block(`vsphere_server = "https://someone:secret-word@vcenter"`, user)+lookup,
			`must not contain a user`),
		acctest.FailingStep(block(`vsphere_server = "127.0.0.1:1"`, user)+lookup,
			`Nothing listens at the address of vCenter.*VSPHERE_SERVER`),
		acctest.FailingStep(block(server, user, ca, `api_timeout_seconds = 0`)+lookup, `api_timeout_seconds`),
		resource.TestStep{ // without certificate verification, the lookup runs but finds nothing
			Config:      block(server, user, `allow_unverified_ssl = true`) + lookup,
			ExpectError: acctest.ErrorPattern(`Category "none": not found`),
		},
	)
}

// TestAccProvider_requestsPerSecond reads 30 categories at one request per second. Ten of the requests are not delayed,
// so the run takes at least 20 s.
func TestAccProvider_requestsPerSecond(t *testing.T) {
	t.Parallel()
	lab := acctest.Start(t, vcsim.Config{VMs: -1})
	lab.KeepObjects()
	for i := range 30 {
		_, err := lab.Tags().AddCategory(tagging.Category{Name: fmt.Sprint("c", i), Cardinality: "SINGLE"})
		require.NoError(t, err)
	}
	begin := lab.Now()
	lab.Run(t, resource.TestStep{
		Config: lab.Provider("  requests_per_second = 1") + `data "vsla_tag_category" "x" { name = "c0" }`,
	})
	assert.GreaterOrEqual(t, lab.Now().Sub(begin), 20*time.Second)
}

func TestAccProvider_unknownArguments(t *testing.T) {
	t.Parallel()
	lab := acctest.Start(t, vcsim.Config{VMs: -1})
	fromResource := strings.Replace(lab.Provider(), `"`+lab.URL()+`"`, "terraform_data.server.output", 1) +
		"resource \"terraform_data\" \"server\" {\n  input = \"" + lab.URL() + "\"\n}\n"
	lab.Run(t,
		resource.TestStep{ // resources can be planned without a connection
			Config: fromResource + category + estimate,
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
				plancheck.ExpectResourceAction("vsla_tag_category.sla", plancheck.ResourceActionCreate),
			}},
		}, resource.TestStep{ // the data source fails, and the error contains the remedy
			Taint:  []string{"terraform_data.server"},
			Config: fromResource + category,
			ExpectError: acctest.ErrorPattern(`vCenter Connection Unknown Until Apply.*vsphere_server of provider ` +
				`vsla.*-target`),
		},
		resource.TestStep{Config: lab.Provider() + category},
	)
}

func TestProvider_schemas(t *testing.T) {
	t.Parallel()
	server, err := acctest.Server(&connection.Sessions{})()
	require.NoError(t, err)
	schemas, err := server.GetProviderSchema(context.Background(), &tfprotov6.GetProviderSchemaRequest{})
	require.NoError(t, err)
	require.Empty(t, schemas.Diagnostics)
	check := func(name string, s *tfprotov6.Schema) {
		assert.NotEmpty(t, s.Block.Description, "%s has no description", name)
		for _, a := range s.Block.Attributes {
			attributes(t, name, a)
		}
	}
	check("provider", schemas.Provider)
	for name, s := range schemas.ResourceSchemas {
		check(name, s)
	}
	for name, s := range schemas.DataSourceSchemas {
		check("data "+name, s)
	}
	for name, f := range schemas.Functions {
		require.NotEmpty(t, f.Summary, "function %s has no description", name)
		assert.NotEmpty(t, f.Description, "function %s has no description", name)
	}
	documented(t, "resources", "resource.tf", slices.Collect(maps.Keys(schemas.ResourceSchemas)))
	documented(t, "data-sources", "data-source.tf", slices.Collect(maps.Keys(schemas.DataSourceSchemas)))
	documented(t, "functions", "function.tf", slices.Collect(maps.Keys(schemas.Functions)))
	assert.Greater(t, len(schemas.ResourceSchemas), 2)
	assert.Greater(t, len(schemas.DataSourceSchemas), 3)
	assert.Greater(t, len(schemas.Functions), 5)
}

// TestProvider_nestedArguments verifies that the gate knows the names in all nested arguments of resources.
func TestProvider_nestedArguments(t *testing.T) {
	t.Parallel()
	server, err := acctest.Server(&connection.Sessions{})()
	require.NoError(t, err)
	schemas, err := server.GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
	require.NoError(t, err)
	for kind, s := range schemas.ResourceSchemas {
		want := make(map[string]string)
		nestedNames(want, "", s.Block.Attributes)
		delete(want, "")
		got := maps.Clone(schema.Nested[kind])
		for path, names := range got {
			got[path] = strings.Join(slices.Sorted(strings.FieldsSeq(names)), " ")
		}
		assert.Len(t, got, len(want), kind)
		for path, names := range want {
			assert.Equal(t, names, got[path], "%s, %s", kind, path)
		}
	}
}

// nestedNames collects the names of arguments by the path of their object.
func nestedNames(all map[string]string, at string, list []*tfprotov6.SchemaAttribute) {
	var names []string
	for _, a := range list {
		if !a.Optional && !a.Required {
			continue
		}
		names = append(names, a.Name)
		if a.NestedType == nil {
			continue
		}
		path := strings.TrimPrefix(at+"."+a.Name, ".")
		if a.NestedType.Nesting == tfprotov6.SchemaObjectNestingModeMap {
			path += ".*"
		}
		nestedNames(all, path, a.NestedType.Attributes)
	}
	all[at] = strings.Join(slices.Sorted(slices.Values(names)), " ")
}

func documented(t *testing.T, kind, file string, names []string) {
	t.Helper()
	root, err := acctest.Root()
	require.NoError(t, err)
	index, err := os.ReadFile(filepath.Join(root, "templates", "index.md.tmpl"))
	require.NoError(t, err)
	for _, name := range names {
		example := filepath.Join("examples", kind, name, file)
		_, err := os.Stat(filepath.Join(root, example))
		require.NoError(t, err, "%s has no example: add %s", name, example)
		assert.Contains(t, string(index), "("+(kind+"/"+strings.TrimPrefix(name, "vsla_")+".md")+")", name)
	}
}

func attributes(t *testing.T, owner string, a *tfprotov6.SchemaAttribute) {
	t.Helper()
	name := owner + "." + a.Name
	assert.NotEmpty(t, a.Description, "%s has no description", name)
	if regexp.MustCompile(`password|secret|token`).MatchString(a.Name) {
		assert.True(t, a.Sensitive, "%s is not sensitive", name)
	}
	if a.NestedType != nil {
		for _, nested := range a.NestedType.Attributes {
			attributes(t, name, nested)
		}
	}
}
