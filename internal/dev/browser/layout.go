package browser

import (
	"bytes"
)

// layout is a script that returns the layout defects at the current window width.
const layout = `(() => {
  const problems = [], root = document.documentElement, at = innerWidth + " px: ";
  const overlap = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 &&
    Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1;
  document.querySelectorAll("details").forEach(d => d.open = true);
  const over = root.scrollWidth - root.clientWidth;
  if (over > 0) problems.push("the page is " + over + " px too wide");
  for (const svg of document.querySelectorAll("svg")) {
    const frame = svg.getBoundingClientRect();
    if (frame.width === 0 || !svg.querySelector("text")) continue;
    const texts = [...svg.querySelectorAll("text")].map(e => [e.lastChild.data, e.getBoundingClientRect()]);
    texts.forEach(([text, box], i) => {
      if (box.left < frame.left - 1 || box.right > frame.right + 1 || box.top < frame.top - 1 ||
          box.bottom > frame.bottom + 1) problems.push(text + " leaves its drawing");
      for (const [other, otherBox] of texts.slice(0, i))
        if (overlap(box, otherBox)) problems.push(text + " overlaps " + other);
    });
    const size = parseFloat(getComputedStyle(svg.querySelector("text")).fontSize) *
      frame.width / svg.viewBox.baseVal.width;
    if (size < 10) problems.push("text of " + size.toFixed(1) + " px");
  }
  return problems.map(problem => at + problem);
})()`

// Layout returns the page's layout defects: horizontal overflow, and labels in drawings that overlap, leave the drawing
// or are too small.
func (p *Page) Layout() []string {
	p.t.Helper()
	var problems []string
	p.Eval(layout, &problems)
	return problems
}

// Print switches to the print layout for A4 paper with 15 mm margins.
func (p *Page) Print() {
	p.t.Helper()
	p.View(680, "light")
	p.Call("Emulation.setEmulatedMedia", map[string]any{"media": "print"})
}

// Pages returns how many A4 pages the page has on paper.
func (p *Page) Pages() int {
	p.t.Helper()
	var printed struct {
		Data []byte `json:"data"`
	}
	p.call("Page.printToPDF", map[string]any{"preferCSSPageSize": true}, &printed)
	return bytes.Count(printed.Data, []byte("/Type /Page\n"))
}
