package page_test

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"

	"terraform-provider-vsla/internal/dev/browser"
	"terraform-provider-vsla/internal/whatif/page"
)

// openedEmpty opens a page that was written without an input.
func openedEmpty(t *testing.T) (*browser.Page, string) {
	t.Helper()
	module, err := page.Embedded()
	if err != nil {
		t.Skip("the test is built without the tag whatif; make test-page builds the page's module, and sets it")
	}
	name := filepath.Join(t.TempDir(), "vsla.html")
	var text bytes.Buffer
	require.NoError(t, module.WriteEmpty(&text, "", "test"))
	const most = 6 << 20
	require.Less(t, text.Len(), most)
	require.NoError(t, os.WriteFile(name, text.Bytes(), 0o600))
	p := browser.New(t)
	p.View(1280, "light")
	p.Open("file://" + name)
	p.Wait(`document.documentElement.dataset.ready`)
	return p, "file://" + name
}

// drop drops files on the page. It contains names and contents in turn.
func drop(p *browser.Page, files ...string) {
	var list strings.Builder
	for i := 0; i < len(files); i += 2 {
		fmt.Fprintf(&list, "[%q, %q],", files[i], base64.StdEncoding.EncodeToString([]byte(files[i+1])))
	}
	p.Eval(`(() => {
  const data = new DataTransfer();
  for (const [name, content] of [`+list.String()+`])
    data.items.add(new File([Uint8Array.from(atob(content), c => c.charCodeAt(0))], name));
  document.body.dispatchEvent(new DragEvent("drop", {dataTransfer: data, bubbles: true, cancelable: true}));
  return true;
})()`, nil)
}

// workbook returns an RVTools workbook. Every third VM is in cluster C0, C1 and C2, with the service level gold, silver
// and bronze.
func workbook(t *testing.T, vms int) string {
	t.Helper()
	f := excelize.NewFile()
	_, err := f.NewSheet("vInfo")
	require.NoError(t, err)
	w, err := f.NewStreamWriter("vInfo")
	require.NoError(t, err)
	header := []any{"VM", "Powerstate", "CPUs", "Memory", "Provisioned MiB", "In Use MiB", "Cluster", "VM ID", "SLA"}
	require.NoError(t, w.SetRow("A1", header))
	for i := range vms {
		require.NoError(t, w.SetRow(fmt.Sprintf("A%d", i+2), []any{
			fmt.Sprintf("app-%05d", i), "poweredOn", 2, 4096, 20480, 10240, fmt.Sprint("C", i%3), fmt.Sprint("vm-", i),
			[]string{"gold", "silver", "bronze"}[i%3],
		}))
	}
	require.NoError(t, w.Flush())
	var out bytes.Buffer
	require.NoError(t, f.Write(&out))
	require.NoError(t, f.Close())
	return out.String()
}

const readFile = `page.layout && !document.body.classList.contains("reading") && page.view && ` +
	`!document.body.classList.contains("computing") && !refresh.busy && !page.running && page.view.complete`

// TestBrowser_file checks the way from a workbook to the promises: the initial tiers, the choices that the file offers,
// a tiers file, and what can be taken away.
func TestBrowser_file(t *testing.T) { //nolint:paralleltest // one browser at a time
	p, address := openedEmpty(t)
	m := meeting{p, t}
	assert.Equal(t, "false", m.text(`String(byId("summary").checkVisibility())`))
	drop(p, "rvtools.xlsx", workbook(t, 30))
	p.Wait(readFile)
	assert.Equal(t, "rvtools.xlsx: 30 VMs.", m.text(`byId("file-status").textContent`))
	rows := `[...document.querySelectorAll("#table tbody tr")].map(
  r => r.querySelector("th").textContent + (r.classList.contains("none") ? " none" : "")).join()`
	choices := `[...byId("choices").children].map(b => b.textContent + " " + b.getAttribute("aria-pressed")).join()`
	assert.Equal(t, "SLA true,Cluster false,All VMs false", m.text(choices))
	p.Eval(`byId("choices").children[2].click(); true`, nil)
	p.Wait(`page.layout.rows.length === 1 && ` + readFile)
	assert.Equal(t, "estate", m.text(rows))
	p.Eval(`byId("choices").children[0].click(); true`, nil)
	p.Wait(`page.layout.rows.length === 3 && ` + readFile)
	assert.Equal(t, "bronze,gold,silver,other none", m.text(rows))
	assert.Equal(
		t,
		"0 of 3 promises hold. Bronze, gold and silver are at risk.",
		m.text(`byId("headline").textContent`),
	)
	assert.Equal(t, "SLA", m.text(`document.activeElement.textContent`))
	m.asked("A slower link", set("Link: Throughput in Mbit/s", "1"))
	assert.Contains(t, m.text(`byId("headline").textContent`), "0 of 3 promises hold.")
	p.Eval(`byId("yaml").click(); true`, nil)
	p.Wait(`!byId("out").hidden`)
	assert.Contains(t, m.text(`byId("text").value`), `match: {column: {"SLA": "^gold$"}}`)
	assert.Contains(t, m.text(`byId("text").value`), "throughput_mbps: 1\n")
	p.Eval(`byId("hcl").click(); true`, nil)
	p.Wait(`byId("text").value.includes("vsla_sla_plan")`)
	assert.Contains(t, m.text(`byId("text").value`), `"app-00029"`)
	drop(p, "tiers.yaml",
		"throughput_mbps: 100\ntiers: [{name: all, match: {}, rpo_minutes: 60, daily_change_percent: 5}]\n")
	p.Wait(`page.layout.rows.length === 1 && ` + readFile)
	assert.Equal(t, "all", m.text(rows))
	assert.Equal(t, "0", m.text(`String(page.edited.changed.length)`))
	silent(t, p, address)
}

