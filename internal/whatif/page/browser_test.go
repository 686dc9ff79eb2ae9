package page_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/browser"
	"terraform-provider-vsla/internal/plan/promise"
	"terraform-provider-vsla/internal/whatif"
	"terraform-provider-vsla/internal/whatif/page"
)

const ready = `document.documentElement.dataset.ready && !refresh.busy && !page.running && ` +
	`!document.body.classList.contains("computing") && page.view.complete && byId("progress").hidden`

func opened(t *testing.T, model *whatif.Model) (*browser.Page, string) {
	t.Helper()
	module, err := page.Embedded()
	if err != nil {
		t.Skip("the test is built without the tag whatif; make test-page builds the page's module, and sets it")
	}
	source, err := whatif.Open(model)
	require.NoError(t, err)
	plan, err := promise.Definition.Decode(model.Plan)
	require.NoError(t, err)
	result, err := promise.Compute(t.Context(), plan)
	require.NoError(t, err)
	view, err := source.View(t.Context(), result)
	require.NoError(t, err)
	name := filepath.Join(t.TempDir(), "what-if.html")
	file, err := os.Create(name)
	require.NoError(t, err)
	require.NoError(t, module.Write(file, model, view))
	require.NoError(t, file.Close())
	p := browser.New(t)
	p.View(1280, "light")
	p.Open("file://" + name)
	p.Wait(ready)
	return p, "file://" + name
}

func silent(t *testing.T, p *browser.Page, address string) {
	t.Helper()
	for _, r := range p.Requests() {
		r, _, _ := strings.Cut(r, "#")
		if r != address {
			assert.True(t, strings.HasPrefix(r, "blob:null/"), "got a request for %s", r)
		}
	}
	for _, message := range p.Console() {
		t.Errorf("got %s on the console", message)
	}
}

type meeting struct {
	*browser.Page

	t *testing.T
}

func (m meeting) text(expression string) string {
	m.t.Helper()
	var text string
	m.Eval(expression, &text)
	return text
}

func (m meeting) figure(id string) (now, was string) {
	m.t.Helper()
	element := `document.querySelector("[data-id=` + id + `] `
	return m.text(element + `strong").textContent`), m.text(element + `.was").textContent`)
}

func (m meeting) asked(question, script string) {
	m.t.Helper()
	began := time.Now() //nolint:forbidigo // for the log only
	m.Eval(script+"; true", nil)
	m.Wait(`!page.asking`)
	m.Wait(ready)
	m.t.Logf("%s: %.1f s", question, time.Since(began).Seconds()) //nolint:forbidigo // for the log only
}

func set(label, value string) string {
	return fmt.Sprintf(`(() => {
  const field = [...document.querySelectorAll("input, select")].find(i => i.getAttribute("aria-label") === %q);
  field.focus();
  field.value = %q;
  for (const kind of ["input", "change"]) field.dispatchEvent(new Event(kind, {bubbles: true}));
  field.blur();
})()`, label, value)
}

func pressed(text string) string {
	return fmt.Sprintf(`(async () => {
    page.asking = true;
    const undone = page.undo.length;
    [...document.querySelectorAll("button")].find(b => b.textContent === %q).click();
    while (page.undo.length === undone) await new Promise(done => setTimeout(done, 5));
    page.asking = false;
  })()`, text)
}

