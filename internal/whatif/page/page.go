// Package page writes a model of package whatif as a single HTML file. The file contains the compiled module, so it
// computes with the same code as the program and makes no network requests.
package page

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"io"
	"strings"
	"time"

	"terraform-provider-vsla/internal/assess"
	"terraform-provider-vsla/internal/assess/document"
	"terraform-provider-vsla/internal/plan/migration"
	"terraform-provider-vsla/internal/plan/promise"
	"terraform-provider-vsla/internal/plan/quantity"
	"terraform-provider-vsla/internal/report"
	"terraform-provider-vsla/internal/whatif"
	"terraform-provider-vsla/internal/wording"
)

//go:embed page.html.tmpl
var pageText string

//go:embed style.css
var style string

//go:embed engine.js
var engine string

//go:embed compute.js
var compute string

//go:embed script.js
var script string

//go:embed editor.js
var editor string

var page = template.Must(template.New("page").Parse(pageText))

// Module contains the compiled engine of the page and the script that starts it, both gzip-compressed.
type Module struct{ Wasm, Exec []byte }

// ErrNoModule is returned by Embedded if the program was built without the module.
var ErrNoModule = errors.New("this program was built without the page: build it with " +
	"`go run ./internal/dev/cmd/install` or use a release")

// Embedded returns the module embedded in the program, or ErrNoModule if there is none.
func Embedded() (Module, error) {
	if len(embedded.Wasm) == 0 {
		return Module{}, ErrNoModule
	}
	return embedded, nil
}

// Write writes the page of a model. The page initially shows view.
func (m Module) Write(w io.Writer, model *whatif.Model, view *whatif.View) error {
	opened, err := whatif.Open(model)
	if err != nil {
		return err
	}
	first, err := packed(map[string]any{"layout": opened.Layout(), "view": view, "edited": opened.Edit(nil)})
	if err != nil {
		return err
	}
	exec, err := unpack(m.Exec)
	if err != nil {
		return fmt.Errorf("the module's script: %w", err)
	}
	source, err := packed(model)
	if err != nil {
		return err
	}
	css, code := report.Style()+style, strings.Join([]string{exec, engine, editor, compute, script}, "\n")
	return page.Execute(w, struct {
		Title, Program, Policy string
		Style                  template.CSS
		Script                 template.JS
		Module, Model, First   template.HTML
		Footer                 template.HTML
	}{
		Title: cmp.Or(model.Title, "What if"), Program: model.Program, Policy: policy(css, code),
		Style:  template.CSS(css), //nolint:gosec // the style sheets of this package and of the review
		Script: template.JS(code), //nolint:gosec // the scripts of this package and of Go
		Module: encoded(m.Wasm), Model: encoded(source), First: encoded(first),
		Footer: report.Footer(model.Files, model.Date, model.Program),
	})
}

// policy returns the Content-Security-Policy of the page. The policy allows the page's style sheet and script, the
// WebAssembly compiler, and workers that run the same script. Nothing else can be loaded.
func policy(css, code string) string {
	hash := func(text string) string {
		sum := sha256.Sum256([]byte(text))
		return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	return "default-src 'none'; script-src " + hash(code) + " 'wasm-unsafe-eval'; style-src " + hash(css) +
		"; worker-src blob:; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types vsla"
}

func unpack(packed []byte) (string, error) {
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return "", err
	}
	text, err := io.ReadAll(r)
	return string(text), err
}

func packed(v any) ([]byte, error) {
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	err = errors.Join(json.NewEncoder(w).Encode(v), w.Close())
	return b.Bytes(), err
}

func encoded(data []byte) template.HTML {
	return template.HTML(base64.StdEncoding.EncodeToString(data)) //nolint:gosec // letters, digits, plus, slash, equals
}

