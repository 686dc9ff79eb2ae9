package browser

import (
	"fmt"
	"os"
	"testing"
)

// axeFile is the environment variable that contains the path of axe-core. `make test-page` downloads axe-core from the
// npm registry and sets the variable.
const axeFile = "VSLA_AXE"

// RequireAxe skips the test unless axe-core is configured.
func RequireAxe(t *testing.T) {
	t.Helper()
	if os.Getenv(axeFile) == "" {
		t.Skip(axeFile + " does not name axe-core's axe.min.js; make test-page does")
	}
}

// Axe returns the axe-core findings for WCAG 2.2 AA and best practices. It checks two window widths in both colour
// schemes.
func (p *Page) Axe() []string {
	p.t.Helper()
	script, err := os.ReadFile(os.Getenv(axeFile)) //nolint:gosec // set by make test-page
	if err != nil {
		p.t.Fatal(err)
	}
	p.Eval(string(script)+"; true", nil)
	var all []string
	for _, width := range []int{390, 1280} {
		for _, scheme := range []string{"light", "dark"} {
			p.View(width, scheme)
			var problems []string
			p.Eval(`(async () => {
  document.querySelectorAll("details").forEach(d => d.open = true);
  await new Promise(done => setTimeout(done, 200));
  const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22a", "wcag22aa", "best-practice"];
  const found = await axe.run(document, {
    runOnly: {type: "tag", values: tags}, rules: {"target-size": {enabled: true}}, resultTypes: ["violations"],
  });
  if (found.passes.length === 0) return ["nothing was checked"];
  const where = v => v.nodes.slice(0, 3).map(n => n.html.slice(0, 160)).join(" | ");
  return found.violations.map(v => v.id + ": " + v.help + " " + where(v));
})()`, &problems)
			for _, problem := range problems {
				all = append(all, fmt.Sprintf("%d px, %s: %s", width, scheme, problem))
			}
		}
	}
	return all
}
