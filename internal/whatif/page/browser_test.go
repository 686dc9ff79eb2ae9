package page_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"terraform-provider-vsla/internal/dev/browser"
	"terraform-provider-vsla/internal/dev/plantest"
	"terraform-provider-vsla/internal/plan/registry"
	"terraform-provider-vsla/internal/whatif"
	"terraform-provider-vsla/internal/whatif/page"
)

// ready is true when the page has computed all that it has to.
const ready = `document.documentElement.dataset.ready && !refresh.busy && !page.running && page.view.jobs.length === 0`

// opened writes a page with the module and opens it from its file.
func opened(t *testing.T, model *whatif.Model) (*browser.Page, string) {
	t.Helper()
	module, err := page.Embedded()
	if err != nil {
		t.Skip("the test is built without the tag whatif; make test-page builds the page's module, and sets it")
	}
	name := filepath.Join(t.TempDir(), "what-if.html")
	file, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := module.Write(file, model); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	p := browser.New(t)
	p.View(1280, "light")
	p.Open("file://" + name)
	p.Wait(ready)
	return p, "file://" + name
}

// silent checks that the page asked for nothing but itself and its workers, and that its console is empty.
func silent(t *testing.T, p *browser.Page, address string) {
	t.Helper()
	for _, r := range p.Requests() {
		if r, _, _ := strings.Cut(r, "#"); r != address && !strings.HasPrefix(r, "blob:null/") {
			t.Errorf("got a request for %s", r)
		}
	}
	for _, message := range p.Console() {
		t.Errorf("got %s on the console", message)
	}
}

// TestBrowser_equal checks that the page computes 1,000 generated inputs of each calculator as the program does, byte
// for byte.
func TestBrowser_equal(t *testing.T) { //nolint:paralleltest // one browser at a time
	const batch, batches = 50, 20
	p, address := opened(t, page.Example())
	for _, c := range registry.Calculators() {
		for n := range batches {
			requests, want := make([]string, 0, batch), make([]string, 0, batch)
			for i := range batch {
				var e whatif.Engine
				inputs := rapid.Custom(func(t *rapid.T) map[string]any { return plantest.Input(t, c) }).Example(n*batch + i)
				text, err := json.Marshal(map[string]any{"do": "compute", "calculator": c.Command, "inputs": inputs})
				if err != nil {
					t.Fatal(err)
				}
				requests, want = append(requests, string(text)), append(want, e.Call(string(text)))
			}
			text, err := json.Marshal(requests)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			p.Eval(fmt.Sprintf(`Promise.all(%s.map(text => page.quick.raw(text)))`, text), &got)
			for i := range got {
				if got[i] != want[i] {
					t.Fatalf("%s: got %s, want %s", requests[i], got[i], want[i])
				}
			}
		}
	}
	silent(t, p, address)
}

// TestBrowser_hostile checks that the names of tiers are text.
func TestBrowser_hostile(t *testing.T) { //nolint:paralleltest // one browser at a time
	m := page.Example()
	tiers, _ := m.Tiers["tiers"].([]any)
	for i, text := range []string{hostile[0], hostile[2], hostile[7]} {
		tier, _ := tiers[i].(map[string]any)
		tier["name"] = text
	}
	m.Open = []whatif.Gap{{Name: hostile[2], Text: hostile[0]}}
	p, address := opened(t, m)
	var elements int
	p.Eval(`document.querySelectorAll("img, iframe, main script, svg[onload]").length`, &elements)
	if elements != 0 {
		t.Errorf("got %d elements of names", elements)
	}
	var titles []string
	p.Eval(`[...document.querySelectorAll("#table tbody th")].map(th => th.textContent)`, &titles)
	if titles[0] != hostile[0] || titles[1] != hostile[2] {
		t.Errorf("got %q", titles)
	}
	silent(t, p, address)
}