// TestBrowser_files checks files with unknown headers, files that cannot be read, and a tiers file before an inventory.
func TestBrowser_files(t *testing.T) { //nolint:paralleltest // one browser at a time
	p, address := openedEmpty(t)
	m := meeting{p, t}
	status := func(text string) {
		t.Helper()
		p.Wait(fmt.Sprintf(`byId("file-status").textContent.includes(%q) && `+
			`!document.body.classList.contains("reading")`, text))
	}
	drop(p, "photo.png", "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR")
	status("photo.png: the file is neither an Excel file nor a text file.")
	drop(p, "empty.csv", "")
	status("empty.csv: the file is empty.")
	drop(p, "half.xlsx", workbook(t, 3)[:1000])
	status("half.xlsx: the Excel file is damaged or truncated")
	drop(p, "bad.yaml", "tiers: [\n")
	status("bad.yaml:")
	assert.Equal(t, "true", m.text(`String(document.body.classList.contains("empty"))`))
	drop(p, "tiers.yaml",
		"throughput_mbps: 100\ntiers: [{name: mine, match: {}, rpo_minutes: 60, daily_change_percent: 5}]\n")
	status("Now add the inventory file.")
	drop(p, "vms.csv", "Name,Used (GB)\na,40\nb,0\n")
	p.Wait(readFile)
	assert.Equal(t, "vms.csv: 2 VMs.", m.text(`byId("file-status").textContent`))
	assert.Equal(t, "mine", m.text(`page.layout.rows[0].title`))
	notes := m.text(`byId("file-notes").textContent`)
	assert.Contains(t, notes, "No size is known of 1 VM, so the promises of the affected tiers are unknown: b.")
	assert.Contains(t, notes, "The column Used (GB) is read as used_gib.")
	drop(p, "broken.csv", "VM,In Use MiB\na,much\n")
	status(`row 2, column "In Use MiB", VM "a": must be a number, got "much".`)
	assert.Equal(t, "mine", m.text(`page.layout.rows[0].title`), "the page keeps the former file")
	silent(t, p, address)
}

// TestBrowser_fileMany logs how long a page needs for the promises of 3,200 VMs, and checks that it shows the progress
// of a file of 20,000 VMs.
func TestBrowser_fileMany(t *testing.T) { //nolint:paralleltest // one browser at a time
	p, address := openedEmpty(t)
	began := time.Now() //nolint:forbidigo // for the log only
	drop(p, "rvtools.xlsx", workbook(t, 3200))
	p.Wait(`page.view && byId("headline").textContent.includes("hold")`)
	t.Logf("3,200 VMs: %.1f s", time.Since(began).Seconds()) //nolint:forbidigo // for the log only
	p.Eval(`globalThis.said = []; new MutationObserver(() => said.push(byId("file-status").textContent))
  .observe(byId("file-status"), {childList: true}); true`, nil)
	began = time.Now() //nolint:forbidigo // for the log only
	drop(p, "many.xlsx", workbook(t, 20000))
	p.Wait(`byId("file-status").textContent === "many.xlsx: 20,000 VMs."`)
	t.Logf("20,000 VMs read: %.1f s", time.Since(began).Seconds()) //nolint:forbidigo // for the log only
	var told []string
	p.Eval(`said`, &told)
	assert.Contains(t, told, "Reading many.xlsx: 10,000 rows.")
	silent(t, p, address)
}

// TestBrowser_fileAccess checks the page without a file and with one by keyboard, in dark mode, at 390 px and with axe.
func TestBrowser_fileAccess(t *testing.T) { //nolint:paralleltest // one browser at a time
	p, address := openedEmpty(t)
	m := meeting{p, t}
	p.Key("Tab") // skip link
	p.Key("Tab")
	assert.Equal(t, "file-input", m.text(`document.activeElement.id`))
	var problems []string
	check := func() {
		for _, width := range []int{390, 1280} {
			for _, scheme := range []string{"light", "dark"} {
				p.View(width, scheme)
				problems = append(problems, p.Layout()...)
				if os.Getenv("VSLA_AXE") != "" {
					problems = append(problems, p.Axe()...)
				}
			}
		}
	}
	check()
	drop(p, "rvtools.xlsx", workbook(t, 30))
	p.Wait(readFile)
	p.Eval(`byId("choices").children[1].focus(); true`, nil)
	p.Key("Enter")
	p.Wait(`page.layout.rows.length === 3 && ` + readFile)
	check()
	assert.Empty(t, problems)
	silent(t, p, address)
}
