package report_test

import (
	"crypto/sha256"
	"encoding/base64"
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
		checkSelfContained(t, e)
		checkReferences(t, e, ids)
		checkReadable(t, e)
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

func checkSelfContained(t *testing.T, e element) {
	t.Helper()
	switch e.Data {
	case "script", "iframe", "img", "link", "object", "embed", "base", "form", "audio", "video", "image", "use",
		"foreignobject":
		t.Errorf("there is an element %s", e.Data)
	case "style":
		css := e.text()
		sum := sha256.Sum256([]byte(css))
		assert.NotContains(t, css, "url(", "the style sheet loads a file")
		assert.NotContains(t, css, "@import", "the style sheet imports another one")
		assert.NotContains(t, css, "ZgotmplZ", "the template replaced a value in the style sheet")
		want := "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) +
			"'; base-uri 'none'; form-action 'none'"
		head := elements(e.Parent)
		style := slices.IndexFunc(head, func(other element) bool { return other.Node == e.Node })
		policies := 0
		for position, other := range head {
			if other.attributes["http-equiv"] == "Content-Security-Policy" {
				policies++
				assert.Equal(t, want, other.attributes["content"])
				assert.Less(t, position, style, "the style sheet stands before the policy")
			}
		}
		assert.Equal(t, 1, policies, "the number of policies")
	}
	for name, value := range e.attributes {
		assert.False(t, strings.HasPrefix(name, "on"), "%s has %s=%q", e.Data, name, value)
		assert.NotEqual(t, "style", name)
		assert.NotEqual(t, "src", name)
		assert.NotEqual(t, "srcset", name)
		assert.NotContains(t, value, "javascript:")
	}
}

func checkReferences(t *testing.T, e element, ids map[string]bool) {
	t.Helper()
	href, ok := e.attributes["href"]
	if ok {
		assert.True(t, strings.HasPrefix(href, "#"), "a link leads to %q", href)
		assert.True(t, ids[href[1:]], "a link leads to %q", href)
	}
	for id := range strings.FieldsSeq(e.attributes["aria-labelledby"]) {
		assert.True(t, ids[id], "%s is named by %q, which is not there", e.Data, id)
	}
}

func checkReadable(t *testing.T, e element) {
	t.Helper()
	switch e.Data {
	case "table":
		assert.True(t, e.has("caption"), "a table without a caption: %.80s", e.text())
		assert.True(t, e.has("th"), "a table without headings: %.80s", e.text())
	case "th":
		assert.NotEmpty(t, e.attributes["scope"])
	case "svg":
		assert.Equal(t, "img", e.attributes["role"], "a picture without the role of an image")
		assert.NotEmpty(t, e.attributes["aria-labelledby"], "a picture that nothing names")
		assert.True(t, e.has("title"), "a picture without a title: %.80s", e.text())
		assert.True(t, e.has("desc"), "a picture without a description: %.80s", e.text())
	case "figure":
		require.True(t, e.has("figcaption"), "a figure without a caption: %.80s", e.text())
		assert.Equal(t, e.has("details"), e.has("table"), "a figure with data that cannot be closed: %.80s", e.text())
	case "b":
		require.NotEmpty(t, e.attributes["class"])
		assert.NotEmpty(t, strings.TrimSpace(e.text()))
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
				"text":  4.5,
				"muted": 4.5,
				"link":  4.5,
				"good":  4.5,
				"warn":  4.5,
				"bad":   4.5,
				"plain": 3,
			} {
				a, b := colours[name], colours[background]
				assert.GreaterOrEqual(t, (max(a, b)+0.05)/(min(a, b)+0.05), least, "%v, %v, %v", name, background,
					scheme[1])
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