// FromDocument returns the model of the first readable vsla_sla_plan result in a document, and that result. Both are
// nil if there is none. The model contains no withheld values.
func FromDocument(file string, d *document.Document) (*whatif.Model, *promise.Result) {
	m := &whatif.Model{Kind: d.Source().Kind, File: wording.Clean(file), Files: d.Source().Files}
	if day := d.CreationDate(); !day.IsZero() {
		m.Date = day.Format(time.DateOnly)
	}
	var result *promise.Result
	var withheld, deferred, others, migrations int
	for _, a := range d.Results() {
		p, ok := assess.As[*assess.Promise](a)
		migrated, moves := assess.As[assess.Migration](a)
		switch {
		case a.Withheld():
			withheld++
		case a.Deferred != "":
			deferred++
		case moves && migrated.NoInput == nil && m.Moves == nil:
			m.Moves = movesOf(&migrated.Input)
		case moves:
			migrations++
		case !ok || p.Plan.NoInput != nil:
		case result == nil:
			result, m.Name = &p.Plan.Result, planName(a)
			defaults := promise.Defaults()
			m.Plan = promise.Definition.Inputs.Encode(&p.Plan.Input, &defaults)
		case planName(a) != m.Name:
			others++
		}
	}
	if result == nil {
		return nil, nil
	}
	note := func(n int, noun, why string) {
		if n > 0 {
			m.Notes = append(m.Notes, fmt.Sprintf("Not on this page: %s (%s).", wording.Count(n, noun), why))
		}
	}
	note(withheld, "result", "withheld, because sensitive values could be derived from them")
	note(deferred, "result", "read during apply")
	note(others, "promise", "of plans other than "+m.Name)
	note(migrations, "migration", "without inputs in the file, or not the first one")
	return m, result
}

// movesOf returns the migration with a throughput of its own, because a document does not state which link a migration
// uses.
func movesOf(in *migration.PlanInput) *whatif.Moves {
	defaults := migration.PlanDefaults()
	return &whatif.Moves{Arguments: migration.PlanDefinition.Inputs.Encode(in, &defaults), SharePercent: quantity.Percent}
}

func planName(a *assess.Assessment) string {
	name, _, _ := strings.Cut(a.Name, ".promises[")
	return name
}

// Example returns the model of a small estate: three tiers, and their migration over a 1 Gbit/s link.
func Example() *whatif.Model {
	tier := func(vms int, prefix string, gib, change, rpo float64) any {
		all := make(map[string]any, vms)
		for i := range vms {
			// Sizes range from 0.5 to 1.5 times the mean.
			size := gib * (0.5 + float64(i)/float64(vms-1))
			all[fmt.Sprintf("%s-%03d", prefix, i+1)] = map[string]any{"size_gib": size}
		}
		return map[string]any{"virtual_machines": all, "daily_change_percent": change, "rpo_minutes": rpo, "peak_factor": 3.0}
	}
	tiers := map[string]any{
		"gold": tier(40, "db", 200, 5, 15), "silver": tier(60, "app", 150, 4, 60), "bronze": tier(100, "web", 100, 3, 240),
	}
	moving := make(map[string]any)
	for _, one := range tiers {
		of, _ := one.(map[string]any)
		vms, _ := of["virtual_machines"].(map[string]any)
		for name, vm := range vms {
			size, _ := vm.(map[string]any)
			moving[name] = map[string]any{"memory_gib": 16.0, "disk_gib": size["size_gib"], "method": "cold"}
		}
	}
	return &whatif.Model{
		Kind: "example", Name: "estate",
		Plan: map[string]any{
			"links": map[string]any{"metro": map[string]any{"throughput_mbps": 1000.0, "efficiency_percent": 70.0}},
			"tiers": tiers, "growth_percent_per_year": 20.0,
		},
		Moves: &whatif.Moves{
			Arguments: map[string]any{
				"virtual_machines": moving, "window_hours": 24.0, "window_start_hour": 0.0, "window_weekdays": []any{"SAT", "SUN"},
			},
			Link: "metro", SharePercent: 100,
		},
	}
}