func TestBrowser_meeting(t *testing.T) { //nolint:paralleltest // one browser at a time
	p, address := opened(t, page.Example())
	m := meeting{p, t}
	headline := m.text(`byId("headline").textContent`)
	require.Equal(t, "All 3 promises hold, if configured as suggested.", headline)
	top := `document.querySelector("%s").getBoundingClientRect().top`
	above := fmt.Sprintf("String("+top+" < "+top+")", "#summary", "#results")
	assert.Equal(t, "true", m.text(above))
	windows := `[...document.querySelectorAll("#list article")].find(
  a => a.querySelector("h3").textContent.startsWith("Moves")).textContent`
	{
		m.asked("The link halves", pressed("Halve the link"))
		moved := 0
		for _, id := range []string{"share", "need", "busiest", "protected", "until"} {
			if now, was := m.figure(id); was != "" {
				moved++
				require.Contains(t, was, "in the source", id)
				assert.NotContains(t, was, " "+now+" ", id)
			}
		}
		got := m.text(`byId("headline").textContent`)
		assert.GreaterOrEqual(t, moved, 3)
		assert.True(t, strings.HasPrefix(got, "1 of 3 promises holds."), "got %q", got) // only the longest RPO
		assert.Contains(t, m.text(`byId("list").textContent`), "Provide ")
	}
	{
		assert.Contains(t, m.text(windows), "Windows")
	}
	{
		now, was := m.figure("protected")
		require.True(t, strings.HasPrefix(now, "after about "), "got %q, %q, want days, later than before", now, was)
		assert.Contains(t, was, "worse")
	}
	{
		m.asked("Only 100 VMs", `page.asking = true; `+set("Number of VMs in all tiers", "100")+
			`; (async () => {
  while (page.edited.total.vms !== 100) await new Promise(done => setTimeout(done, 5));
  page.asking = false;
})()`)
		assert.Contains(t, m.text(`byId("changed").textContent`), "gold, VM count: 40 → 20")
		assert.Equal(t, headline, m.text(`byId("headline").textContent`))
	}
	m.asked("Back", `byId("reset").click()`)
	{
		m.asked("A link of 300 Mbit/s", set("Link: Throughput in Mbit/s", "300"))
		assert.Contains(t, m.text(`byId("vm-list").querySelector("tbody tr").textContent`), "%")
	}
	m.asked("Back", `byId("reset").click()`)
	{
		m.Eval(`byId("find").value = "db-03"; byId("find").dispatchEvent(new Event("input"))`, nil)
		p.Wait(`document.querySelectorAll("#vm-list tbody tr").length === 10`)
		m.asked("Without six servers", `(async () => { page.asking = true;
  for (let i = 0; i < 6; i++) {
    document.querySelectorAll("#vm-list input:not(:checked)")[0].click();
    while ((page.edited.changes.without || []).length <= i) await new Promise(done => setTimeout(done, 5));
  }
  page.asking = false;
})()`)
		assert.Contains(t, m.text(`byId("changed").textContent`), "Excluded VMs: none → db-0")
		assert.Equal(t, "34", m.text(`String(page.edited.tiers["tier/gold"].vms)`))
	}
	m.asked("Back", `byId("find").value = ""; page.found = null; byId("reset").click()`)
	{
		m.asked("30 % growth a year", set("Growth and simulation: Growth per year in %", "30"))
		now, was := m.figure("until")
		require.Contains(t, now, "months")
		assert.Contains(t, was, "worse")
		m.asked("30 % more data", pressed("30% more data"))
		assert.Contains(t, m.text(`document.querySelector("#table tfoot").textContent`), "TiB")
	}
	m.asked("Back", `byId("reset").click()`)
	{
		m.Eval(`byId("cost-tier").value = "gold"`, nil)
		m.asked("What an RPO of 5, 15, 30 and 60 minutes costs", `byId("cost").requestSubmit()`)
		var rows []string
		m.Eval(`[...document.querySelectorAll("#costs tbody tr")].map(r => r.textContent)`, &rows)
		require.Len(t, rows, 4)
		assert.True(t, strings.HasPrefix(rows[0], "5 min"), "got %q, want the throughput of four RPOs", rows)
		assert.Contains(t, rows[0], "bit/s")
	}
	{
		m.asked("RPO of all tiers",
			`byId("set-name").value = "rpo_minutes"; byId("set-value").value = 240; byId("set-all").requestSubmit()`)
		m.Eval(`document.querySelector("[data-keep=A]").click()`, nil)
		m.asked("Undo", `byId("undo").click()`)
		p.Wait(`page.edited.changed.length === 0`)
		m.asked("Redo", `byId("redo").click()`)
		m.Eval(`byId("minutes").click()`, nil)
		got := m.text(`byId("text").value`)
		for _, want := range []string{"# What if: example, ", "|  | Source | A | Now |", "gold, RPO: 15 min → 4 h"} {
			assert.Contains(t, got, want)
		}
	}
	shown := `JSON.stringify([byId("headline").textContent, byId("changed").textContent, byId("list").textContent])`
	want, link := m.text(shown), m.text(`location.href`)
	p.Open("about:blank")
	p.Open(link)
	p.Wait(ready + ` && page.edited.changed.length > 0`)
	assert.Equal(t, want, m.text(shown))
	p.Eval(`location.hash = "#9.0.x"`, nil)
	p.Wait(`byId("status").textContent.includes("version 9")`)
	silent(t, p, address)
}

