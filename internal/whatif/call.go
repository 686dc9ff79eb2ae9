package whatif

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"maps"

	"terraform-provider-vsla/internal/assess"
	"terraform-provider-vsla/internal/plan/migration"
	"terraform-provider-vsla/internal/plan/promise"
)

// Engine handles the requests from a page.
type Engine struct {
	// Post receives JSON messages during a computation. If it is nil, messages are posted to the page.
	Post func(text string)

	page *Page
}

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
}

// Call handles a request and returns its answer. An error is returned as an object with the key "error".
func (e *Engine) Call(text string) string {
	answered, err := e.call(text)
	if err == nil {
		var out []byte
		if out, err = json.Marshal(answered); err == nil {
			return string(out)
		}
	}
	out, _ := json.Marshal(map[string]string{"error": err.Error()}) //nolint:errchkjson // a map of strings
	return string(out)
}

// postMessage posts a message to the page. Outside a browser, it does nothing.
var postMessage = func(string) {}

// Open opens a model for the requests that follow.
func (e *Engine) Open(m *Model) (page *Page, err error) {
	page, err = Open(m)
	if err == nil {
		e.page = page
	}
	return page, err
}

// Tell posts a message to the page.
func (e *Engine) Tell(v any) { e.post(v) }

func (e *Engine) post(v any) {
	pass := e.Post
	if pass == nil {
		pass = postMessage
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
			return nil, errors.New("a model is required")
		}
		_, err := e.Open(r.Model)
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
		return e.page.Compute(context.Background(), r.Changes, Callbacks{
			Runs: e.runs,
			View: func(v *View) { e.post(map[string]any{"view": v}) },
		})
	case "costs":
		costs, err := e.page.Costs(context.Background(), r.Changes, r.Tier, e.runs)
		return map[string]any{"costs": costs}, err
	case "curve":
		points, err := e.page.Curve(context.Background(), r.Changes, r.Name, r.Number)
		return map[string]any{"points": points}, err
	case "fits":
		fits, err := e.page.Fits(context.Background(), r.Changes)
		return map[string]any{"fits": fits}, err
	case "scale":
		return changes(e.page.Scale(r.Changes, int(r.Number)), nil)
	case "times":
		return changes(e.page.Multiply(r.Changes, r.Kind, r.Name, r.Number))
	case "find":
		return map[string]any{"vms": e.page.Find(r.Changes, r.Text)}, nil
	case "link":
		return changes(e.page.Changes(r.Fragment))
	case "write":
		text, err := e.page.Write(r.Format, r.Changes)
		return map[string]any{"text": text}, err
	}
	return nil, fmt.Errorf("unknown request %q", r.Do)
}

// Model is the source of a page.
type Model struct {
	// Program is the version of the program that wrote the page. Kind and File are the kind and the name of the source.
	Program string `json:"program,omitempty"`
	Title   string `json:"title"`
	Kind    string `json:"kind"`
	File    string `json:"file,omitempty"`
	// Files lists the files that were read for the page. Date is the day on which the plan was created.
	Files []assess.File `json:"files,omitempty"`
	Date  string        `json:"date,omitempty"`
	// Notes contains notes on the whole source. Open lists promises without VMs, and VMs without a promise.
	Notes []string `json:"notes,omitempty"`
	Open  []Gap    `json:"open,omitempty"`
	// BlockedVMs is the number of VMs that cannot be replicated.
	BlockedVMs int `json:"blocked_vms,omitempty"`
	// Name is the name of the plan. Plan contains the arguments of vsla_sla_plan.
	Name string         `json:"name"`
	Plan map[string]any `json:"plan"`
	// Empty contains the names of the tiers without VMs, if they are not in the plan.
	Empty []string `json:"empty,omitempty"`
	// Moves describes the migration; nil for none.
	Moves *Moves `json:"moves,omitempty"`
	// TiersFile is the text of the plan's tiers file; empty if the source has none.
	TiersFile string `json:"tiers_file,omitempty"`
}

// Gap is a promise without VMs, or VMs without a promise.
type Gap struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// Moves contains the arguments of vsla_migration_plan.
type Moves struct {
	Arguments map[string]any `json:"arguments"`
	// Link is the link whose usable throughput the migration shares. It is empty if the migration has its own
	// throughput. SharePercent is the share that the migration uses.
	Link         string  `json:"link"`
	SharePercent float64 `json:"share_percent"`
}

// Contain sets the plan and its migration, which is nil if there is none.
func (m *Model) Contain(p promise.Plan, moves *promise.Moves) {
	m.Plan = promise.Definition.Encode(p)
	if moves != nil {
		m.Moves = &Moves{
			Arguments:    migration.PlanDefinition.Encode(moves.Input),
			Link:         moves.Link,
			SharePercent: moves.SharePercent,
		}
	}
}

func (m *Model) fingerprint() string {
	sum := fnv.New64a()
	_ = json.NewEncoder(sum).Encode([]any{m.Plan, m.Moves}) //nolint:errchkjson // plain values
	return fmt.Sprintf("%016x", sum.Sum64())
}

type state struct {
	plan  promise.Plan
	moves *promise.Moves
}

func (m *Model) state() (state, error) {
	var s state
	var err error
	if s.plan, err = promise.Definition.Decode(m.Plan); err != nil || m.Moves == nil {
		return s, err
	}
	s.moves = &promise.Moves{Link: m.Moves.Link, SharePercent: m.Moves.SharePercent}
	s.moves.Input, err = migration.PlanDefinition.Decode(m.Moves.Arguments)
	return s, err
}

// clone returns a copy with its own maps of links, targets and tiers. Both copies share the VM maps of the tiers, so a
// VM map must be replaced rather than modified.
func (s *state) clone() state {
	changed := *s
	changed.plan.Links = maps.Clone(s.plan.Links)
	changed.plan.Targets = maps.Clone(s.plan.Targets)
	changed.plan.Tiers = maps.Clone(s.plan.Tiers)
	if s.moves != nil {
		changed.moves = new(*s.moves)
	}
	return changed
}
