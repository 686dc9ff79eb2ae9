package whatif

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"maps"

	"terraform-provider-vsla/internal/assess"
	"terraform-provider-vsla/internal/plan/migration"
	"terraform-provider-vsla/internal/plan/promise"
)

// Model is the source of a page.
type Model struct {
	// Program is the version of the program that wrote the page, File the name of the source and Kind its kind.
	Program string `json:"program,omitempty"`
	Title   string `json:"title"`
	Kind    string `json:"kind"`
	File    string `json:"file,omitempty"`
	// Files are those that were read, Date is the day of a plan.
	Files []assess.File `json:"files,omitempty"`
	Date  string        `json:"date,omitempty"`
	// Notes are about the source as a whole, Open is what no promise is about.
	Notes []string `json:"notes,omitempty"`
	Open  []Gap    `json:"open,omitempty"`
	// Name is the plan's, Plan has the arguments of vsla_sla_plan.
	Name string         `json:"name"`
	Plan map[string]any `json:"plan"`
	// Moves is the migration; nil without one.
	Moves *Moves `json:"moves,omitempty"`
	// TiersFile is the text of the tiers file that the plan is from; empty for another source.
	TiersFile string `json:"tiers_file,omitempty"`
}

// Gap is a promise without VMs, or VMs without a promise.
type Gap struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// Moves are the arguments of vsla_migration_plan.
type Moves struct {
	Arguments map[string]any `json:"arguments"`
	// Link is the link whose usable throughput they take, SharePercent the part of it; empty if they have their own.
	Link         string  `json:"link"`
	SharePercent float64 `json:"share_percent"`
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

// clone returns a state whose maps can be changed; the VMs of a tier are replaced as a whole.
func (s *state) clone() state {
	changed := *s
	changed.plan.Links, changed.plan.Targets = maps.Clone(s.plan.Links), maps.Clone(s.plan.Targets)
	changed.plan.Tiers = maps.Clone(s.plan.Tiers)
	if s.moves != nil {
		changed.moves = new(*s.moves)
	}
	return changed
}
