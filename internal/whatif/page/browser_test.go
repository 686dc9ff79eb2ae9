package page_test

import (
	"os"
	"path/filepath"
	"testing"

	"terraform-provider-vsla/internal/dev/browser"
	"terraform-provider-vsla/internal/whatif"
	"terraform-provider-vsla/internal/whatif/page"
)

// opened writes a page with the module and opens it from its file.
func opened(t *testing.T, model *whatif.Model) (*browser.Page, string) {
	t.Helper()
	module, err := page.Embedded()
	if err != nil {
		t.Skip("the test is built without the tag whatif, so there is no module; make test-page builds it")
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
	p.Open("file://" + name)
	return p, name
}

const ready = `document.documentElement.dataset.ready && byId("progress").hidden`

func TestBrowser(t *testing.T) {
	p, _ := opened(t, page.Example())
	p.Wait(ready)
	var text string
	p.Eval(`byId("headline").textContent + " | " + byId("list").innerText`, &text)
	t.Log(text)
	t.Log(p.Requests(), p.Console())
}
