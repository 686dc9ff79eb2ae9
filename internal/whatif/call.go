package whatif

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
)

// Engine answers the requests of a page.
type Engine struct {
	// Post takes what a computation tells before its answer, as JSON; nil for the page.
	Post func(text string)

	page *Page
}

// request is what a page asks for: the name of the request, and its arguments.
type request struct {
	Do       string  `json:"do"`
	Model    *Model  `json:"model"`
	Changes  Changes `json:"changes"`
	Fragment string  `json:"fragment"`
	Format   string  `json:"format"`
	Text     string  `json:"text"`
	Tier     string  `json:"tier"`
	Kind     string  `json:"kind"`
	Name     string  `json:"name"`
	Number   float64 `json:"number"`
	// Values are those of a curve.
	Values []float64 `json:"values"`
}

// Call answers a request. An error is an answer with the key error.
func (e *Engine) Call(text string) string {
	answered, err := e.call(text)
	if err == nil {
		var out []byte
		if out, err = json.Marshal(answered); err == nil {
			return string(out)
		}
	}
	out, _ := json.Marshal(map[string]string{"error": err.Error()}) //nolint:errchkjson // a text
	return string(out)
}

func (e *Engine) post(v any) {
	pass := e.Post
	if pass == nil {
		pass = told
	}
	if text, err := json.Marshal(v); err == nil {
		pass(string(text))
	}
}

func (e *Engine) runs(done, all int) { e.post(map[string]int{"done": done, "all": all}) }

func (e *Engine) call(text string) (any, error) {
	var r request
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		return nil, err
	}
	if r.Do == "open" {
		if r.Model == nil {
			return nil, errors.New("a model is needed")
		}
		var err error
		e.page, err = Open(r.Model)
		return struct{}{}, err
	}
	if e.page == nil {
		return nil, errors.New("no model is open")
	}
	changes := func(changed Changes, err error) (any, error) { return map[string]any{"changes": changed}, err }
	switch r.Do {
	case "edit":
		return e.page.Edit(r.Changes), nil
	case "compute":
		return e.page.Compute(context.Background(), r.Changes, Watch{
			Runs: e.runs, View: func(v *View) { e.post(map[string]any{"view": v}) },
		})
	case "costs":
		costs, err := e.page.Costs(context.Background(), r.Changes, r.Tier, e.runs)
		return map[string]any{"costs": costs}, err
	case "curve":
		points, err := e.page.Curve(context.Background(), r.Changes, r.Name, r.Values)
		return map[string]any{"points": points}, err
	case "fits":
		fits, err := e.page.Fits(context.Background(), r.Changes)
		return map[string]any{"fits": fits}, err
	case "scale":
		return changes(e.page.Scale(r.Changes, int(r.Number)), nil)
	case "times":
		return changes(e.page.Times(r.Changes, r.Kind, r.Name, r.Number))
	case "find":
		return map[string]any{"vms": e.page.Find(r.Changes, r.Text)}, nil
	case "link":
		return changes(e.page.Changes(r.Fragment))
	case "write":
		text, err := e.page.Write(r.Format, r.Changes)
		return map[string]any{"text": text}, err
	}
	return nil, fmt.Errorf("there is no request %q", r.Do)
}
