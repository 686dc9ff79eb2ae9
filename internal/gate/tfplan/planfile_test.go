package tfplan_test

import (
	"archive/zip"
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/gate/tfplan"
)

type entry struct{ name, text string }

const manifest = `[{"Key": "", "Dir": "."}, {"Key": "a", "Dir": "a"}, {"Key": "a.b", "Dir": "b"}]`

func archive(t *testing.T, entries ...entry) *bytes.Reader {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, e := range entries {
		f, err := w.Create(e.name)
		require.NoError(t, err)
		_, err = f.Write([]byte(e.text))
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	return bytes.NewReader(b.Bytes())
}

func read(t *testing.T, name, text string) *tfplan.File {
	t.Helper()
	in := archive(t, entry{"tfconfig/modules.json", manifest}, entry{name, text})
	file, err := tfplan.ReadFile(in, in.Size())
	require.NoError(t, err)
	return file
}

func TestReadFile_programs(t *testing.T) {
	t.Parallel()
	const program = "provisioner \"local-exec\" {\n    when = destroy\n    command = \"id\"\n  }"
	for _, test := range []struct {
		name, file, text string
		want             []string
	}{
		{"none", "tfconfig/m-/main.tf", "removed {\n  from = vsla_tag.x\n}\n", nil},
		{"in a comment", "tfconfig/m-/main.tf", "# removed {\n# " + `provisioner "local-exec" {}` + "\n", nil},
		{
			"in a text", "tfconfig/m-/main.tf",
			"locals {\n  x = <<X\nremoved {\n provisioner \"local-exec\" {}\n}\nX\n}\n", nil,
		},
		{
			"in the root",
			"tfconfig/m-/main.tf",
			"removed {\n  from = vsla_tag.x\n  " + program + "\n}\n",
			[]string{"removed.vsla_tag.x"},
		},
		{
			"in a module",
			"tfconfig/m-a.b/main.tf",
			"removed {\n  from = vsla_tag.x\n  " + program + "\n}\n",
			[]string{"module.a.module.b.removed.vsla_tag.x"},
		},
		{
			"in JSON",
			"tfconfig/m-a/main.tf.json",
			`{"removed": [{"from": "vsla_tag.x", "provisioner": {"local-exec": {"command": "id"}}}]}`,
			[]string{"module.a.removed.vsla_tag.x"},
		},
		{
			"of OpenTofu",
			"tfconfig/m-/main.tofu",
			"removed {\n  from = vsla_tag.x\n  " + program + "\n}\n",
			[]string{"removed.vsla_tag.x"},
		},
		{"another file", "tfconfig/m-/README.md", "removed {", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, test.want, read(t, test.file, test.text).Programs)
		})
	}
}

func TestReadFile_providers(t *testing.T) {
	t.Parallel()
	got := read(t, "tfconfig/m-/main.tf", `
provider "vsla" {
  vsphere_server = var.server
  user           = "x${var.user}"
  replication    = { server = var.other, password = "x" }
}
provider "vsla" {
  alias = "dr"
  user  = var.user
}
provider "vsla" {
  alias = true
}
provider "aws" {
  region = "x"
}
`).Providers
	assert.Equal(t, map[string]map[string]bool{
		"vsla": {
			"vsphere_server":       true,
			"user":                 false,
			"replication.server":   true,
			"replication.password": false,
		},
		"vsla.dr":   {"user": true},
		"vsla.true": {},
	}, got)
}

func TestReadFile_literals(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, ids string
		want      bool
	}{
		{"a data source", "data.vsla_virtual_machines.x.ids", false},
		{"a list", `["vm-1"]`, true},
		{"one more", `concat(data.vsla_virtual_machines.x.ids, ["vm-1"])`, true},
		{"a branch", `var.x ? ["vm-1"] : data.vsla_virtual_machines.x.ids`, true},
		{"a local value", "local.list", true},
		{"a key of a local map", "keys(local.chosen)", false},
		{"a list without a VM", `setsubtract(data.vsla_virtual_machines.x.ids, ["vm-1"])`, false},
		{"a VM of a list", `setsubtract(["vm-1", "vm-2"], data.vsla_virtual_machines.x.ids)`, true},
		{"a VM on a condition", `concat(data.vsla_virtual_machines.x.ids, var.x ? ["vm-1"] : [])`, true},
		{"a list by a function", `split(",", "vm-1,vm-2")`, true},
		{"a list by a local value", "sort(local.range)", true},
		{"a list in a file", `jsondecode(file("${path.module}/ids.json"))`, true},
		{"a variable of a module", "var.ids", false},
		{"IDs of a data source", "[for vm in data.vsla_virtual_machines.x.virtual_machines : vm.id]", false},
		{"a text that is no ID", `[var.prefix == "x" ? var.a : "none"]`, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got := read(t, "tfconfig/m-a/main.tf", `
locals {
  up     = ["vm-1"]
  list   = toset(["vm-1"])
  range  = [for i in range(1, 3) : "vm-${i}"]
  chosen = { for id, vm in data.vsla_virtual_machines.x.virtual_machines : id => vm if contains(local.up, id) }
}
resource "vsla_tag_association" "x" {
  object_ids = `+test.ids+`
}
`).Literals
			assert.Equal(t, test.want, got["module.a.vsla_tag_association.x"])
		})
	}
}