func TestBrowser_equal(t *testing.T) { //nolint:paralleltest // one browser at a time
	model := page.Example()
	p, address := opened(t, model)
	native, err := whatif.Open(model)
	require.NoError(t, err)
	for _, changes := range []whatif.Changes{
		nil,
		{"link/metro/throughput_mbps": 400.0},
		{"tier/gold/rpo_minutes": 5.0, "without": []any{"db-040"}},
		{"tier/silver/vm_count": 300.0, "link/metro/throughput_basis": "nominal"},
		{"link/metro/throughput_mbps": 30.0},
	} {
		view, err := native.Compute(t.Context(), changes, whatif.Callbacks{})
		require.NoError(t, err)
		want, err := json.Marshal(view)
		require.NoError(t, err)
		request, err := json.Marshal(changes)
		require.NoError(t, err)
		var got string
		const ask = `page.quick.ask({do: "compute", changes: %s}).then(view => JSON.stringify(view))`
		p.Eval(fmt.Sprintf(ask, request), &got)
		var plain any
		require.NoError(t, json.Unmarshal(want, &plain))
		var other any
		require.NoError(t, json.Unmarshal([]byte(got), &other))
		assert.Equal(t, fmt.Sprint(plain), fmt.Sprint(other), "%v: got %.2000s, want %.2000s", changes, got, want)
	}
	silent(t, p, address)
}

func TestBrowser_hostile(t *testing.T) { //nolint:paralleltest // one browser at a time
	m := page.Example()
	tiers, _ := m.Plan["tiers"].(map[string]any)
	for _, text := range []string{hostile[0], hostile[2], hostile[7]} {
		tiers[text] = map[string]any{
			"vm_count":             1.0,
			"vm_size_gib":          1.0,
			"daily_change_percent": 1.0,
			"rpo_minutes":          60.0,
		}
	}
	m.Open, m.Moves = []whatif.Gap{{Name: hostile[2], Text: hostile[0]}}, nil
	p, address := opened(t, m)
	var elements int
	p.Eval(`document.querySelectorAll("img, iframe, main script, svg[onload]").length`, &elements)
	var titles []string
	p.Eval(`[...document.querySelectorAll("#table tbody th")].map(th => th.textContent)`, &titles)
	require.Equal(t, 0, elements)
	assert.Len(t, titles, 6)
	silent(t, p, address)
}

func TestBrowser_pending(t *testing.T) { //nolint:paralleltest // one browser at a time
	p, address := opened(t, page.Example())
	m := meeting{p, t}
	p.Eval(`change("link/metro/throughput_mbps", 100); true`, nil)
	p.Wait(`document.body.classList.contains("computing")`)
	got := m.text(`byId("headline").textContent`)
	assert.True(t, strings.HasPrefix(got, "Computing"), "got the headline %q of other inputs", got)
	shown := m.text(`[...document.querySelectorAll("#table .verdict, #list h3")].map(e => e.textContent).join()`)
	assert.NotContains(t, shown, "hold")
	now, _ := m.figure("share")
	assert.True(t, strings.HasSuffix(now, "%"), "got %q, want the former figure", now)
	p.Wait(ready)
	p.Eval(set("gold: RPO in min", "0"), nil)
	p.Wait(`byId("headline").textContent.startsWith("Not computed: RPO must be")`)
	p.Wait(`document.querySelector(".wrong:not([hidden])").textContent.startsWith("must be")`)
	silent(t, p, address)
}

func TestBrowser_width(t *testing.T) { //nolint:paralleltest // one browser at a time
	m := page.Example()
	tiers, _ := m.Plan["tiers"].(map[string]any)
	gold, _ := tiers["gold"].(map[string]any)
	vms, _ := gold["virtual_machines"].(map[string]any)
	vms[strings.Repeat("long-name-", 8)] = map[string]any{"size_gib": 5000.0}
	p, address := opened(t, m)
	var problems []string
	for _, width := range []int{320, 390, 720, 768, 1024, 1280, 1920} {
		p.View(width, "light")
		problems = append(problems, p.Layout()...)
		var display string
		p.Eval(`getComputedStyle(document.querySelector("#table table")).display`, &display)
		assert.Equal(t, width >= 720, display == "table", display)
		var fits bool
		p.Eval(`byId("vm-list").scrollWidth <= byId("vm-list").clientWidth`, &fits)
		assert.True(t, fits, "at %d", width)
	}
	p.Print()
	for _, problem := range append(problems, p.Layout()...) {
		t.Error(problem)
	}
	var remedies []string
	p.Eval(`[...document.querySelectorAll(".remedies")].map(r => getComputedStyle(r).display)`, &remedies)
	require.NotEmpty(t, remedies)
	assert.NotContains(t, remedies, "none", "remedies are printed")
	silent(t, p, address)
}

