package whatif

import (
	"cmp"
	"context"
	"slices"

	"terraform-provider-vsla/internal/assess"
	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/promise"
	"terraform-provider-vsla/internal/wording"
)

// View contains the results of a plan as the page displays them.
type View struct {
	// Complete reports whether needs, growth, remedies and the migration have been computed.
	Complete bool `json:"complete"`
	// Level is the worst level of any promise, of the migration and of the open points. Headline covers the same.
	Level    plan.Level `json:"level"`
	Headline string     `json:"headline"`
	// Loads states what each link carries and needs.
	Loads      []string `json:"loads"`
	NotCounted string   `json:"not_counted,omitempty"`
	Figures    []Figure `json:"strip"`
	// Promises contains one card per tier, in tier order. Others contains the links, the targets and the migration.
	Promises []Card  `json:"promises"`
	Others   []Card  `json:"others"`
	WorstVMs []VM    `json:"worst"`
	Charts   []Chart `json:"charts"`
	// Curves contains the curves of the unchanged plan by the ID of their input, if they are known.
	Curves map[string][]Point `json:"curves,omitempty"`
	Answer *Answers           `json:"answer,omitempty"`
}

// Answers contains the verdicts of a view, with their figures as numbers.
type Answers struct {
	Promises map[string]Number `json:"promises"`
	Links    map[string]Number `json:"links"`
}

// Number contains a promise's verdict and share of time within the RPO, or the throughput in Mbit/s that a link needs.
type Number struct {
	Verdict string   `json:"verdict,omitempty"`
	Value   *float64 `json:"value"`
}

// Callbacks report the progress of a computation. Runs is called with the number of completed simulation runs. View is
// called with the verdicts, and again once the needs are known.
type Callbacks struct {
	Runs func(done, all int)
	View func(*View)
}

// Compute computes the plan with the changes applied. It returns a plan.InputErrors, or ctx.Err() if ctx is done.
func (p *Page) Compute(ctx context.Context, changes Changes, w Callbacks) (*View, error) {
	s, _ := p.apply(changes)
	watched := s.plan.WithCallbacks(promise.Callbacks{
		Runs: w.Runs,
		Partial: func(r promise.Result) {
			if w.View != nil {
				w.View(p.view(&s, r, changes, nil).markPartial())
			}
		},
	})
	r, err := promise.Compute(ctx, watched)
	if err != nil {
		return nil, err
	}
	moves, err := s.assessMoves(ctx)
	if err != nil {
		return nil, err
	}
	return p.view(&s, r, changes, moves).markComplete(), nil
}

// View returns the view of the unchanged plan with its curves, using its known result.
func (p *Page) View(ctx context.Context, r promise.Result) (*View, error) {
	moves, err := p.source.assessMoves(ctx)
	if err != nil {
		return nil, err
	}
	v := p.view(&p.source, r, nil, moves).markComplete()
	if promise.Definition.Slow(p.source.plan) {
		return v, nil
	}
	v.Curves = make(map[string][]Point)
	ids := map[string]float64{keyGrowth: 0}
	for name, of := range v.Answer.Links {
		if of.Value != nil {
			ids["link/"+name+"/"+keyThroughput] = *of.Value
		}
	}
	for id, needed := range ids {
		if v.Curves[id], err = p.Curve(ctx, nil, id, needed); err != nil {
			return nil, err
		}
	}
	return v, nil
}

// markPartial replaces what is computed after the verdicts.
func (v *View) markPartial() *View {
	for i := range v.Promises {
		if until := &v.Promises[i].Until; *until != wording.None {
			*until = "…"
		}
	}
	return v
}

func (v *View) markComplete() *View {
	v.Complete = true
	for i := range v.Figures {
		v.Figures[i].Pending = false
	}
	return v
}

func (s *state) hasMoves() bool { return s.moves != nil && len(s.moves.Input.VMs) > 0 }

func (s *state) assessMoves(ctx context.Context) (*assess.Assessment, error) {
	if !s.hasMoves() {
		return nil, nil //nolint:nilnil // there is no migration
	}
	d := s.moves.Definition(s.plan)
	_, values, err := d.Document(ctx, s.moves.InputOn(s.plan))
	if err != nil {
		return nil, err
	}
	return assess.List([]assess.Raw{{ //nolint:contextcheck // an assessment is made without a context
		Type:    d.DataSource(),
		Address: "data." + d.DataSource() + ".moves",
		Title:   "Moves",
		Values:  values,
	}})[0], nil
}

func (p *Page) view(s *state, r promise.Result, changes Changes, moves *assess.Assessment) *View {
	all := assess.OfPlan(p.model.Name, s.plan, r)
	v := &View{
		Loads:    []string{},
		Promises: []Card{},
		Others:   []Card{},
		WorstVMs: worstVMs(s, r),
		Charts:   p.charts(s, r, all),
		Figures:  summaryFigures(s, r),
		Answer:   &Answers{make(map[string]Number), make(map[string]Number)},
	}
	var promises []*assess.Assessment
	for _, a := range all {
		card := p.card(a, changes)
		switch of := a.Answer.(type) {
		case *assess.Promise:
			promises = append(promises, a)
			v.Promises = append(v.Promises, card)
			v.Answer.Promises[a.Key] = Number{of.Verdict, of.WithinRPOPercent}
		case *assess.Link:
			v.Others = append(v.Others, card)
			if len(of.Promises) > 0 && len(v.Loads) < maxLinkCharts {
				v.Loads = append(v.Loads, of.Load(a.Key))
			}
			v.Answer.Links[a.Key] = Number{Value: of.ThroughputNeededMbps}
		default:
			v.Others = append(v.Others, card)
		}
	}
	others := make(map[plan.Level]int)
	unknown := len(p.model.Open)
	if moves != nil {
		card := p.card(moves, changes)
		card.Scope, card.Title = "moves", "Moves"
		v.Others = append(v.Others, card)
		others = assess.CountLevels([]*assess.Assessment{moves})
	} else if s.hasMoves() {
		unknown++ // not computed yet
	}
	if unknown > 0 {
		others[plan.Unknown] += unknown
	}
	rows := p.tiers()
	slices.SortStableFunc(v.Promises, func(a, b Card) int {
		return cmp.Compare(slices.Index(rows, a.tier), slices.Index(rows, b.tier))
	})
	assess.Sort(promises)
	v.Level = assess.WorstLevel(others, assess.CountLevels(promises))
	v.Headline = assess.FullHeadline(promises, others, p.model.BlockedVMs)
	v.NotCounted = assess.NotCounted(promises)
	return v
}

func summaryFigures(s *state, r promise.Result) []Figure {
	share := Figure{ID: "share", Label: "Time within the RPO", Text: "not known"}
	protected := Figure{ID: "protected", Label: "All VMs protected", LowerIsBetter: true, Text: "not known"}
	late := false
	for _, name := range sortedNames(r.Promises) {
		one := r.Promises[name]
		if v := one.WithinRPOPercent; v != nil && (share.Value == nil || *v < *share.Value) {
			share.Value = v
			share.Subject = name
			share.Text = percent(v)
		}
		switch v := one.InitialSyncMinutes; {
		case v == nil && one.WithinRPOPercent != nil:
			late = true
			protected.Subject = name
			protected.Text = "not within 31 days"
		case v != nil && !late && (protected.Value == nil || *v > *protected.Value):
			protected.Value = v
			protected.Subject = name
			protected.Text = "after " + wording.About(*v)
		}
	}
	if late {
		protected.Value = nil
	}
	need, busiest := linkFigures(r)
	return []Figure{share, need, busiest, protected, growthFigure(s, r)}
}
