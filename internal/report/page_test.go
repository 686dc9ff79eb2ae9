package report_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"maps"
	"math"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	nethtml "golang.org/x/net/html"
)

type element struct {
	*nethtml.Node

	attributes map[string]string
}

func elements(root *nethtml.Node) []element {
	var all []element
	for n := range root.Descendants() {
		if n.Type == nethtml.ElementNode {
			e := element{n, make(map[string]string)}
			for _, a := range n.Attr {
				e.attributes[a.Key] = a.Val
			}
			all = append(all, e)
		}
	}
	return all
}

func (e element) has(name string) bool {
	for n := range e.Descendants() {
		if n.Type == nethtml.ElementNode && n.Data == name {
			return true
		}
	}
	return false
}

func (e element) text() string {
	var b strings.Builder
	for n := range e.Descendants() {
		if n.Type == nethtml.TextNode {
			b.WriteString(n.Data)
		}
	}
	return b.String()
}

func checkPage(t *testing.T, page string) {
	t.Helper()
	root, err := nethtml.Parse(strings.NewReader(page))
	require.NoError(t, err)
	all := elements(root)
	ids, count := make(map[string]bool), make(map[string]int)
	for _, e := range all {
		if e.Data != "title" || e.Parent.Data == "head" { // drawings have titles of their own
			count[e.Data]++
		}
		if id, ok := e.attributes["id"]; ok {
			assert.False(t, ids[id], "the id %q is there twice", id)
			ids[id] = true
		}
	}
	level := 0
	for _, e := range all {
		selfContained(t, e)
		checkReferences(t, e, ids)
		readable(t, e)
		if len(e.Data) == 2 && e.Data[0] == 'h' && e.Data[1] >= '1' && e.Data[1] <= '6' {
			next := int(e.Data[1] - '0')
			assert.LessOrEqual(t, next, level+1, "%v, %v", e.Data, e.text())
			level = next
		}
	}
	for _, landmark := range []string{"header", "main", "footer", "h1", "title", "style"} {
		assert.Equal(t, 1, count[landmark])
	}
	assert.Contains(t, page, `<html lang="en">`, "the page has no language")
}

func selfContained(t *testing.T, e element) {
	t.Helper()
	switch e.Data {
	case "script", "iframe", "img", "link", "object", "embed", "base", "form", "audio", "video", "image", "use",
		"foreignobject":
		t.Errorf("there is an element %s", e.Data)
	case "style":
		css := e.text()
		sum := sha256.Sum256([]byte(css))
		assert.True(t, !strings.Contains(css, "url(") && !strings.Contains(css, "@import") &&
			!strings.Contains(css, "ZgotmplZ"), "the style sheet loads something")
		want := "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) +
			"'; base-uri 'none'; form-action 'none'"
		for _, other := range elements(e.Parent) {
			assert.False(t, other.attributes["http-equiv"] == "Content-Security-Policy" && other.attributes["content"] != want,
				"policy %q, want %q", other.attributes["content"], want)
		}
		assert.Contains(t, e.PrevSibling.Parent.FirstChild.NextSibling.NextSibling.NextSibling.Attr[0].Val,
			"Content-Security-Policy", "the policy does not stand before what it governs")
	}
	for name, value := range e.attributes {
		assert.True(t, !strings.HasPrefix(name, "on") && name != "style" && name != "src" && name != "srcset" &&
			!strings.Contains(value, "javascript:"), "%s has %s=%q", e.Data, name, value)
	}
}

func checkReferences(t *testing.T, e element, ids map[string]bool) {
	t.Helper()
	href, ok := e.attributes["href"]
	assert.False(t, ok && (!strings.HasPrefix(href, "#") || !ids[href[1:]]), "a link leads to %q", href)
	for id := range strings.FieldsSeq(e.attributes["aria-labelledby"]) {
		assert.True(t, ids[id], "%s is named by %q, which is not there", e.Data, id)
	}
}

func readable(t *testing.T, e element) {
	t.Helper()
	switch e.Data {
	case "table":
		assert.True(t, e.has("caption") && e.has("th"), "a table without caption or headings: %.80s", e.text())
	case "th":
		assert.NotEqual(t, "", e.attributes["scope"])
	case "svg":
		assert.True(t, e.attributes["role"] == "img" && e.attributes["aria-labelledby"] != "" && e.has("title") &&
			e.has("desc"), "a picture without a name: %.80s", e.text())
	case "figure":
		require.True(t, e.has("figcaption"), "a figure without caption, or with data that is always open: %.80s", e.text())
		assert.Equal(t, e.has("details"), e.has("table"))
	case "b":
		require.NotEqual(t, "", e.attributes["class"])
		assert.NotEqual(t, "", strings.TrimSpace(e.text()))
	}
}

