package page_test

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"

	"terraform-provider-vsla/internal/assess/document"
	"terraform-provider-vsla/internal/plan/migration"
	"terraform-provider-vsla/internal/plan/promise"
	"terraform-provider-vsla/internal/whatif"
	"terraform-provider-vsla/internal/whatif/page"
)

// fake returns an empty module. A page with this module can be written but cannot compute.
func fake(t *testing.T) page.Module {
	t.Helper()
	packed := func(text string) []byte {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		_, err := w.Write([]byte(text))
		require.NoError(t, err)
		require.NoError(t, w.Close())
		return b.Bytes()
	}
	return page.Module{Wasm: packed("\x00asm"), Exec: packed("class Go {}")}
}

func written(t *testing.T, m page.Module, model *whatif.Model) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, m.Write(&b, model, nil))
	return b.String()
}

func parts(t *testing.T, text string) map[string][]*html.Node {
	t.Helper()
	root, err := html.Parse(strings.NewReader(text))
	require.NoError(t, err)
	all := map[string][]*html.Node{}
	for n := range root.Descendants() {
		if n.Type == html.ElementNode {
			all[n.Data] = append(all[n.Data], n)
		}
	}
	return all
}

func attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

func modelIn(t *testing.T, text string) *whatif.Model {
	t.Helper()
	for _, script := range parts(t, text)["script"] {
		if attribute(script, "id") != "model" {
			continue
		}
		packed, err := base64.StdEncoding.DecodeString(script.FirstChild.Data)
		require.NoError(t, err)
		r, err := gzip.NewReader(bytes.NewReader(packed))
		require.NoError(t, err)
		var m whatif.Model
		require.NoError(t, json.NewDecoder(r).Decode(&m))
		return &m
	}
	t.Fatal("the page has no model")
	return nil
}

