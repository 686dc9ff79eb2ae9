package report_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"terraform-provider-vsla/internal/dev/browser"
)

func inspect(t *testing.T, page string) {
	t.Helper()
	t.Run("browser", func(t *testing.T) {
		t.Parallel()
		browser.RequireAxe(t)
		for _, problem := range findDefects(t, page) {
			t.Error(problem)
		}
	})
}

func TestInspect_finds(t *testing.T) {
	t.Parallel()
	browser.RequireAxe(t)
	page := `<!DOCTYPE html><html><body><div style="width:500px">wide</div><img src="/picture">
<script>nothing.there()</script><p style="color:#ddd;background:#fff">pale</p>
<svg viewBox="0 0 100 100" width="100" height="100">
<text x="5" y="50">first</text><text x="8" y="52">second</text>
<text x="90" y="20" font-size="5">leaving</text></svg></body></html>`
	problems := strings.Join(findDefects(t, page), "\n")
	for _, want := range []string{
		"px too wide", "second overlaps first", "leaving leaves its drawing", "it asked for file:///picture",
		"nothing is not defined", "html-has-lang", "color-contrast",
	} {
		assert.Contains(t, problems, want)
	}
}
