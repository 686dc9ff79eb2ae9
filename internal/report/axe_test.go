package report_test

import (
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
)

// axeVariable names axe-core's file, which `make test-page` takes from the npm registry.
const axeVariable = "VSLA_AXE"

// axeHarness runs axe in frames of two widths, light and dark.
const axeHarness = `<!DOCTYPE html><html><head><meta charset="utf-8"><link rel="icon" href="data:,"></head><body>
<script>
const views = [[390, "light"], [390, "dark"], [1280, "light"], [1280, "dark"]], result = [];
const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22a", "wcag22aa", "best-practice"];
async function check(frame, width, scheme) {
  const page = frame.contentDocument;
  page.querySelectorAll("details").forEach(d => d.open = true);
  const found = await frame.contentWindow.axe.run(page, {
    runOnly: {type: "tag", values: tags}, rules: {"target-size": {enabled: true}}, resultTypes: ["violations"],
  });
  const problems = found.violations.map(v => scheme + " " + v.id + ": " + v.help + " " +
    v.nodes.slice(0, 3).map(n => n.html.slice(0, 160)).join(" | "));
  result.push({width, drawings: found.passes.length, problems, loaded: []});
}
(async () => {
  for (const [width, scheme] of views) {
    const frame = document.createElement("iframe");
    frame.width = width; frame.height = 900; frame.src = "/" + scheme;
    await new Promise(resolve => { frame.onload = resolve; document.body.append(frame); });
    await check(frame, width, scheme);
    frame.remove();
  }
  const out = document.createElement("pre");
  out.id = "result";
  out.textContent = btoa(unescape(encodeURIComponent(JSON.stringify(result))));
  document.body.append(out);
})();
</script></body></html>`

// axe returns what axe-core finds on the page, by WCAG 2.2 AA and its own best practices.
func axe(t *testing.T, page string) []string {
	t.Helper()
	name := os.Getenv(axeVariable)
	if name == "" {
		t.Skip(axeVariable + " does not name axe-core's axe.min.js, so the page is not checked with axe; make test-page does")
	}
	script, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	// The page's own policy forbids scripts, also that of the check.
	policy := `<meta http-equiv="Content-Security-Policy"`
	light := strings.Replace(page, policy, `<script src="/axe.js"></script><meta name="policy"`, 1)
	dark := strings.Replace(light, "prefers-color-scheme:dark", "min-width:1px", 1)
	if light == page || dark == light {
		t.Fatal("the page has no policy or no dark scheme")
	}
	results, problems := inBrowser(t, map[string]string{"/light": light, "/dark": dark, "/": axeHarness},
		func(w http.ResponseWriter, r *http.Request) bool {
			if r.URL.Path != "/axe.js" {
				return false
			}
			w.Header().Set("Content-Type", "text/javascript")
			_, _ = w.Write(script)
			return true
		})
	if len(results) != 4 {
		problems = append(problems, fmt.Sprintf("%d views were checked", len(results)))
	}
	for _, r := range results {
		if r.Drawings == 0 {
			problems = append(problems, fmt.Sprintf("at %d px nothing was checked", r.Width))
		}
		problems = append(problems, r.Problems...)
	}
	return problems
}

// TestAxe_finds: a page with a fault is found to have it.
func TestAxe_finds(t *testing.T) {
	t.Parallel()
	page := html(t, build(t, state(t, data("vsla_replication_estimate", "x", estimated(t, 440)))))
	bad := strings.Replace(page, "<html lang=\"en\">", "<html>", 1)
	bad = strings.Replace(bad, "--muted:#59636e", "--muted:#dddddd", 1)
	found := strings.Join(axe(t, bad), "\n")
	for _, want := range []string{"html-has-lang", "color-contrast"} {
		if !strings.Contains(found, want) {
			t.Errorf("%s is not found in\n%s", want, found)
		}
	}
}
