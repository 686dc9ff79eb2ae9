package assess

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/quantity"
	"terraform-provider-vsla/internal/wording"
)

// Data sources that return measurements. The Go types of their results are defined in this package.
const (
	TypeCompliance = "vsla_sla_compliance"
	TypeHistory    = "vsla_replication_history"
)

// Compliance is the result of vsla_sla_compliance.
type Compliance struct {
	Tiers   map[string]ComplianceTier `json:"tiers"`
	VMs     map[string]ComplianceVM   `json:"virtual_machines"`
	Periods map[string]Period         `json:"periods"`
	// The lists contain VM IDs.
	Unprotected           []string `json:"unprotected"`
	WeakerThanPromised    []string `json:"weaker_than_promised"`
	InViolation           []string `json:"in_violation"`
	SeveralTiers          []string `json:"several_tiers"`
	UntaggedButReplicated []string `json:"untagged_but_replicated"`
}

// ComplianceTier contains what was promised to a tier.
type ComplianceTier struct {
	RPOMinutes *float64 `json:"rpo_minutes"`
}

// ComplianceVM contains a VM's promised and configured RPO, replication status and verdict.
type ComplianceVM struct {
	Name          string   `json:"name"`
	Tier          string   `json:"tier"`
	PromisedRPO   *float64 `json:"promised_rpo_minutes"`
	ConfiguredRPO *float64 `json:"configured_rpo_minutes"`
	Status        string   `json:"status"`
	Verdict       string   `json:"verdict"`
}

// Period contains the RPO measurements for a period. Minutes are totals over all VMs.
type Period struct {
	VMCount           float64  `json:"vm_count"`
	UnknownVMCount    float64  `json:"unknown_vm_count"`
	PromisedPercent   *float64 `json:"promised_compliance_percent"`
	CompliancePercent *float64 `json:"compliance_percent"`
	Violations        float64  `json:"violations"`
	ViolationMinutes  float64  `json:"violation_minutes"`
	UnknownMinutes    float64  `json:"unknown_minutes"`
	Days              []Day    `json:"days"`
	Verdict           string   `json:"verdict"`
}

// Day is a day in a period. It starts at midnight UTC.
type Day struct {
	Date             string  `json:"date"`
	ViolationMinutes float64 `json:"violation_minutes"`
	KnownMinutes     float64 `json:"known_minutes"`
	UnknownMinutes   float64 `json:"unknown_minutes"`
}

// History is the result of vsla_replication_history.
type History struct {
	Total *Period              `json:"total"`
	VMs   map[string]HistoryVM `json:"virtual_machines"`
	Days  []Day                `json:"days"`
}

// HistoryVM is the measured history of one VM.
type HistoryVM struct {
	Period

	Name           string   `json:"name"`
	RPOMinutes     *float64 `json:"rpo_minutes"`
	DailyChangeGiB *float64 `json:"daily_change_gib"`
	P95DeltaGiB    *float64 `json:"p95_delta_gib"`
}

func complianceKind() *Kind {
	return &Kind{
		Type:    TypeCompliance,
		ID:      "compliance",
		Title:   "SLA compliance",
		Section: "SLA compliance",
		Intro:   "Replications, compared with the promises of the tier tags.",
		Arguments: []string{
			"tiers", "pairing_id", "protection_clusters", "lookback_hours", "read_minutes_max", "folder", "cluster",
		},
		read: decoder[Compliance],
	}
}

func decoder[T any](values map[string]any) (any, error) {
	text, err := json.Marshal(values)
	if err != nil {
		return nil, err
	}
	to := new(T)
	if err := json.Unmarshal(text, to); err != nil {
		return nil, err
	}
	return to, nil
}

func historyKind() *Kind {
	return &Kind{
		Type:      TypeHistory,
		ID:        "history",
		Title:     "Replication history",
		Section:   "Replication history",
		Intro:     "Syncs according to the event log of vCenter. Missing events do not count as success.",
		Source:    "the replication history",
		Arguments: []string{"vm_ids", "tag_id", "lookback_hours", "rpo_minutes", "vm_details", "read_minutes_max"},
		read:      decoder[History],
	}
}

// FindingsByVM returns the labels of each VM's findings by VM ID.
func (c *Compliance) FindingsByVM() map[string][]string {
	labels := make(map[string][]string)
	for _, list := range c.findings() {
		for _, id := range list.vmIDs {
			labels[id] = append(labels[id], list.label)
		}
	}
	return labels
}

