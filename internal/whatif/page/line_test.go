package page_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestBrowser_line checks that the curve of a link is drawn and clicked, that its slider takes keys, and that late VMs
// have the tier in which they would hold.
func TestBrowser_line(t *testing.T) { //nolint:paralleltest // one browser at a time
	p, address := opened(t, example())
	m := meeting{p, t}
	const drawn = ` && !page.drawing && document.querySelectorAll(".curve polyline").length === 2`
	p.Wait(ready + drawn)
	label := m.text(`document.querySelector("#links .curve svg").getAttribute("aria-label")`)
	assert.Regexp(t, `Share of time .* Mbit/s: .* % \(gold\) to .* Mbit/s: 99.* % \(gold\)`, label)
	// The scale has two decades, 100 to 10,000 Mbit/s: a quarter of it is 100 * 10^0.5.
	var at struct{ X, Y float64 }
	p.Eval(`(() => {
  const plot = document.querySelector("#links .curve svg");
  plot.scrollIntoView({block: "center"});
  const {left, top, width} = plot.getBoundingClientRect();
  return {X: left + width / 4, Y: top + 5};
})()`, &at)
	for _, kind := range []string{"mousePressed", "mouseReleased"} {
		p.Call("Input.dispatchMouseEvent", map[string]any{
			"type": kind, "x": at.X, "y": at.Y, "button": "left", "clickCount": 1,
		})
	}
	p.Wait(`page.edited.changed.length === 1`)
	assert.Equal(t, "320", m.text(`String(page.changes["link/metro/throughput_mbps"])`))
	p.Wait(ready + drawn)
	fits := m.text(`byId("vm-list").querySelector("tbody tr").lastChild.textContent`)
	assert.Regexp(t, "RPO|no tier", fits)
	p.Eval(`document.querySelector("#links .line input").focus(); true`, nil)
	p.Key("ArrowRight")
	p.Wait(ready + ` && page.changes["link/metro/throughput_mbps"] > 320`)
	silent(t, p, address)
}