// TestStyle_contrast verifies a contrast ratio of at least 4.5 for text and 3 for marks in each color scheme (WCAG 2
// AA).
func TestStyle_contrast(t *testing.T) {
	t.Parallel()
	css, err := os.ReadFile("style.css")
	require.NoError(t, err)
	schemes := regexp.MustCompile(`:root\{([^}]*)\}`).FindAllStringSubmatch(string(css), -1)
	require.Len(t, schemes, 3)
	for _, scheme := range schemes {
		colours := make(map[string]float64)
		for _, c := range regexp.MustCompile(`--(\w+):#(\w+)`).FindAllStringSubmatch(scheme[1], -1) {
			colours[c[1]] = luminance(t, c[2])
		}
		for _, background := range []string{"bg", "card"} {
			for name, least := range map[string]float64{
				"text": 4.5, "muted": 4.5, "link": 4.5, "good": 4.5, "warn": 4.5, "bad": 4.5, "plain": 3,
			} {
				a, b := colours[name], colours[background]
				assert.GreaterOrEqual(t, (max(a, b)+0.05)/(min(a, b)+0.05), least, "%v, %v, %v", name, background, scheme[1])
			}
		}
	}
}

func luminance(t *testing.T, hex string) float64 {
	t.Helper()
	if len(hex) == 3 {
		hex = string([]byte{hex[0], hex[0], hex[1], hex[1], hex[2], hex[2]})
	}
	sum := 0.0
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		n, err := strconv.ParseUint(hex[2*i:2*i+2], 16, 8)
		require.NoError(t, err)
		c := float64(n) / 255
		if c <= 0.04045 {
			c /= 12.92
		} else {
			c = math.Pow((c+0.055)/1.055, 2.4)
		}
		sum += weight * c
	}
	return sum
}

func replicated(name string, more object) object {
	values := object{
		"name": name, "cluster_id": "domain-c8", "protection_group_id": "pg-" + name, "status": "ACTIVE", "locked": false,
		"tag_rules": []any{object{"tag_ids": []any{"t1"}, "match": "all"}}, "vm_ids": nil, "vm_name_patterns": nil,
		"member_vm_ids": []any{"vm-1", "vm-2"}, "removes": []any{}, "paused": nil, "snapshot_policies": nil,
		"replication": object{
			"cluster_pair_id": "pair-1", "rpo_minutes": 15, "keep_last": 1,
			"long_term": object{"hourly": nil, "daily": object{"hour": 2, "keep_days": 7}},
		},
	}
	maps.Copy(values, more)
	return values
}

func judging(verdicts ...string) object {
	vms := object{}
	for i, verdict := range verdicts {
		vms["vm-"+string(rune('1'+i))] = object{"name": "web", "verdict": verdict, "tier": "gold"}
	}
	return data("vsla_sla_compliance", "now", object{"compliant": false, "virtual_machines": vms, "tiers": object{}})
}

func groupPlan(t *testing.T, known []object, groups ...object) []byte {
	t.Helper()
	var resources, changes []object
	for _, g := range groups {
		values, _ := g["values"].(object)
		name, _ := values["name"].(string)
		one := data("vsla_protection_group", name, values)
		one["mode"], one["address"] = "managed", "vsla_protection_group."+name
		change := object{
			"actions": g["actions"], "before": values, "after": values, "after_unknown": g["unknown"],
			"before_sensitive": g["sensitive"], "after_sensitive": g["sensitive"],
		}
		if actions, _ := g["actions"].([]string); !slices.Contains(actions, "delete") {
			resources = append(resources, one)
		}
		changes = append(changes, object{
			"address": one["address"], "mode": "managed", "type": "vsla_protection_group", "name": name,
			"provider_name": one["provider_name"], "change": change,
		})
	}
	text, err := json.Marshal(object{
		"format_version": "1.2", "terraform_version": "1.11.4", "resource_changes": changes,
		"planned_values": object{"root_module": object{"resources": resources}},
		"prior_state": object{
			"format_version": "1.0", "terraform_version": "1.11.4", "values": object{"root_module": object{"resources": known}},
		},
	})
	require.NoError(t, err)
	return text
}

