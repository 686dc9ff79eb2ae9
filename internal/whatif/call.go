// The one function of the page: from JSON to JSON.

package whatif

import (
	"encoding/json"
	"errors"
	"fmt"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/registry"
)

// Engine answers the requests of a page.
type Engine struct{ page *Page }

// request is what a page asks for: the name of the request, and its arguments.
type request struct {
	Do         string         `json:"do"`
	Calculator string         `json:"calculator"`
	Inputs     map[string]any `json:"inputs"`
	Model      *Model         `json:"model"`
	Changes    Changes        `json:"changes"`
	Job        Job            `json:"job"`
	Answer     *answer        `json:"answer"`
	Fragment   string         `json:"fragment"`
	Format     string         `json:"format"`
}

// answer is the answer to a calculation.
type answer struct {
	Results  map[string]any `json:"results,omitempty"`
	Problems []problem      `json:"problems,omitempty"`
	Error    string         `json:"error,omitempty"`
}

// problem is a problem of an input: its path, and the names on the way to it.
type problem struct {
	Path   string   `json:"path"`
	Names  []string `json:"names"`
	Reason string   `json:"reason"`
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
	return jsonOf(answer{Error: err.Error()})
}

func (e *Engine) call(text string) (any, error) {
	var r request
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		return nil, err
	}
	switch r.Do {
	case "compute":
		c, ok := registry.OfCommand(r.Calculator)
		if !ok {
			return nil, fmt.Errorf("there is no calculator %q", r.Calculator)
		}
		return answerOf(c.Evaluate(r.Inputs)), nil
	case "open":
		if r.Model == nil {
			return nil, errors.New("a model is needed")
		}
		e.page = Open(r.Model)
		return e.page.Layout(), nil
	}
	if e.page == nil {
		return nil, errors.New("no model is open")
	}
	switch r.Do {
	case "view":
		return e.page.View(r.Changes), nil
	case "run":
		return answerOf(e.page.Run(r.Changes, r.Job)), nil
	case "finish":
		results, err := r.Answer.read()
		e.page.Finish(r.Changes, r.Job, results, err)
		return struct{}{}, nil
	case "link":
		changes, err := e.page.Changes(r.Fragment)
		if err != nil {
			return nil, err
		}
		return map[string]any{"changes": changes}, nil
	case "write":
		text, err := e.page.Write(r.Format, r.Changes)
		if err != nil {
			return nil, err
		}
		return map[string]any{"text": text}, nil
	}
	return nil, fmt.Errorf("there is no request %q", r.Do)
}

func answerOf(results map[string]any, err error) answer {
	a := answer{Results: results}
	for _, e := range problems(err) {
		a.Problems = append(a.Problems, problem{Path: e.Path.String(), Names: namesIn(e.Path), Reason: e.Reason})
	}
	if err != nil && len(a.Problems) == 0 {
		a.Error = err.Error()
	}
	return a
}

// read is the inverse of answerOf.
func (a *answer) read() (map[string]any, error) {
	switch {
	case a == nil:
		return nil, errors.New("the calculation was not answered")
	case a.Error != "":
		return nil, errors.New(a.Error)
	case len(a.Problems) > 0:
		var errs plan.InputErrors
		for _, p := range a.Problems {
			var at plan.Path
			for _, name := range p.Names {
				at = at.Attr(name)
			}
			errs = append(errs, &plan.InputError{Path: at, Reason: p.Reason})
		}
		return nil, errs
	}
	return a.Results, nil
}