// TestBrowser_inputs presses the steps of the need. The field of the peak is in a closed section.
func TestBrowser_inputs(t *testing.T) { //nolint:paralleltest // one browser at a time
	p, _ := opened(t, page.Example())
	for text, label := range map[string]string{
		"Busiest time: gold, Peak factor":                "gold: Peak factor",
		"Worse end of the link: metro, Throughput basis": "Link: Throughput basis",
		"Needed: metro, Throughput":                      "Link: Throughput in Mbit/s",
	} {
		const press = `[...document.querySelectorAll("#charts button")].find(b => b.textContent === %q).click()`
		p.Eval(fmt.Sprintf(press, text), nil)
		p.Wait(fmt.Sprintf(`document.activeElement.getAttribute("aria-label") === %q`, label))
	}
}

// TestBrowser_scrolled checks that nothing lies over the cards below the inputs.
func TestBrowser_scrolled(t *testing.T) { //nolint:paralleltest // one browser at a time
	p, _ := opened(t, page.Example())
	p.View(1280, "light")
	var covered []string
	p.Eval(`(() => {
		byId("results").scrollIntoView();
		return [...document.querySelectorAll("#list p")].filter(e => {
			const box = e.getBoundingClientRect(), at = document.elementFromPoint(box.left + 5, box.top + 5);
			return at && !byId("results").contains(at);
		}).map(e => e.textContent);
	})()`, &covered)
	assert.Empty(t, covered)
}

func TestBrowser_axe(t *testing.T) { //nolint:paralleltest // one browser at a time
	browser.RequireAxe(t)
	p, _ := opened(t, page.Example())
	// A page with a changed value shows all kinds of messages.
	p.Eval(`change("link/metro/throughput_mbps", 400); byId("hcl").click(); true`, nil)
	p.Wait(ready + ` && !byId("out").hidden`)
	for _, problem := range p.Axe() {
		t.Error(problem)
	}
}

// TestBrowser_many checks that a page with 20,000 VMs shows its inputs and its first answer within 5 seconds.
func TestBrowser_many(t *testing.T) { //nolint:paralleltest // one browser at a time
	m := page.Example()
	m.Moves = nil
	vms := make(map[string]any, 20000)
	for i := range 20000 {
		vms[fmt.Sprintf("vm-%05d", i)] = map[string]any{"size_gib": float64(10 + i%200)}
	}
	m.Plan["tiers"] = map[string]any{"bronze": map[string]any{
		"virtual_machines":     vms,
		"daily_change_percent": 1.0,
		"rpo_minutes":          1440.0,
	}}
	delete(m.Plan, "growth_percent_per_year")
	p, _ := opened(t, m)
	var shown float64
	p.Eval(`Number(document.documentElement.dataset.shown)`, &shown)
	t.Logf("inputs of 20,000 VMs are shown after %.0f ms", shown)
	assert.LessOrEqual(t, shown, 5000.0)
}

func TestBrowser_line(t *testing.T) { //nolint:paralleltest // one browser at a time
	p, address := opened(t, page.Example())
	m := meeting{p, t}
	const drawn = ` && !page.drawing && document.querySelectorAll(".curve polyline").length === 2`
	p.Wait(ready + drawn)
	var inFile bool
	p.Eval(`page.lines.every(l => l.answers.get("{}").points === page.first.curves[l.cell.id])`, &inFile)
	assert.True(t, inFile, "the curves of the source are not computed again")
	label := m.text(`document.querySelector("#links .curve svg").getAttribute("aria-label")`)
	assert.Regexp(t, `Share of time .* Mbit/s: .*% \(gold\) to .* Mbit/s: (99|100).*% \(.*\)`, label)
	// The scale spans two decades, from 100 to 10,000 Mbit/s, so a quarter of it corresponds to 100 * 10^0.5 Mbit/s.
	var at struct{ X, Y float64 }
	p.Eval(`(() => {
  const plot = document.querySelector("#links .curve svg");
  plot.scrollIntoView({block: "center"});
  const {left, top, width} = plot.getBoundingClientRect();
  return {X: left + width / 4, Y: top + 5};
})()`, &at)
	for _, kind := range []string{"mousePressed", "mouseReleased"} {
		p.Call("Input.dispatchMouseEvent", map[string]any{
			"type":       kind,
			"x":          at.X,
			"y":          at.Y,
			"button":     "left",
			"clickCount": 1,
		})
	}
	p.Wait(`page.edited.changed.length === 1`)
	assert.Equal(t, "320", m.text(`String(page.changes["link/metro/throughput_mbps"])`))
	p.Wait(ready + drawn)
	fits := m.text(`byId("vm-list").querySelector("tbody tr").lastChild.textContent`)
	assert.Regexp(t, "RPO|none", fits)
	p.Eval(`document.querySelector("#links .line input").focus(); true`, nil)
	p.Key("ArrowRight")
	p.Wait(ready + ` && page.changes["link/metro/throughput_mbps"] > 320`)
	silent(t, p, address)
}
