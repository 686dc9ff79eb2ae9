// The review: subjects by kind, the worst first, and what to say above them.

package report

import (
	"cmp"
	"encoding/base32"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"

	"terraform-provider-vsla/internal/plan"
)

// kind is how one type of result is shown.
type kind struct {
	types []string
	id    string
	title string
	intro string
	// fill makes the subject's content from what is known.
	fill func(*instance, *Subject)
	// overview builds the section's tables and figures from all known subjects of the kind; it may be nil.
	overview func([]known) ([]Table, []Figure)
}

// known is a subject whose values may be shown.
type known struct {
	*instance

	subject *Subject
}

// kinds are in the order of the page.
var kinds = []kind{
	{
		[]string{"vsla_sla_compliance"},
		"compliance",
		"Compliance with the SLA",
		"What is replicated, compared with the promises that the tags make.",
		fillCompliance,
		nil,
	},
	{
		[]string{"vsla_replication_estimate"},
		"replication",
		"Replication estimates",
		"A recovery point describes the VM at the start of its sync. " +
			"It holds at all times when a cycle's changes are sent within half the RPO; " +
			"within the whole RPO is the weaker, published test.",
		fillEstimate,
		estimateOverview,
	},
	{
		[]string{"vsla_replication_confidence"},
		"confidence",
		"Replication confidence",
		"The estimate when inputs are ranges: how likely each promise is, and which input matters how much.",
		fillConfidence,
		confidenceOverview,
	},
	{
		[]string{"vsla_replication_schedule"},
		"schedules",
		"Replication schedules",
		"All groups on one link, simulated sync by sync.",
		fillSchedule,
		scheduleOverview,
	},
	{
		[]string{"vsla_link_throughput"},
		"links",
		"Link throughput",
		"What a path carries, and what limits it.",
		fillLink,
		linkOverview,
	},
	{
		[]string{"vsla_vmotion_estimate"},
		"vmotion",
		"vMotion",
		"Memory is sent while the guest runs, and again what it dirtied, until the rest is small enough " +
			"to stop the guest for.",
		fillVMotion,
		vmotionOverview,
	},
	{
		[]string{"vsla_migration_plan"},
		"migration",
		"Migration plans",
		"Waves under vCenter's resource costs, the longest VMs first.",
		fillMigration,
		migrationOverview,
	},
	{
		[]string{"vsla_latency_impact"},
		"latency",
		"Latency impact",
		"What distance does to an application that is split from its database.",
		fillLatency,
		latencyOverview,
	},
	{
		[]string{"vsla_configuration_limits"},
		"limits",
		"Configuration limits",
		"Numbers in use, compared with published limits.",
		fillLimits,
		nil,
	},
	{
		[]string{"vsla_virtual_machines", "vsla_inventory_file"},
		"vms",
		"VMs",
		"Sizes as vCenter reports them, or as a file has them.",
		fillVMs,
		vmsOverview,
	},
}

var otherKind = kind{nil, "other", "Other results", "Shown attribute by attribute.", fillGeneric, nil}

// Build makes the review.
func Build(d *Document) *Review {
	r := &Review{
		FormatVersion: "1.0",
		Verdict:       Neutral,
		Source:        Source{Kind: "state"},
		Counts:        []Count{},
		Notes:         []string{},
		Sections:      []Section{},
	}
	if d.plan != nil {
		r.Source = Source{
			Kind:             "plan",
			TerraformVersion: clean(d.plan.TerraformVersion),
			Errored:          d.extra.Errored,
			Destroys:         d.destroys(),
		}
	} else {
		r.Source.TerraformVersion = clean(d.state.TerraformVersion)
	}
	if d.inventory != "" {
		r.Source = Source{Kind: kindInventory, File: clean(d.inventory)}
	}
	all := d.instances()
	ids := make(map[string]bool)
	for _, k := range append(append(slices.Clone(kinds), describedKinds()...), otherKind) {
		var mine []*instance
		for _, in := range all {
			if k.handles(in.kind) {
				mine = append(mine, in)
			}
		}
		if len(mine) > 0 {
			r.Sections = append(r.Sections, k.section(mine, ids))
		}
	}
	r.sum()
	r.Notes = append(d.notes(all), d.added...)
	return r
}