func TestBuild_protectionGroups(t *testing.T) {
	t.Parallel()
	known := []object{
		judging("compliant", "compliant", "in_violation"),
		data("vsla_cluster_pairs", "here", object{"pairs": object{"pair-1": object{"peer_cluster_name": "dr-cluster"}}}),
		data("vsla_protection_members", "tier", object{
			"cluster_id": "domain-c8", "tag_rules": []any{object{"tag_ids": []any{"t1"}, "match": "all"}}, "vm_ids": nil,
			"vm_name_patterns": nil, "vm_count": 7,
		}),
		data("vsla_protection_groups", "all", object{"cluster_id": "domain-c8", "groups": object{
			"pg-same": object{"name": "same", "status": "ACTIVE", "vm_ids": []any{"vm-1"}},
			"pg-9": object{
				"name": hostile, "status": "PAUSED", "locked": true, "vm_ids": []any{"vm-9"}, "rpo_minutes": 60,
				"cluster_pair_id": "pair-9", "keep_last": 3,
			},
		}}),
	}
	group := func(name, action string, more object, unknown object) object {
		return object{
			"values": replicated(name, more), "actions": []string{action}, "unknown": unknown, "sensitive": object{},
		}
	}
	withheld := group("withheld", "no-op", nil, object{})
	withheld["sensitive"] = object{"name": true}
	r := build(t, groupPlan(t, known,
		group("same", "no-op", nil, object{}),
		group("late", "no-op", object{"member_vm_ids": []any{"vm-1", "vm-3"}}, object{}),
		group("partly", "no-op", object{"member_vm_ids": []any{"vm-1", "vm-8"}}, object{}),
		group("new", "create", object{"member_vm_ids": nil, "status": nil, "protection_group_id": nil},
			object{"member_vm_ids": true, "status": true, "protection_group_id": true}),
		group("shrinks", "update", object{"removes": []any{"vm-4", "vm-5"}, "locked": true}, object{}),
		group("moving", "update", object{"removes": nil, "member_vm_ids": nil, "tag_rules": nil},
			object{"removes": true, "member_vm_ids": true, "tag_rules": true}),
		group("gone", "delete", nil, object{}),
		group("local", "no-op", object{
			"replication": nil, "snapshot_policies": object{"hourly": object{"every_hours": 1, "keep_days": 2}},
		}, object{}),
		withheld,
	))
	section := r.Sections[len(r.Sections)-1]
	require.Equal(t, "groups", section.ID, "got sections %+v, want the groups at the end", r.Sections)
	const usual = "15 min; dr-cluster; last 1, daily for 7 days; no"
	want := []string{
		"gone; delete; domain-c8; 2; " + usual + "; no verdict; its members lose this protection",
		"late; –; domain-c8; 2; " + usual + "; does not hold; 1 of 2 members compliant",
		"local; –; domain-c8; 2; –; –; snapshots hourly for 2 days; no; no verdict; local snapshots only",
		"moving; update; domain-c8; known after apply; removals not known; " + usual +
			"; not known; its members are known after apply",
		"new; create; domain-c8; 7 (preview); " + usual + "; not known; not known before apply",
		"partly; –; domain-c8; 2; " + usual + "; not known; 1 of 2 members compliant, 1 not evaluated",
		"same; –; domain-c8; 2; " + usual + "; holds; 2 of 2 members compliant",
		"shrinks; update; domain-c8; 2; this change removes 2; 15 min; dr-cluster; last 1, daily for 7 days; " +
			"by this plan, permanently; holds; 2 of 2 members compliant",
		"vsla_protection_group.withheld; –; –; –; –; –; –; –; not known; withheld: a value is marked as sensitive",
		hostile + "; –; domain-c8; 1; 60 min; pair-9; last 3; yes, permanently; does not hold; paused: no VM " +
			"is protected",
	}
	assert.Equal(t, want, texts(section.Tables[0]))
	checkPage(t, html(t, r))
}

func TestBuild_groupsAlone(t *testing.T) {
	t.Parallel()
	one := data("vsla_protection_group", "x", replicated(strings.Repeat("x", 64<<10), nil))
	one["mode"], one["address"] = "managed", "vsla_protection_group.x"
	r := build(t, state(t, one))
	require.Equal(t, "No result in the file has a verdict.", r.Headline)
	require.Len(t, r.Sections, 1)
	assert.Equal(t, "no vsla_sla_compliance evaluates its members", r.Sections[0].Tables[0].Rows[0][9].Text)
	checkPage(t, html(t, r))
}