func TestWrite_policy(t *testing.T) {
	t.Parallel()
	text := written(t, fake(t), page.Example())
	all := parts(t, text)
	hash := func(n *html.Node) string {
		sum := sha256.Sum256([]byte(n.FirstChild.Data))
		return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	scripts := all["script"]
	require.Len(t, scripts, 4)
	require.Len(t, all["style"], 1)
	want := "default-src 'none'; script-src " + hash(scripts[3]) + " 'wasm-unsafe-eval'; style-src " +
		hash(all["style"][0]) + "; worker-src blob:; base-uri 'none'; form-action 'none'; " +
		"require-trusted-types-for 'script'; trusted-types vsla"
	meta := all["meta"][1]
	require.Equal(t, "Content-Security-Policy", attribute(meta, "http-equiv"))
	assert.Equal(t, want, attribute(meta, "content"))
	for name, elements := range all {
		for _, n := range elements {
			for _, a := range n.Attr {
				assert.False(t, strings.HasPrefix(a.Key, "on"), "got %s with %s=%q", name, a.Key, a.Val)
				assert.NotEqual(t, "style", a.Key)
				assert.NotEqual(t, "src", a.Key)
				assert.NotEqual(t, "action", a.Key)
			}
		}
	}
	for _, name := range []string{"link", "img", "iframe", "object", "base"} {
		assert.Empty(t, all[name])
	}
}

var hostile = []string{
	`</script><script>alert(1)</script>`,
	`<!--<script>`,
	`"><img src=x onerror=alert(1)>`,
	"{{.Policy}}",
	"\u2028\u202e",
	`{"a":1}`, "a\x00b", `<svg onload=alert(1)>`, "javascript:alert(1)", "${x}", "]]>",
}

func TestWrite_hostile(t *testing.T) {
	t.Parallel()
	names := func(text string) []string {
		var list []string
		for name, elements := range parts(t, text) {
			list = append(list, fmt.Sprint(name, len(elements)))
		}
		return list
	}
	want := map[string]bool{}
	for _, name := range names(written(t, fake(t), page.Example())) {
		want[name] = true
	}
	for _, text := range hostile {
		m := page.Example()
		m.Title = text
		m.File = text
		m.Notes = []string{text}
		m.Open = []whatif.Gap{{Name: text, Text: text}}
		tiers, _ := m.Plan["tiers"].(map[string]any)
		tiers[text] = tiers["gold"]
		out := written(t, fake(t), m)
		for _, name := range names(out) {
			assert.True(t, want[name], "%q: got %s", text, name)
		}
		got := modelIn(t, out)
		require.Equal(t, text, got.File)
		assert.Equal(t, m.Plan, got.Plan)
	}
}

// TestWrite_size checks how much 3,200 VMs and their migration add to the size of the page. The complete page is 3.2
// MB, of which the module accounts for 3.1 MB.
func TestWrite_size(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	m := page.Example()
	empty := len(written(t, fake(t), m))
	vms, moving := map[string]any{}, map[string]any{}
	for i := range 3200 {
		name := fmt.Sprintf("app-%04d.%x.example.com", i, random.Uint32())
		gib := float64(random.IntN(500)) + 0.5
		vms[name] = map[string]any{"size_gib": gib}
		moving[name] = map[string]any{
			"memory_gib": float64(int(4) << random.IntN(4)),
			"disk_gib":   gib,
			"method":     "vmotion",
			"host":       fmt.Sprintf("esx%02d.example.com", random.IntN(40)),
		}
	}
	tiers, _ := m.Plan["tiers"].(map[string]any)
	gold, _ := tiers["gold"].(map[string]any)
	gold["virtual_machines"] = vms
	m.Moves.Arguments["virtual_machines"] = moving
	assert.LessOrEqual(t, len(written(t, fake(t), m))-empty, 150_000)
	assert.LessOrEqual(t, empty, 80_000)
}

func TestFromDocument(t *testing.T) {
	t.Parallel()
	arguments := map[string]any{
		"links":          map[string]any{"wan": map[string]any{"throughput_mbps": 1000.0}},
		"jitter_percent": 5.0,
		"tiers": map[string]any{"gold": map[string]any{
			"vm_count":             2.0,
			"vm_size_gib":          10.0,
			"daily_change_percent": 5.0,
			"rpo_minutes":          60.0,
		}},
	}
	values, err := promise.Definition.Calculator().Evaluate(arguments)
	require.NoError(t, err)
	maps.Copy(values, arguments)
	moves := map[string]any{
		"throughput_mbps": 500.0,
		"virtual_machines": map[string]any{
			"a": map[string]any{"memory_gib": 1.0, "disk_gib": 40.0, "method": "cold"},
		},
	}
	moved, err := migration.PlanDefinition.Calculator().Evaluate(moves)
	require.NoError(t, err)
	maps.Copy(moved, moves)
	migrates := map[string]any{
		"address":          "data.vsla_migration_plan.all",
		"mode":             "data",
		"type":             "vsla_migration_plan",
		"name":             "all",
		"provider_name":    "registry.terraform.io/vsla/vsla",
		"values":           moved,
		"sensitive_values": map[string]any{},
	}
	resource := func(name string, sensitive any) any {
		return map[string]any{
			"address":          "data.vsla_sla_plan." + name,
			"mode":             "data",
			"type":             "vsla_sla_plan",
			"name":             name,
			"provider_name":    "registry.terraform.io/vsla/vsla",
			"values":           values,
			"sensitive_values": sensitive,
		}
	}
	text, err := json.Marshal(map[string]any{
		"format_version":    "1.0",
		"terraform_version": "1.11.4",
		"values": map[string]any{"root_module": map[string]any{
			"resources": []any{
				resource("a", map[string]any{"jitter_percent": true}),
				resource("b", map[string]any{}),
				resource("c", map[string]any{}),
				migrates,
			},
		}},
	})
	require.NoError(t, err)
	d, err := document.Read(strings.NewReader(string(text)))
	require.NoError(t, err)
	m, result := page.FromDocument("a.json", d)
	require.NotNil(t, result)
	require.Equal(t, "b", m.Name)
	require.Equal(t, values["verdict"], result.Verdict)
	want := []string{
		"Not on this page: 1 result (withheld, because sensitive values could be derived from them).",
		"Not on this page: 1 promise (of plans other than b).",
	}
	assert.Equal(t, want, m.Notes)
	again, err := promise.Definition.Calculator().Evaluate(m.Plan)
	require.NoError(t, err)
	assert.Equal(t, again["summary"], values["summary"], "got %v, %v, want %v", again["summary"], err,
		values["summary"])
	require.NotNil(t, m.Moves)
	assert.InDelta(t, 500, m.Moves.Arguments["throughput_mbps"], 0)
	assert.Empty(t, m.Moves.Link)
}

func TestWrite_damaged(t *testing.T) {
	t.Parallel()
	assert.Error(t, (page.Module{}).Write(io.Discard, page.Example(), nil), "got no error")
}