func TestReadFile_selected(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, ids string
		want      bool
	}{
		{"a data source", "data.vsla_virtual_machines.x[each.key].ids", true},
		{"nothing for one key", `each.key == "gold" ? [] : sort(data.vsla_virtual_machines.x[each.key].ids)`, true},
		{"all but one", `setsubtract(data.vsla_virtual_machines.x[each.key].ids, ["vm-1"])`, true},
		{"a list for one key", `each.key == "gold" ? ["vm-1"] : data.vsla_virtual_machines.x[each.key].ids`, false},
		{"a value for one key", `each.key == "gold" ? each.value : data.vsla_virtual_machines.x[each.key].ids`, false},
		{"a variable for one key", `each.key == "gold" ? var.ids : data.vsla_virtual_machines.x[each.key].ids`, false},
		{"a list from a file", `each.key == "gold" ? [] : jsondecode(data.local_file.x.content)[each.key]`, false},
		{"a file first", `try(jsondecode(file("x"))[each.key], data.vsla_virtual_machines.x[each.key].ids)`, false},
		{
			"a data source and an override", "data.vsla_virtual_machines.x.ids\n}\n" + block + "object_ids = var.ids",
			false,
		},
		{"a variable and an override", "var.ids\n}\n" + block + "object_ids = data.vsla_virtual_machines.x.ids", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got := read(t, "tfconfig/m-a/main.tf", block+"object_ids = "+test.ids+"\n}\n").Selected
			assert.Equal(t, test.want, got["module.a.vsla_tag_association.x"])
		})
	}
}

const block = "resource \"vsla_tag_association\" \"x\" {\n"

func TestReadFile_inputs(t *testing.T) {
	t.Parallel()
	got := read(t, "tfconfig/m-/main.tf", `
data "vsla_sla_plan" "x" {
  for_each = { gold = 60 }
  tiers = { for name, tier in local.tiers : name => { peak_facto = 3 } }
  links = { metro = { throughput_mbps = 1 } }
  targets = { (true ? null : "dr") = {} }
}
`).Inputs
	const address = "data.vsla_sla_plan.x"
	assert.ElementsMatch(t, []tfplan.Input{
		{Address: address, Path: "tiers.*"},
		{Address: address, Path: "tiers.*.peak_facto"},
		{Address: address, Path: "links.metro"},
		{Address: address, Path: "links.metro.throughput_mbps"},
		{Address: address, Path: "targets.*"},
	}, got)
}

func TestReadFile_state(t *testing.T) {
	t.Parallel()
	got := read(t, "tfstate-prev", `{"version": 4, "resources": [
  {"mode": "managed", "type": "vsla_tag", "name": "x", "instances": [{"index_key": "gold", "attributes": {"id": "t"}}]},
  {"module": "module.a[0]", "mode": "managed", "type": "vsla_tag", "name": "y", "instances": [{"attributes": {}}]}
]}`).Before
	require.Len(t, got, 2)
	assert.Equal(t, `vsla_tag.x["gold"]`, got[0].Address)
	assert.Equal(t, "t", got[0].Values["id"])
	assert.Equal(t, "module.a[0].vsla_tag.y", got[1].Address)
}

func TestReadFile_refused(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		in   *bytes.Reader
	}{
		{"no zip", bytes.NewReader([]byte(`{"encrypted": true}`))},
		{"a cloud plan", archive(t, entry{"plan", "{}"})},
		{"no manifest", archive(t, entry{"tfconfig/m-/main.tf", ""})},
		{"a broken manifest", archive(t, entry{"tfconfig/modules.json", "{"})},
		{
			"a broken file",
			archive(t, entry{"tfconfig/modules.json", manifest}, entry{"tfconfig/m-/main.tf", "removed {"}),
		},
		{
			"a file of no module",
			archive(t, entry{"tfconfig/modules.json", manifest}, entry{"tfconfig/m-x/main.tf", ""}),
		},
		{
			"a file twice",
			archive(t, entry{"tfconfig/modules.json", manifest}, entry{"tfconfig/m-/main.tf", ""},
				entry{"tfconfig/m-/main.tf", ""}),
		},
		{
			"an alias that is null",
			archive(t, entry{"tfconfig/modules.json", manifest},
				entry{"tfconfig/m-/main.tf", "provider \"vsla\" {\n  alias = null\n}\n"}),
		},
		{
			"an alias that is a list",
			archive(t, entry{"tfconfig/modules.json", manifest},
				entry{"tfconfig/m-/main.tf", "provider \"vsla\" {\n  alias = [\"dr\"]\n}\n"}),
		},
		{
			"a state of another version",
			archive(t, entry{"tfconfig/modules.json", manifest}, entry{"tfstate-prev", `{"version": 3}`}),
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := tfplan.ReadFile(test.in, test.in.Size())
			assert.ErrorIs(t, err, tfplan.ErrNoPlanFile)
		})
	}
}
