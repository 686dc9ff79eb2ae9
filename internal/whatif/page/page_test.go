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
	"reflect"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"terraform-provider-vsla/internal/assess/document"
	"terraform-provider-vsla/internal/whatif"
	"terraform-provider-vsla/internal/whatif/page"
)

// fake is an empty module: the page is written, and does not compute.
func fake(t *testing.T) page.Module {
	t.Helper()
	packed := func(text string) []byte {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		if _, err := w.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	return page.Module{Wasm: packed("\x00asm"), Exec: packed("class Go {}")}
}

func written(t *testing.T, m page.Module, model *whatif.Model) string {
	t.Helper()
	var b bytes.Buffer
	if err := m.Write(&b, model); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// parts returns the elements of a page by name.
func parts(t *testing.T, text string) map[string][]*html.Node {
	t.Helper()
	root, err := html.Parse(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
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

// modelIn returns the model in a page.
func modelIn(t *testing.T, text string) *whatif.Model {
	t.Helper()
	for _, script := range parts(t, text)["script"] {
		if attribute(script, "id") != "model" {
			continue
		}
		packed, err := base64.StdEncoding.DecodeString(script.FirstChild.Data)
		if err != nil {
			t.Fatal(err)
		}
		r, err := gzip.NewReader(bytes.NewReader(packed))
		if err != nil {
			t.Fatal(err)
		}
		var m whatif.Model
		if err := json.NewDecoder(r).Decode(&m); err != nil {
			t.Fatal(err)
		}
		return &m
	}
	t.Fatal("the page has no model")
	return nil
}

// TestWrite_policy checks that the page's policy allows its script and its style sheet, and loads nothing.
func TestWrite_policy(t *testing.T) {
	t.Parallel()
	text := written(t, fake(t), page.Example())
	all := parts(t, text)
	hash := func(n *html.Node) string {
		sum := sha256.Sum256([]byte(n.FirstChild.Data))
		return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	scripts := all["script"]
	if len(scripts) != 3 || len(all["style"]) != 1 {
		t.Fatalf("got %d scripts and %d style sheets, want 3 and 1", len(scripts), len(all["style"]))
	}
	want := "default-src 'none'; script-src " + hash(scripts[2]) + " 'wasm-unsafe-eval'; style-src " +
		hash(all["style"][0]) + "; worker-src blob:; base-uri 'none'; form-action 'none'; " +
		"require-trusted-types-for 'script'; trusted-types vsla"
	if meta := all["meta"][1]; attribute(meta, "http-equiv") != "Content-Security-Policy" ||
		attribute(meta, "content") != want {
		t.Errorf("got %q, want %q", attribute(meta, "content"), want)
	}
	for name, elements := range all {
		for _, n := range elements {
			for _, a := range n.Attr {
				if strings.HasPrefix(a.Key, "on") || a.Key == "style" || a.Key == "src" || a.Key == "action" {
					t.Errorf("got %s with %s=%q", name, a.Key, a.Val)
				}
			}
		}
	}
	for _, name := range []string{"link", "img", "iframe", "object", "form", "base"} {
		if len(all[name]) > 0 {
			t.Errorf("got an element %s", name)
		}
	}
}

// hostile are texts that would mean something in HTML, scripts, JSON or base64.
var hostile = []string{
	`</script><script>alert(1)</script>`, `<!--<script>`, `"><img src=x onerror=alert(1)>`, "{{.Policy}}", "\u2028\u202e",
	`{"a":1}`, "a\x00b", `<svg onload=alert(1)>`, "javascript:alert(1)", "${x}", "]]>",
}

// TestWrite_hostile checks that names change nothing but the model, and the title.
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
		m.Title, m.File, m.Notes, m.Open = text, text, []string{text}, []whatif.Gap{{Name: text, Text: text}}
		tiers, _ := m.Tiers["tiers"].([]any)
		tier, _ := tiers[0].(map[string]any)
		tier["name"] = text
		out := written(t, fake(t), m)
		for _, name := range names(out) {
			if !want[name] {
				t.Errorf("%q: got %s", text, name)
			}
		}
		if got := modelIn(t, out); got.File != text || !reflect.DeepEqual(got.Tiers, m.Tiers) {
			t.Errorf("%q: got %+v", text, got)
		}
	}
}

// TestWrite_size checks how much the model of 3,200 VMs in 12 tiers adds: the page has 2.5 MB, the module 2.27 of them.
func TestWrite_size(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	m := page.Example()
	empty := len(written(t, fake(t), m))
	vms := map[string]any{}
	for i := range 3200 {
		vms[fmt.Sprintf("app-%04d.%x.example.com", i, random.Uint32())] = map[string]any{
			"memory_gib": float64(int(4) << random.IntN(4)), "disk_gib": float64(random.IntN(500)) + 0.5, "method": "vmotion",
			"host": fmt.Sprintf("esx%02d.example.com", random.IntN(40)),
		}
	}
	m.Tiers["virtual_machines"], m.Tiers["migration"] = vms, map[string]any{"window_hours": 8.0}
	var tiers []any
	for i := range 12 {
		three, _ := m.Tiers["tiers"].([]any)
		one, _ := three[i%3].(map[string]any)
		tier := maps.Clone(one)
		tier["name"] = fmt.Sprint("tier", i)
		tiers = append(tiers, tier)
	}
	m.Tiers["tiers"] = tiers
	if got := len(written(t, fake(t), m)) - empty; got > 150_000 {
		t.Errorf("got %d bytes for 3,200 VMs, want at most 150,000", got)
	}
	if empty > 60_000 {
		t.Errorf("got %d bytes without a module, want at most 60,000", empty)
	}
}

// TestFromDocument checks what of a plan is on the page: nothing that is sensitive or follows from it, and links.
func TestFromDocument(t *testing.T) {
	t.Parallel()
	const text = `{"format_version":"1.0","terraform_version":"1.11.4","values":{"root_module":{"resources":[
 {"address":"data.vsla_link_throughput.wan","mode":"data","type":"vsla_link_throughput","name":"wan",
  "provider_name":"registry.terraform.io/vsla/vsla","values":{"bandwidth_mbps":1000,"efficiency_percent":70,
  "rtt_ms":null,"throughput_mbps":700},"sensitive_values":{}},
 {"address":"data.vsla_replication_estimate.tier[\"gold\"]","mode":"data","type":"vsla_replication_estimate",
  "name":"tier","index":"gold","provider_name":"registry.terraform.io/vsla/vsla",
  "values":{"vm_count":40,"vm_size_gib":200,"daily_change_percent":5,"throughput_mbps":700,"rpo_minutes":15,
  "link":"wan","verdict":"meets"},"sensitive_values":{}},
 {"address":"data.vsla_replication_estimate.secret","mode":"data","type":"vsla_replication_estimate","name":"secret",
  "provider_name":"registry.terraform.io/vsla/vsla","values":{"vm_count":4711,"vm_size_gib":200,
  "daily_change_percent":5,"throughput_mbps":700,"rpo_minutes":15},"sensitive_values":{"vm_count":true}}]}}}`
	d, err := document.Read(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	m := page.FromDocument("a.json", d)
	out := written(t, fake(t), m)
	encoded, err := json.Marshal(modelIn(t, out))
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(encoded), "4711") || strings.Contains(string(encoded), "secret") {
		t.Errorf("got a sensitive value in %s", encoded)
	}
	if len(m.Results) != 2 || len(m.Notes) != 1 || !strings.HasPrefix(m.Notes[0], "1 result not on this page: withheld") {
		t.Fatalf("got %d results and notes %q, want 2, and a note", len(m.Results), m.Notes)
	}
	want := map[string]any{
		"type": "vsla_replication_estimate", "name": `tier["gold"]`, "title": "tier gold", "key": "gold",
		"inputs": map[string]any{
			"vm_count": 40.0, "vm_size_gib": 200.0, "daily_change_percent": 5.0, "rpo_minutes": 15.0, "link": "wan",
		},
		"from": map[string]any{"throughput_mbps": 0.0},
	}
	if !reflect.DeepEqual(m.Results[1], want) {
		t.Errorf("got %v, want %v", m.Results[1], want)
	}
}

// TestWrite_damaged checks that a module that is no gzip is an error.
func TestWrite_damaged(t *testing.T) {
	t.Parallel()
	if err := (page.Module{}).Write(io.Discard, page.Example()); err == nil {
		t.Error("got no error")
	}
}