// TestBrowser_meeting changes the page by keyboard, and opens its link in a new window.
func TestBrowser_meeting(t *testing.T) { //nolint:paralleltest // one browser at a time
	p, address := opened(t, page.Example())
	text := func(expression string) (text string) {
		t.Helper()
		p.Eval(expression, &text)
		return text
	}
	before := text(`byId("headline").textContent`)
	// By Tab to the RPO of gold.
	for range 200 {
		if strings.HasPrefix(text(`document.activeElement.getAttribute("aria-label") || ""`), "gold: RPO") {
			break
		}
		p.Key("Tab")
	}
	p.Eval(`document.activeElement.select()`, nil)
	p.Type("45")
	p.Wait(`page.view.changed.length === 1`)
	p.Wait(ready)
	if got := text(`byId("changed").textContent`); !strings.Contains(got, "gold, RPO: 15 min -> 45 min") {
		t.Errorf("got %q", got)
	}
	// The slider follows the field, and moves by keyboard.
	p.Key("Tab")
	for range 3 {
		if text(`document.activeElement.type`) == "range" {
			break
		}
		p.Key("Tab")
	}
	p.Key("ArrowRight")
	p.Wait(`page.changes["tier/gold/rpo_minutes"] > 45`)
	p.Wait(ready)
	p.Wait(`byId("status").textContent.startsWith(byId("headline").textContent)`)
	if n := text(`String(document.querySelectorAll("[role=status]").length)`); n != "1" {
		t.Errorf("got %s elements with role=status, want 1", n)
	}
	shown := `JSON.stringify([byId("headline").textContent, byId("moved").textContent, byId("changed").textContent, ` +
		`byId("list").textContent, [...document.querySelectorAll("#table input:not([type=range])")].map(i => i.value)])`
	want, link := text(shown), text(`location.href`)
	p.Open("about:blank")
	p.Open(link)
	p.Wait(ready + ` && page.view.changed.length === 1`)
	if got := text(shown); got != want {
		t.Errorf("got %s in a new window, want %s", got, want)
	}
	// Back to the source.
	p.Eval(`byId("reset").click()`, nil)
	p.Wait(`page.view.changed.length === 0`)
	p.Wait(ready)
	if got := text(`byId("headline").textContent`); got != before {
		t.Errorf("got %q, want %q", got, before)
	}
	// A link of another version is refused with a sentence.
	p.Eval(`location.hash = "#9.0.x"`, nil)
	p.Wait(`byId("status").textContent.includes("version 9")`)
	silent(t, p, address)
}

// TestBrowser_width checks that nothing is too wide, on paper too, and that every chart's labels are inside of it.
func TestBrowser_width(t *testing.T) { //nolint:paralleltest // one browser at a time
	p, address := opened(t, page.Example())
	var problems []string
	for _, width := range []int{320, 390, 768, 1280, 1920} {
		p.View(width, "light")
		problems = append(problems, p.Layout()...)
	}
	p.Print()
	for _, problem := range append(problems, p.Layout()...) {
		t.Error(problem)
	}
	silent(t, p, address)
}

// TestBrowser_axe checks the page with axe-core in both schemes at two widths.
func TestBrowser_axe(t *testing.T) { //nolint:paralleltest // one browser at a time
	browser.Wanted(t)
	p, _ := opened(t, page.Example())
	// A page with a changed value and a wrong one has all kinds of messages.
	p.Eval(`change("tier/gold/rpo_minutes", 5); change("tier/silver/rpo_minutes", 0); byId("hcl").click(); true`, nil)
	p.Wait(ready + ` && !byId("out").hidden`)
	for _, problem := range p.Axe() {
		t.Error(problem)
	}
}

// TestBrowser_long checks that no task on the main thread is longer than 50 ms while every input of a tier changes. It
// measures times, so that it runs with the page's other tests at night only.
func TestBrowser_long(t *testing.T) { //nolint:paralleltest // one browser at a time
	p, _ := opened(t, page.Example())
	var result struct {
		Ready float64
		Keys  []float64
		Long  []float64
	}
	p.Eval(`(async () => {
  const long = [], original = show, keys = [];
  new PerformanceObserver(list => list.getEntries().forEach(e => long.push(e.duration))).observe({type: "longtask"});
  const measure = (id, value) => new Promise(done => {
    const begun = performance.now();
    show = view => { original(view); keys.push(performance.now() - begun); show = original; done(); };
    change(id, value);
  });
  for (let i = 1; i <= 20; i++) await measure("tier/gold/rpo_minutes", 15 + i);
  for (let i = 1; i <= 20; i++) await measure("link/bandwidth_mbps", 1000 + i);
  await new Promise(done => setTimeout(done, 100));
  return {Ready: Number(document.documentElement.dataset.ready), Keys: keys.sort((a, b) => a - b), Long: long};
})()`, &result)
	t.Logf("usable after %.0f ms; keystroke to verdict %.0f ms in the middle and %.0f ms at most; long tasks %v",
		result.Ready, result.Keys[len(result.Keys)/2], result.Keys[len(result.Keys)-1], result.Long)
	if result.Keys[len(result.Keys)/2] > 50 {
		t.Errorf("got %.0f ms from a keystroke to its verdict, want at most 50", result.Keys[len(result.Keys)/2])
	}
}