func (k kind) handles(kindOf string) bool {
	if k.types != nil {
		return slices.Contains(k.types, kindOf)
	}
	return !slices.ContainsFunc(append(slices.Clone(kinds), describedKinds()...),
		func(other kind) bool { return slices.Contains(other.types, kindOf) })
}

func (k kind) section(all []*instance, ids map[string]bool) Section {
	s := Section{
		ID:       k.id,
		Title:    k.title,
		Intro:    k.intro,
		Tables:   []Table{},
		Figures:  []Figure{},
		Subjects: make([]Subject, 0, len(all)),
	}
	ids[k.id] = true
	for _, in := range all {
		s.Subjects = append(s.Subjects, k.subject(in, ids))
	}
	if k.overview != nil {
		var shown []known
		for i, in := range all {
			if in.deferred == "" && len(in.sensitive) == 0 {
				shown = append(shown, known{in, &s.Subjects[i]})
			}
		}
		if len(shown) > 0 {
			s.Tables, s.Figures = k.overview(shown)
			if missing := len(all) - len(shown); missing > 0 {
				s.Tables[0].Note = strings.TrimSpace(
					s.Tables[0].Note + " " + count(missing, "result") + " not known or withheld: see below.",
				)
			}
		}
	}
	return s
}

// subject shows one result, or says why it is not shown.
func (k kind) subject(in *instance, ids map[string]bool) Subject {
	s := Subject{
		ID: anchorOf(in.address, ids), Address: clean(in.address), Name: nameOf(in), Type: clean(in.kind), Level: Neutral,
		Reasons: []Reason{}, Notes: []string{}, Facts: []Fact{}, Tables: []Table{}, Figures: []Figure{},
	}
	switch {
	case in.deferred != "":
		s.Level = Unknown
		s.Summary = "Not known before apply: " + in.deferred + "."
		if len(in.unknown) > 0 && len(in.sensitive) == 0 {
			s.Notes = append(s.Notes, "Not known yet: "+strings.Join(in.unknown, ", ")+".")
		}
		if len(in.sensitive) == 0 {
			s.Facts = in.facts(inputsOf(in.kind)...)
		}
	case len(in.sensitive) > 0:
		withhold(in, &s)
	default:
		s.Summary = in.text("summary")
		s.Reasons = in.reasons()
		k.fill(in, &s)
		if in.result {
			s.Notes = append(s.Notes, "This is a function's result in an output; its inputs are not in the file.")
		}
	}
	if len(in.outputs) > 0 {
		s.Notes = append(s.Notes, "Also shown by "+clean(strings.Join(in.outputs, ", "))+".")
	}
	return s
}

// nameOf returns the address without "data." and the type.
func nameOf(in *instance) string {
	return clean(strings.Replace(in.address, "data."+in.kind+".", "", 1))
}

// withhold shows no number and no text: results are computed from what is sensitive, and could be turned back. The
// verdict stays, unless it is sensitive itself.
func withhold(in *instance, s *Subject) {
	whole := in.sensitive[0] == ""
	s.Level = Unknown
	if !whole &&
		!slices.ContainsFunc(in.sensitive, func(name string) bool { return slices.Contains(judged(), name) }) {
		s.Level, s.Verdict = in.level()
	}
	s.Summary = "Withheld: the value is marked as sensitive."
	if !whole {
		s.Summary = "Figures are withheld, because they could be computed back to what is marked as sensitive: " + clean(
			strings.Join(in.sensitive, ", "),
		) + "."
	}
}

