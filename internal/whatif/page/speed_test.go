package page_test

import (
	"encoding/json"
	"os"
	"testing"

	"terraform-provider-vsla/internal/dev/browser"
)

func TestSpeed(t *testing.T) {
	name := os.Getenv("VSLA_TEST_PAGE")
	if name == "" {
		t.Skip("VSLA_TEST_PAGE")
	}
	p := browser.New(t)
	p.View(1280, "light")
	p.Open("file://" + name)
	p.Wait(ready)
	var out json.RawMessage
	p.Eval(`(async () => {
  const long = [];
  new PerformanceObserver(l => l.getEntries().forEach(e => long.push(Math.round(e.startTime) + "+" + Math.round(e.duration)))).observe({type: "longtask", buffered: true});
  await new Promise(d => setTimeout(d, 300));
  const original = show, times = [];
  const measure = (id, value) => new Promise(done => {
    const begun = performance.now();
    show = view => { original(view); times.push(performance.now() - begun); show = original; done(); };
    change(id, value);
  });
  const row = page.layout.rows[0].cells;
  for (let i = 1; i <= 20; i++) await measure(row.rpo_minutes, 15 + i);
  for (let i = 1; i <= 20; i++) await measure("link/bandwidth_mbps", 30000 + i);
  const begun = performance.now();
  await new Promise(done => { const look = () => !page.running && page.view.jobs.length === 0 ? done() : setTimeout(look, 10); look(); });
  const jobs = performance.now() - begun;
  return {at: document.documentElement.dataset.ready, times: times.map(Math.round), jobs, long};
})()`, &out)
	t.Log(string(out))
}
