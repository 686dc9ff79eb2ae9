package report_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
)

// harness shows the page in frames of several widths, unchanged and under its own policy, and measures it from outside.
const harness = `<!DOCTYPE html><html><head><meta charset="utf-8"><link rel="icon" href="data:,"></head><body><script>
const widths = [320, 390, 600, 768, 1024, 1280, 1920], result = [];
const overlap = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 &&
  Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1;
function measure(frame, width) {
  const page = frame.contentDocument, problems = [];
  page.querySelectorAll("details").forEach(d => d.open = true);
  const over = page.documentElement.scrollWidth - page.documentElement.clientWidth;
  if (over > 0) problems.push("the page is " + over + " px too wide");
  let drawings = 0;
  for (const svg of page.querySelectorAll("svg")) {
    const frame = svg.getBoundingClientRect();
    if (frame.width === 0) continue;
    drawings++;
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
  const loaded = frame.contentWindow.performance.getEntriesByType("resource").map(e => e.name);
  result.push({width, drawings, problems, loaded});
  if (result.length === widths.length) {
    const out = document.createElement("pre");
    out.id = "result";
    out.textContent = btoa(unescape(encodeURIComponent(JSON.stringify(result))));
    document.body.append(out);
  }
}
for (const width of widths) {
  const frame = document.createElement("iframe");
  frame.width = width; frame.height = 900; frame.src = "/page";
  frame.onload = () => measure(frame, width);
  document.body.append(frame);
}
</script></body></html>`

// browserWidths is how many widths the harness shows the page at.
const browserWidths = 7

// browserLimit ends a browser that hangs.
const browserLimit = 2 * time.Minute

// oneBrowser keeps tests from starting several at a time.
var oneBrowser sync.Mutex

// measured is a harness's result for one frame.
type measured struct {
	Width    int      `json:"width"`
	Drawings int      `json:"drawings"`
	Problems []string `json:"problems"`
	Loaded   []string `json:"loaded"`
}

// browse opens the page in Chromium, if there is one, and returns the defects: labels that overlap or are too
// small, pages that are too wide, requests that leave the page, and messages on the console.
func browse(t *testing.T, page string) []string {
	t.Helper()
	var mu sync.Mutex
	asked := make(map[string]int)
	results, problems := inBrowser(t, map[string]string{"/": harness, "/page": page},
		func(_ http.ResponseWriter, r *http.Request) bool {
			mu.Lock()
			defer mu.Unlock()
			asked[r.URL.Path]++
			return false
		})
	wrong := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	if len(results) != browserWidths {
		wrong("%d widths were measured", len(results))
	}
	for _, r := range results {
		if r.Drawings == 0 || len(r.Problems)+len(r.Loaded) > 0 {
			wrong("at %d px, %d drawings: %q; loaded %q", r.Width, r.Drawings, r.Problems, r.Loaded)
		}
	}
	mu.Lock()
	defer mu.Unlock()
	for path, n := range asked {
		if path != "/" && path != "/page" || n > browserWidths {
			wrong("%s was asked for %d times", path, n)
		}
	}
	return problems
}

// inBrowser opens a harness at / in Chromium, if there is one, and returns what it measured and the messages on the
// console. before may answer a request.
func inBrowser(
	t *testing.T, pages map[string]string, before func(http.ResponseWriter, *http.Request) bool,
) (results []measured, problems []string) {
	t.Helper()
	browser := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			browser = path
			break
		}
	}
	if browser == "" {
		t.Skip("there is no Chromium on PATH, so the page is not looked at in a browser")
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if before(w, r) {
			return
		}
		text, ok := pages[r.URL.Path]
		if !ok {
			text = pages["/"]
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = io.WriteString(w, text)
	}))
	defer server.Close()

	args := []string{
		"--headless=new",
		"--disable-gpu",
		"--no-first-run",
		"--disable-background-networking",
		"--disable-component-update",
		"--disable-sync",
		"--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
		"--user-data-dir=" + t.TempDir(),
		"--enable-logging=stderr",
		"--log-level=0",
		"--virtual-time-budget=20000",
		"--dump-dom",
		server.URL + "/",
	}
	if os.Geteuid() == 0 { // its sandbox refuses root
		args = append([]string{"--no-sandbox"}, args...)
	}
	oneBrowser.Lock()
	defer oneBrowser.Unlock()
	ctx, cancel := context.WithTimeout(t.Context(), browserLimit)
	defer cancel()
	var out, errs strings.Builder
	cmd := exec.CommandContext(ctx, browser, args...)
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s: %v\n%s", browser, err, errs.String())
	}
	encoded := regexp.MustCompile(`<pre id="result">([^<]*)</pre>`).FindStringSubmatch(out.String())
	if encoded == nil {
		t.Fatalf("nothing was measured:\n%s\n%s", out.String(), errs.String())
	}
	var decoded []byte
	if err := json.Unmarshal([]byte(`"`+encoded[1]+`"`), &decoded); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(decoded, &results); err != nil {
		t.Fatal(err)
	}
	for line := range strings.SplitSeq(errs.String(), "\n") {
		if strings.Contains(line, "CONSOLE") {
			problems = append(problems, "on the console: "+line)
		}
	}
	return results, problems
}

// TestBrowse_finds: a page that is wrong in every way is found to be.
func TestBrowse_finds(t *testing.T) {
	t.Parallel()
	page := `<!DOCTYPE html><html><body><div style="width:500px">wide</div><img src="/picture">
<script>nothing.there()</script>
<svg viewBox="0 0 100 100" width="100" height="100"><text x="5" y="50">first</text><text x="8" y="52">second</text><text x="90" y="20" font-size="5">leaving</text></svg></body></html>`
	problems := strings.Join(browse(t, page), "\n")
	for _, want := range []string{
		"px too wide",
		"second overlaps first",
		"leaving leaves its drawing",
		"/picture was asked for",
		"/picture\"",
		"nothing is not defined",
	} {
		if !strings.Contains(problems, want) {
			t.Errorf("%q is not found in\n%s", want, problems)
		}
	}
}