// reasons pairs codes with sentences. A calculator returns as many of one as of the other.
func (in *instance) reasons() []Reason {
	codes, sentences := in.texts("reasons"), in.texts("explanations")
	reasons := make([]Reason, 0, len(codes))
	for i, code := range codes {
		r := Reason{Code: code}
		if i < len(sentences) {
			r.Sentence = sentences[i]
		}
		reasons = append(reasons, r)
	}
	return reasons
}

// sum counts the levels and says the whole in a sentence.
func (r *Review) sum() {
	numbers := make(map[Level]int)
	all := 0
	for _, section := range r.Sections {
		for _, s := range section.Subjects {
			numbers[s.Level]++
			all++
			if s.Level.rank() < r.Verdict.rank() {
				r.Verdict = s.Level
			}
		}
	}
	for _, level := range levels {
		if numbers[level] > 0 {
			r.Counts = append(r.Counts, Count{level, numbers[level]})
		}
	}
	judged := all - numbers[Neutral]
	switch {
	case all == 0:
		r.Headline = "The file contains no vsla results."
	case judged == 0:
		r.Headline = "No result in the file carries a verdict."
	case r.Verdict == Holds:
		r.Headline = "Everything with a verdict holds."
	default:
		r.Headline = fmt.Sprintf("Of %s with a verdict, %s.", count(judged, "result"), strings.Join(r.clauses(), ", "))
	}
}

func (r *Review) clauses() []string {
	var clauses []string
	for _, c := range r.Counts {
		verb := map[Level][2]string{
			Misses: {"does not hold", "do not hold"}, AtRisk: {"is at risk", "are at risk"},
			Unknown: {"is not known", "are not known"}, Holds: {"holds", "hold"},
		}[c.Level]
		if verb[0] == "" {
			continue
		}
		word := verb[1]
		if c.Number == 1 {
			word = verb[0]
		}
		clauses = append(clauses, plan.Thousands(float64(c.Number), 0)+" "+word)
	}
	return clauses
}

// destroys reports whether a plan leaves nothing: only deletions, and no data source that is read.
func (d *Document) destroys() bool {
	deletes := false
	for _, c := range d.plan.ResourceChanges {
		if c == nil || c.Change == nil {
			continue
		}
		if !c.Change.Actions.Delete() && !c.Change.Actions.NoOp() {
			return false
		}
		deletes = deletes || c.Change.Actions.Delete()
	}
	return deletes
}

func (d *Document) notes(all []*instance) []string {
	notes := []string{}
	if d.extra.Errored {
		notes = append(notes, "The plan ended with an error: it cannot be applied, and results may be missing.")
	}
	if d.plan == nil || len(all) == 0 {
		return notes
	}
	if d.destroys() {
		notes = append(notes, "This plan destroys what there is; the results are those that were read before it.")
	}
	withheld := slices.ContainsFunc(all, func(in *instance) bool { return len(in.sensitive) > 0 })
	for _, c := range d.plan.Checks {
		for _, i := range c.Instances {
			for _, p := range i.Problems {
				message := clean(p.Message)
				if withheld {
					message = "it failed; its message is withheld, because it may quote what is marked as sensitive."
				}
				notes = append(notes, "Check of "+clean(i.Address.ToDisplay)+": "+message)
			}
		}
	}
	return notes
}

// anchorOf makes an address a fragment that is unique on the page and the same for the same address.
func anchorOf(address string, taken map[string]bool) string {
	var b strings.Builder
	for _, r := range strings.TrimPrefix(address, "data.") {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			b.WriteRune(r)
		} else if s := b.String(); s != "" && !strings.HasSuffix(s, "-") {
			b.WriteByte('-')
		}
	}
	id := cmp.Or(strings.Trim(b.String(), "-"), "result")
	if !taken[id] {
		taken[id] = true
		return id
	}
	sum := fnv.New32a()
	_, _ = sum.Write([]byte(address))
	id += "-" + strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(sum.Sum(nil)))
	for n := 2; taken[id]; n++ {
		id += fmt.Sprint("-", n)
	}
	taken[id] = true
	return id
}