type complianceFinding struct {
	code     string
	label    string
	singular string
	plural   string
	vmIDs    []string
}

func (c *Compliance) findings() []complianceFinding {
	return []complianceFinding{
		{
			"unprotected", "not replicated", "has a tier tag but is not replicated",
			"have a tier tag but are not replicated", c.Unprotected,
		},
		{
			"weaker_than_promised", "weaker than promised", "is replicated with a longer RPO than its tier promises",
			"are replicated with a longer RPO than their tier promises", c.WeakerThanPromised,
		},
		{
			"in_violation",
			"in violation",
			"is in violation of its RPO now",
			"are in violation of their RPO now",
			c.InViolation,
		},
		{
			"several_tiers",
			"several tiers",
			"has the tags of several tiers",
			"have the tags of several tiers",
			c.SeveralTiers,
		},
		{
			"untagged_but_replicated", "no tier", "is replicated but has no tier tag",
			"are replicated but have no tier tag", c.UntaggedButReplicated,
		},
	}
}

// Level returns the level of the period's verdict.
func (p *Period) Level() plan.Level {
	return map[string]plan.Level{
		"kept":         plan.Meets,
		"broken":       plan.Misses,
		"unknown":      plan.Unknown,
		"":             plan.Neutral,
		"not_promised": plan.Neutral,
		"no_vms":       plan.Neutral,
	}[p.Verdict]
}

// FloorPercent formats a compliance percentage, rounded down to three decimal places, so that a value below the promise
// is never printed as equal to the promise.
func FloorPercent(percent *float64) string {
	if percent == nil {
		return wording.None
	}
	return plan.Number(math.Floor(*percent*1000)/1000) + "%"
}

func (a *Assessment) setComplianceTexts(c *Compliance) {
	for _, list := range c.findings() {
		verb := list.plural
		if len(list.vmIDs) == 1 {
			verb = list.singular
		}
		if n := len(list.vmIDs); n > 0 {
			a.Reasons = append(a.Reasons, Reason{list.code, wording.Count(n, "VM") + " " + verb + "."})
		}
	}
	var promised []string
	for _, tier := range slices.SortedFunc(maps.Keys(c.Periods), wording.Natural) {
		p := c.Periods[tier]
		if p.PromisedPercent != nil {
			promised = append(promised, tier+" "+wording.Value("promised_compliance_percent", *p.PromisedPercent))
		}
		switch p.Level() {
		case plan.Misses:
			a.Reasons = append(a.Reasons, Reason{
				"period_broken",
				fmt.Sprintf(
					"A VM of tier %s was within its RPO for %s of the known time, but the tier promises %s.",
					tier,
					FloorPercent(p.CompliancePercent),
					FloorPercent(p.PromisedPercent),
				),
			})
		case plan.Unknown:
			a.Reasons = append(a.Reasons, Reason{
				"period_unknown",
				fmt.Sprintf(
					"The compliance of tier %s is not known for %s.",
					tier,
					wording.Count(int(max(1, p.UnknownVMCount)), "VM"),
				),
			})
		default:
		}
	}
	a.Texts.Promise = "the RPOs of " + wording.Count(len(c.Tiers), "tier")
	a.Texts.Certainty = "measured"
	if len(promised) > 0 {
		a.Texts.Promise += ", over the period: " + quantity.List(promised, 3)
	}
	if a.Summary != "" {
		return
	}
	switch a.Level {
	case plan.Meets:
		a.Summary = "All promises are met for " + wording.Count(len(c.VMs), "VM") + "."
	case plan.Unknown:
		a.Summary = "It is not known whether the promises of the tiers are kept: the account cannot read every VM."
	default:
		a.Summary = "The promises of the tiers are not kept. Findings: " + wording.Count(
			len(c.FindingsByVM()),
			"VM",
		) + "."
	}
}

func (a *Assessment) setHistoryTexts(h *History) {
	a.Summary = "No part of the period is known."
	if h.Total != nil && h.Total.CompliancePercent != nil {
		a.Summary = "Within the RPO for " + FloorPercent(h.Total.CompliancePercent) + " of the known time."
	}
	a.Summary = strings.TrimSpace(a.Summary)
}
