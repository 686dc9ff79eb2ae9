package whatif

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"terraform-provider-vsla/internal/assess"
	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/calculator"
	"terraform-provider-vsla/internal/plan/migration"
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

// Card describes a promise, a link, a target or the migration.
type Card struct {
	Title   string     `json:"title"`
	Scope   string     `json:"scope"`
	Level   plan.Level `json:"level"`
	Verdict string     `json:"word,omitempty"`
	// Promise states the promise, and Reason states why it does not hold. Details contains the rest of the explanation.
	Promise string   `json:"told"`
	Reason  string   `json:"reason,omitempty"`
	Details []string `json:"how"`
	Facts   []Pair   `json:"facts"`
	Buttons []Button `json:"buttons"`
	// Within, Late and Until are cells in the table of tiers.
	Within string `json:"within,omitempty"`
	Late   string `json:"late,omitempty"`
	Until  string `json:"until,omitempty"`

	tier string
}

// Pair is a label and its value. Exact is shown on hover.
type Pair struct {
	Key   string `json:"key"`
	Value string `json:"value"`
	Exact string `json:"exact,omitempty"`
}

// Button sets cells to the values in Changes.
type Button struct {
	Text    string  `json:"text"`
	Changes Changes `json:"changes"`
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
				w.View(p.view(&s, r, changes, nil))
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
	in, defaults := s.moves.InputOn(s.plan), migration.PlanDefaults()
	c := s.moves.Calculator(s.plan)
	values := migration.PlanDefinition.Inputs.Encode(&in, &defaults)
	results, err := c.EvaluateContext(ctx, values)
	if err != nil {
		return nil, err
	}
	maps.Copy(values, results)
	return assess.List([]assess.Raw{{ //nolint:contextcheck // an assessment is made without a context
		Type:    c.DataSource(),
		Address: "data." + c.DataSource() + ".moves",
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
				v.Loads = append(v.Loads, wording.Clean(of.Load(a.Key)))
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
			share.Subject = wording.Clean(name)
			share.Text = percent(v)
		}
		switch v := one.InitialSyncMinutes; {
		case v == nil && one.WithinRPOPercent != nil:
			late = true
			protected.Subject = wording.Clean(name)
			protected.Text = "not within 31 days"
		case v != nil && !late && (protected.Value == nil || *v > *protected.Value):
			protected.Value = v
			protected.Subject = wording.Clean(name)
			protected.Text = "after " + wording.About(*v)
		}
	}
	if late {
		protected.Value = nil
	}
	need, busiest := linkFigures(r)
	return []Figure{share, need, busiest, protected, growthFigure(s, r)}
}

func (p *Page) card(a *assess.Assessment, changes Changes) Card {
	c := Card{
		Title:   a.Title,
		Level:   a.Level,
		Promise: wording.Clean(a.Texts.Statement()),
		Details: []string{},
		Facts:   []Pair{},
		Buttons: []Button{},
	}
	if a.HasVerdict() {
		c.Verdict = wording.LevelWord(a.Level)
	}
	if a.Summary != "" {
		c.Details = append(c.Details, wording.Plain(wording.Clean(a.Summary)))
	}
	first := max(0, slices.IndexFunc(a.Reasons, func(r assess.Reason) bool {
		return (r.Code == "size_unknown") == (a.Level == plan.Unknown)
	}))
	for i, reason := range a.Reasons {
		if text := wording.Plain(wording.Clean(reason.Text())); i == first && a.Level != plan.Meets {
			c.Reason = text
		} else {
			c.Details = append(c.Details, text)
		}
	}
	c.Facts = append(c.Facts, resultsOf(a)...)
	switch of := a.Answer.(type) {
	case *assess.Promise:
		c.Scope, c.tier = "tier/"+a.Key, a.Key
		c.Within = cmp.Or(of.Within(), wording.None)
		c.Late = lateText(of)
		c.Until = untilText(a.Texts.Outlook)
		for _, remedy := range of.Remedies {
			phrase := wording.Capital(wording.Clean(assess.Phrase(remedy)))
			if sets := remedyChanges(a.Key, of.Tier, remedy, changes); sets != nil {
				c.Buttons = append(c.Buttons, Button{phrase, sets})
			} else {
				c.Details = append(c.Details, phrase+".")
			}
		}
	case *assess.Link:
		c.Scope = "link/" + a.Key
		if need := of.ThroughputNeededMbps; need != nil && *need > promise.RangeThroughputMbps.Min {
			sets := settingChanges(of.NeededConfiguredRPOMinutes)
			sets[c.Scope+"/throughput_mbps"] = *need
			c.Buttons = append(c.Buttons, Button{
				"Set to the throughput needed: " + assess.NeedText(of.LinkResult), sets,
			})
		}
	case *assess.Target:
		c.Scope = "target/" + a.Key
	case calculator.Answer[migration.PlanInput, migration.PlanResult]:
		c.Facts = moveFacts(&of.Result)
	}
	return c
}

func lateText(p *assess.Promise) string {
	if p.WithinRPOPercent == nil {
		return wording.None
	}
	return plan.Thousands(float64(p.LateVMCount), 0)
}

func untilText(e *assess.Outlook) string {
	switch {
	case e == nil || !e.HasGrowth:
		return wording.None
	case e.First() == nil:
		return "more than " + wording.Months(e.HorizonMonths)
	}
	var parts []string
	for _, end := range []struct {
		at   *float64
		word string
	}{{e.MonthsUntilAtRisk, "at risk"}, {e.MonthsUntilMiss, "misses the RPO"}} {
		if end.at == nil || end.word == "at risk" && e.MonthsUntilMiss != nil && *e.MonthsUntilMiss <= *end.at {
			continue
		}
		when := " in " + wording.Months(*end.at)
		if *end.at == 0 {
			when = " today"
		}
		parts = append(parts, end.word+when)
	}
	return strings.Join(parts, ", ")
}

func resultsOf(a *assess.Assessment) []Pair {
	var pairs []Pair
	facts := a.Facts()
	of, _ := assess.As[*assess.Promise](a)
	if of != nil && of.Setting() != "" {
		pairs = append(pairs, Pair{Key: "Configure", Value: of.Setting()})
	}
	for i := range facts {
		f := &facts[i]
		if f.Result && f.HasValue() && f.Members == nil && (of == nil || f.Name != "suggested_rpo_minutes") {
			pairs = append(pairs, Pair{Key: f.Label, Value: f.Text()})
		}
	}
	return pairs
}

// settingChanges returns the changes that configure RPOs, by tier.
func settingChanges(settings map[string]float64) Changes {
	sets := Changes{}
	for tier, minutes := range settings {
		sets["tier/"+tier+"/"+promise.RemedySetting] = minutes
	}
	return sets
}

// remedyChanges returns the changes that apply a remedy, or nil if the page has no cells for it.
func remedyChanges(name string, tier promise.Tier, r promise.Remedy, changes Changes) Changes {
	sets := settingChanges(r.ConfiguredRPOMinutes)
	switch r.Kind {
	case promise.RemedySetting: // already set
	case promise.RemedyThroughput:
		sets["link/"+r.At+"/throughput_mbps"] = *r.Value
	case promise.RemedyRPO, promise.RemedyDeadline, promise.RemedyPeak:
		sets["tier/"+name+"/"+r.Kind] = *r.Value
	case promise.RemedyPerSync:
		if _, hasRange := tier.Ranges[r.Kind]; hasRange {
			return nil
		}
		sets["tier/"+name+"/"+r.Kind] = *r.Value
	case promise.RemedyFree, promise.RemedyWrite:
		sets["target/"+r.At+"/"+r.Kind] = *r.Value
	case promise.RemedySource:
		sets["plan/"+r.Kind] = *r.Value
	case promise.RemedyMeasure:
		sets["link/"+r.At+"/throughput_basis"] = plan.BasisTransfer
		sets["link/"+r.At+"/network.throughput_basis"] = plan.BasisTransfer
	case promise.RemedyWithout:
		names := []any{}
		for _, vm := range append(excludedVMs(changes), r.VirtualMachines...) {
			names = append(names, vm)
		}
		sets[keyExcluded] = names
	default:
		return nil
	}
	return sets
}

func moveFacts(r *migration.PlanResult) []Pair {
	facts := []Pair{
		{Key: "VMs", Value: wording.Decimal(float64(len(r.Moves) - len(r.Unplanned)))},
		{Key: "Duration", Value: wording.About(r.DurationSeconds / 60), Exact: wording.Duration(r.DurationSeconds)},
	}
	if r.WindowsNeeded != nil {
		facts = append(facts, Pair{Key: "Windows", Value: wording.Decimal(float64(*r.WindowsNeeded))})
	}
	if len(r.Unplanned) > 0 {
		facts = append(facts, Pair{Key: "Not planned", Value: wording.Clean(strings.Join(r.Unplanned, ", "))})
	}
	if r.WorstDowntimeSeconds != nil {
		atLeast := ""
		if slices.Contains(plan.Codes(r.Findings), "dirty_rate_unknown") {
			atLeast = "at least "
		}
		facts = append(facts, Pair{
			Key:   "Longest downtime",
			Value: atLeast + wording.About(*r.WorstDowntimeSeconds/60),
			Exact: wording.Duration(*r.WorstDowntimeSeconds) + ", " + wording.Clean(r.WorstDowntimeVM),
		})
	}
	return facts
}
