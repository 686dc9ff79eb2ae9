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

	"terraform-provider-vsla/internal/report"
	"terraform-provider-vsla/internal/whatif"
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

//go:embed file.js
var file string

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

// content contains the variable parts of the page.
type content struct {
	Title, Program, Policy string
	Empty                  bool
	Style                  template.CSS
	Script                 template.JS
	Module, Model, First   template.HTML
	Footer                 template.HTML
}

// WriteEmpty writes a page that asks for an inventory file.
func (m Module) WriteEmpty(w io.Writer, title, program string) error {
	return m.execute(w, content{Title: title, Program: program, Empty: true, Footer: report.Footer(nil, "", program)})
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
	source, err := packed(model)
	if err != nil {
		return err
	}
	return m.execute(w, content{
		Title:   model.Title,
		Program: model.Program,
		Model:   encoded(source),
		First:   encoded(first),
		Footer:  report.Footer(model.Files, model.Date, model.Program),
	})
}

func (m Module) execute(w io.Writer, c content) error {
	exec, err := unpack(m.Exec)
	if err != nil {
		return fmt.Errorf("the module's script: %w", err)
	}
	css := report.Style() + style
	code := strings.Join([]string{exec, engine, editor, compute, file, script}, "\n")
	c.Title, c.Policy = cmp.Or(c.Title, "What if"), policy(css, code)
	c.Style = template.CSS(css)  //nolint:gosec // the style sheets of this package and of the review
	c.Script = template.JS(code) //nolint:gosec // the scripts of this package and of Go
	c.Module = encoded(m.Wasm)
	return page.Execute(w, c)
}

// policy returns the Content-Security-Policy of the page. The policy allows the page's style sheet and script, the
// WebAssembly compiler, and workers that run the same script. Nothing else can be loaded.
func policy(css, code string) string {
	hash := func(text string) string {
		sum := sha256.Sum256([]byte(text))
		return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	return "default-src 'none'; script-src " + hash(code) + " 'wasm-unsafe-eval'; style-src " + hash(css) +
		"; worker-src blob:; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types " +
		"vsla"
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
