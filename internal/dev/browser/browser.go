// Package browser controls headless Chromium with the DevTools protocol over a pipe, for tests that open a page and
// inspect its layout, requests and console.
package browser

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// consoleMethods are the events with output of the page's console.
var consoleMethods = []string{"Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded"}

// limit is how long a protocol command may take. patience is how long the browser may take to close before it is
// killed.
const (
	limit    = 3 * time.Minute
	patience = 20 * time.Second
)

// Page is an open page.
type Page struct {
	t       *testing.T
	in      io.Writer
	session string

	mu                sync.Mutex
	next              int
	waiting           map[int]chan reply
	requests, console []string
	closed            chan struct{}
}

type reply struct {
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Message string `json:"message"`
	} `json:"error"`
}

type message struct {
	reply

	ID     int             `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
}

// New starts Chromium with an empty page. It skips the test if Chromium is not installed.
func New(t *testing.T) *Page {
	t.Helper()
	program := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			program = path
			break
		}
	}
	if program == "" {
		t.Skip("there is no Chromium on PATH")
	}
	args := []string{
		"--headless=new", "--disable-gpu", "--no-first-run", "--disable-background-networking",
		"--disable-component-update", "--disable-sync", "--remote-debugging-pipe", "--user-data-dir=" + t.TempDir(),
		"about:blank",
	}
	if os.Geteuid() == 0 { // Chromium's sandbox does not work for root
		args = append([]string{"--no-sandbox"}, args...)
	}
	read, theirWrite := pipe(t)
	theirRead, write := pipe(t)
	// The test's context would kill the browser before its child processes release the profile folder.
	ctx, kill := context.WithCancel(context.WithoutCancel(t.Context()))
	cmd := exec.CommandContext(ctx, program, args...) //nolint:gosec // one of the names above
	cmd.ExtraFiles = []*os.File{theirRead, theirWrite}
	require.NoError(t, cmd.Start())
	_, _ = theirRead.Close(), theirWrite.Close()
	p := &Page{t: t, in: write, waiting: map[int]chan reply{}, closed: make(chan struct{})}
	go p.read(read)
	t.Cleanup(func() {
		time.AfterFunc(patience, kill)
		_, _ = write.WriteString(`{"id":0,"method":"Browser.close"}` + "\x00")
		_ = cmd.Wait()
		kill()
		_ = read.Close()
		<-p.closed
	})
	var created struct{ TargetID, SessionID string }
	p.call("Target.createTarget", map[string]any{"url": "about:blank"}, &created)
	p.call("Target.attachToTarget", map[string]any{"targetId": created.TargetID, "flatten": true}, &created)
	p.session = created.SessionID
	for _, domain := range []string{"Page", "Network", "Runtime", "Log"} {
		p.Call(domain+".enable", nil)
	}
	return p
}

func pipe(t *testing.T) (r, w *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	require.NoError(t, err)
	return r, w
}

func (p *Page) read(from io.Reader) {
	defer close(p.closed)
	scanner := bufio.NewReaderSize(from, 1<<20)
	for {
		text, err := scanner.ReadBytes(0)
		if err != nil {
			return
		}
		var m message
		if json.Unmarshal(text[:len(text)-1], &m) != nil {
			continue
		}
		p.mu.Lock()
		switch {
		case m.ID != 0:
			p.waiting[m.ID] <- m.reply
			delete(p.waiting, m.ID)
		case m.Method == "Network.requestWillBeSent":
			var params struct {
				Request struct {
					URL string `json:"url"`
				} `json:"request"`
			}
			_ = json.Unmarshal(m.Params, &params)
			p.requests = append(p.requests, params.Request.URL)
		case slices.Contains(consoleMethods, m.Method):
			p.console = append(p.console, string(m.Params))
		}
		p.mu.Unlock()
	}
}

func (p *Page) call(method string, params, result any) {
	p.t.Helper()
	p.mu.Lock()
	p.next++
	id, answer := p.next, make(chan reply, 1)
	p.waiting[id] = answer
	p.mu.Unlock()
	request := map[string]any{"id": id, "method": method}
	if params != nil {
		request["params"] = params
	}
	if p.session != "" {
		request["sessionId"] = p.session
	}
	text, err := json.Marshal(request)
	if err != nil {
		p.t.Fatal(err)
	}
	if _, err := p.in.Write(append(text, 0)); err != nil {
		p.t.Fatal(err)
	}
	select {
	case r := <-answer:
		if r.Error != nil {
			p.t.Fatalf("%s: %s", method, r.Error.Message)
		}
		if result != nil {
			if err := json.Unmarshal(r.Result, result); err != nil {
				p.t.Fatalf("%s: %v", method, err)
			}
		}
	case <-p.closed:
		p.t.Fatalf("%s: the browser ended", method)
	case <-time.After(limit):
		p.t.Fatalf("%s: no response within %s", method, limit)
	}
}

// Call sends a protocol command.
func (p *Page) Call(method string, params map[string]any) {
	p.t.Helper()
	p.call(method, params, nil)
}

// Open opens a URL.
func (p *Page) Open(address string) {
	p.t.Helper()
	p.Call("Page.navigate", map[string]any{"url": address})
}

// Eval evaluates an expression, awaits the result if it is a promise, and decodes it into value.
func (p *Page) Eval(expression string, value any) {
	p.t.Helper()
	var result struct {
		Result struct {
			Value json.RawMessage
		}
		ExceptionDetails *struct {
			Text      string
			Exception struct{ Description string }
		}
	}
	p.call("Runtime.evaluate", map[string]any{
		"expression":    expression,
		"awaitPromise":  true,
		"returnByValue": true,
	}, &result)
	if e := result.ExceptionDetails; e != nil {
		p.t.Fatalf("%.200s: %s %s", expression, e.Text, e.Exception.Description)
	}
	if value != nil && len(result.Result.Value) > 0 {
		if err := json.Unmarshal(result.Result.Value, value); err != nil {
			p.t.Fatalf("%.200s: %v", expression, err)
		}
	}
}

// Wait waits until an expression is true. An exception counts as false.
func (p *Page) Wait(condition string) {
	p.t.Helper()
	p.Eval(fmt.Sprintf(`new Promise((done, failed) => {
  const end = performance.now() + 300000;
  const holds = () => { try { return %[1]s; } catch { return false; } };
  const look = () => {
    if (holds()) done(true);
    else if (performance.now() > end) failed(new Error("not within 5 minutes"));
    else setTimeout(look, 5);
  };
  look();
})`, condition), nil)
}

// View sets the window size and the colour scheme.
func (p *Page) View(width int, scheme string) {
	p.t.Helper()
	p.Call("Emulation.setDeviceMetricsOverride", map[string]any{
		"width":             width,
		"height":            900,
		"deviceScaleFactor": 1,
		"mobile":            false,
	})
	p.Call("Emulation.setEmulatedMedia", map[string]any{
		"features": []any{map[string]any{"name": "prefers-color-scheme", "value": scheme}},
	})
}

// Key presses a key, such as Tab or Enter.
func (p *Page) Key(key string) {
	p.t.Helper()
	codes := map[string]int{"Tab": 9, "Enter": 13, "Space": 32, "ArrowUp": 38, "ArrowRight": 39}
	text := map[string]string{"Enter": "\r", "Space": " "}[key]
	for _, kind := range []string{"keyDown", "keyUp"} {
		params := map[string]any{"type": kind, "key": key, "code": key, "windowsVirtualKeyCode": codes[key]}
		if kind == "keyDown" && text != "" {
			params["text"] = text
		}
		p.Call("Input.dispatchKeyEvent", params)
	}
}

// Requests returns the URLs requested by the page.
func (p *Page) Requests() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]string{}, p.requests...)
}

// Console returns the page's console messages and errors.
func (p *Page) Console() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]string{}, p.console...)
}
