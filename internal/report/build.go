// The review: subjects by kind, the worst first, and what to say above them.

package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	tfjson "github.com/hashicorp/terraform-json"

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
	// shown are the inputs that the overview has.
	shown []string
}

// known is a subject whose values may be shown.
type known struct {
	*instance

	subject *Subject
}

// kinds are in the order of the page.
var kinds = []kind{
	{
		[]string{complianceType},
		idCompliance,
		"Compliance with the SLA",
		"What is replicated, compared with the promises that the tags make.",
		fillCompliance,
		nil,
		nil,
	},
	{
		[]string{historyType},
		idHistory,
		"Replication history",
		"What vSphere Replication did, by vCenter's event log. Missing events are never taken for success.",
		fillHistory,
		nil,
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
		[]string{"vm_count", "throughput_mbps", "rpo_minutes"},
	},
	{
		[]string{"vsla_replication_confidence"},
		"confidence",
		"Replication confidence",
		"The estimate when inputs are ranges: how likely each promise is, and which input matters how much.",
		fillConfidence,
		confidenceOverview,
		[]string{"rpo_minutes"},
	},
	{
		[]string{"vsla_replication_schedule"},
		"schedules",
		"Replication schedules",
		"All groups on one link, simulated sync by sync.",
		fillSchedule,
		scheduleOverview,
		[]string{"throughput_mbps", "target_compliance_percent"},
	},
	{
		[]string{"vsla_link_throughput"},
		"links",
		"Link throughput",
		"What a path carries, and what limits it.",
		fillLink,
		linkOverview,
		[]string{"bandwidth_mbps", "rtt_ms"},
	},
	{
		[]string{"vsla_vmotion_estimate"},
		"vmotion",
		"vMotion",
		"Memory is sent while the guest runs, and again what it dirtied, until the rest is small enough " +
			"to stop the guest for.",
		fillVMotion,
		vmotionOverview,
		[]string{"memory_gib", "disk_gib", "throughput_mbps", "rtt_ms"},
	},
	{
		[]string{"vsla_migration_plan"},
		"migration",
		"Migration plans",
		"Waves under vCenter's resource costs, the longest VMs first.",
		fillMigration,
		migrationOverview,
		[]string{"throughput_mbps"},
	},
	{
		[]string{"vsla_latency_impact"},
		"latency",
		"Latency impact",
		"What distance does to an application that is split from its database.",
		fillLatency,
		latencyOverview,
		[]string{"rtt_before_ms", "rtt_after_ms", "round_trips_per_operation", "throughput_before"},
	},
	{
		[]string{"vsla_configuration_limits"},
		"limits",
		"Configuration limits",
		"Numbers in use, compared with published limits.",
		fillLimits,
		nil,
		nil,
	},
	{
		[]string{"vsla_virtual_machines", "vsla_inventory_file"},
		"vms",
		"VMs",
		"Sizes as vCenter reports them, or as a file has them.",
		fillVMs,
		vmsOverview,
		nil,
	},
}

var otherKind = kind{nil, "other", "Other results", "Shown attribute by attribute.", fillGeneric, nil, nil}

// Build makes the review without a cover.
func Build(d *Document) *Review { return Cover{}.Build(d) }

// Build makes the review.
func (c Cover) Build(d *Document) *Review {
	date := c.date(d)
	r := &Review{
		FormatVersion: "1.0",
		Title:         cmp.Or(clean(c.Title), defaultTitle),
		Author:        clean(c.Author),
		Version:       c.Version,
		Verdict:       Neutral,
		Source:        d.source(),
		Counts:        []Count{},
		Notes:         []string{},
		Changes:       c.Changes,
		Sections:      []Section{},
		Assumptions:   []Table{},
	}
	if !date.IsZero() {
		r.Date = date.Format(time.DateOnly)
	}
	all := d.instances()
	detail(all)
	ids := reserved()
	for _, in := range all {
		in.date = date
	}
	var subjects []known
	for _, g := range titled(all) {
		section := g.kind.section(g.all, ids)
		of := make([]known, len(g.all))
		for i, in := range g.all {
			of[i] = known{in, &section.Subjects[i]}
		}
		if t := d.assumptions(g.kind.title, of); len(t.Rows) > 0 {
			r.Assumptions = append(r.Assumptions, t)
		}
		r.Sections = append(r.Sections, section)
		subjects = append(subjects, of...)
	}
	if t := rulesTable(subjects); len(t.Rows) > 0 {
		r.Assumptions = append(r.Assumptions, t)
	}
	r.Link = wholeLink(subjects)
	r.addPeriod(subjects)
	r.sum()
	r.summarize(subjects, c, date)
	if c.Changes != nil {
		for i := range c.Changes.Tables {
			c.Changes.Tables[i].keep(maxGeneric, "change")
		}
	}
	r.Notes = append(d.notes(all), d.added...)
	return r
}

// results is all results of a kind.
type results struct {
	kind kind
	all  []*instance
}

// titled returns the results by kind, in the order of the page, and names them.
func titled(all []*instance) []results {
	var groups []results
	for _, k := range slices.Concat(kinds, describedKinds(), []kind{otherKind}) {
		var mine []*instance
		for _, in := range all {
			if k.handles(in.kind) {
				mine = append(mine, in)
			}
		}
		if len(mine) > 0 {
			setTitles(mine)
			groups = append(groups, results{k, mine})
		}
	}
	return groups
}

// source says what was read.
func (d *Document) source() Source {
	switch {
	case d.inventory != "":
		return Source{Kind: kindInventory, File: clean(d.inventory)}
	case d.plan == nil:
		return Source{Kind: "state", TerraformVersion: clean(d.state.TerraformVersion)}
	}
	return Source{
		Kind:             "plan",
		TerraformVersion: clean(d.plan.TerraformVersion),
		Errored:          d.extra.Errored,
		Destroys:         d.destroys(),
	}
}

func (k kind) handles(kindOf string) bool {
	if k.types != nil {
		return slices.Contains(k.types, kindOf)
	}
	return !slices.ContainsFunc(append(slices.Clone(kinds), describedKinds()...),
		func(other kind) bool { return slices.Contains(other.types, kindOf) })
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

// destroys reports whether a plan leaves nothing: only deletions, and no data source that is read. A plan that deletes
// because the configuration has changed says why.
func (d *Document) destroys() bool {
	for _, c := range d.extra.ResourceChanges {
		if c.Reason != "" {
			return false
		}
	}
	deletes := false
	for _, c := range d.plan.ResourceChanges {
		if c == nil || c.Change == nil || c.Mode == tfjson.DataResourceMode && c.Change.Actions.NoOp() {
			continue
		}
		if !c.Change.Actions.Delete() {
			return false
		}
		deletes = true
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
