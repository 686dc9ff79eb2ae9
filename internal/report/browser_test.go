package report_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/browser"
)

// inspect opens a page in Chromium.
func inspect(t *testing.T, page string) {
	t.Helper()
	t.Run("browser", func(t *testing.T) {
		t.Parallel()
		browser.Wanted(t)
		for _, problem := range defects(t, page) {
			t.Error(problem)
		}
	})
}

// defects returns labels that overlap or are too small, widths at which the page is too wide, requests that leave the
// page, messages on the console, and what axe-core finds.
func defects(t *testing.T, page string) []string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "page.html")
	require.NoError(t, os.WriteFile(name, []byte(page), 0o600))
	p := browser.New(t)
	p.Open("file://" + name)
	p.Wait(`document.readyState === "complete" && document.body.children.length > 0`)
	var all []string
	for _, width := range []int{320, 390, 600, 768, 1024, 1280, 1920} {
		p.View(width, "light")
		all = append(all, p.Layout()...)
	}
	for _, request := range p.Requests() {
		if request != "file://"+name {
			all = append(all, "it asked for "+request)
		}
	}
	all = append(all, p.Console()...)
	return append(all, p.Axe()...)
}

// TestInspect_finds checks that the defects of a page that has all of them are found.
func TestInspect_finds(t *testing.T) {
	t.Parallel()
	browser.Wanted(t)
	page := `<!DOCTYPE html><html><body><div style="width:500px">wide</div><img src="/picture">
<script>nothing.there()</script><p style="color:#ddd;background:#fff">pale</p>
<svg viewBox="0 0 100 100" width="100" height="100"><text x="5" y="50">first</text><text x="8" y="52">second</text><text x="90" y="20" font-size="5">leaving</text></svg></body></html>`
	problems := strings.Join(defects(t, page), "\n")
	for _, want := range []string{
		"px too wide", "second overlaps first", "leaving leaves its drawing", "it asked for file:///picture",
		"nothing is not defined", "html-has-lang", "color-contrast",
	} {
		assert.Contains(t, problems, want)
	}
}
