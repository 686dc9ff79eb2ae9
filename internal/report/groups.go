package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"terraform-provider-vsla/internal/assess"
	"terraform-provider-vsla/internal/assess/document"
	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/wording"
)

type protectionGroup struct {
	Name        string                `json:"name"`
	ID          string                `json:"protection_group_id"`
	Cluster     string                `json:"cluster_id"`
	Members     []string              `json:"member_vm_ids"`
	Removes     []string              `json:"removes"`
	Paused      bool                  `json:"paused"`
	Locked      bool                  `json:"locked"`
	Status      string                `json:"status"`
	Replication *groupTarget          `json:"replication"`
	Snapshots   map[string]*retention `json:"snapshot_policies"`
	rules

	// vsla_protection_groups returns the members as vm_ids and the attributes of the target at the top level.
	ListedMembers []string `json:"vm_ids"`
	groupTarget

	address  string
	action   document.Action
	unknown  []string
	withheld bool
	managed  bool
}

type groupTarget struct {
	PairID     string   `json:"cluster_pair_id"`
	RPOMinutes *float64 `json:"rpo_minutes"`
	KeepLast   *float64 `json:"keep_last"`
	LongTerm   *struct {
		Hourly  *retention `json:"hourly"`
		Daily   *retention `json:"daily"`
		Weekly  *retention `json:"weekly"`
		Monthly *retention `json:"monthly"`
	} `json:"long_term"`
}

type retention struct {
	Hours  *float64 `json:"keep_hours"`
	Days   *float64 `json:"keep_days"`
	Weeks  *float64 `json:"keep_weeks"`
	Months *float64 `json:"keep_months"`
	Years  *float64 `json:"keep_years"`
}

type rules struct {
	TagRules any `json:"tag_rules"`
	Patterns any `json:"vm_name_patterns"`
}

// decode converts values to a type. Values that do not fit the type are omitted.
func decode[T any](values any) T {
	var value T
	if text, err := json.Marshal(values); err == nil {
		_ = json.Unmarshal(text, &value)
	}
	return value
}

func (b *builder) groupSection() (s Section, ok bool) {
	groups := b.protectionGroups()
	if len(groups) == 0 {
		return s, false
	}
	t := newTable("Protection groups", "Group", "Change", "Cluster", "Members", "#RPO", "Target cluster", "Retention",
		"Locked", "Verdict", "Reason")
	t.Note = "Members can change with the tags while the group does not change. Verdicts are based on the members in " +
		"results of vsla_sla_compliance, which combine all groups of a VM."
	for _, g := range groups {
		texts := []string{wording.None, wording.None, wording.None, wording.None, wording.None, wording.None}
		level, reason := plan.Unknown, "withheld: a value is marked as sensitive"
		if !g.withheld {
			level, reason = g.verdict(b.all)
			texts = []string{
				cmp.Or(g.Cluster, wording.None),
				g.membersText(b.all),
				g.rpoText(),
				g.targetText(b.all),
				g.retentionText(),
				g.lockText(),
			}
		}
		row := []Cell{{Text: cmp.Or(g.Name, g.address)}, {Text: cmp.Or(string(g.action), wording.None)}}
		for _, text := range texts {
			row = append(row, Cell{Text: text})
		}
		t.Rows = append(t.Rows, append(row, levelCell(level), Cell{Text: reason}))
	}
	t.truncate(maxRows, "group")
	return Section{
		ID:       idGroups,
		Title:    "Protection groups",
		Intro:    "VMs that vSAN Data Protection protects by tag, name or ID.",
		Tables:   []Table{t},
		Figures:  []Figure{},
		Subjects: []Subject{},
	}, true
}

// protectionGroups returns the groups managed by resources, followed by other groups that data sources return.
func (b *builder) protectionGroups() []protectionGroup {
	var groups []protectionGroup
	for _, r := range b.document.Resources() {
		if r.Type != "vsla_protection_group" {
			continue
		}
		values := r.Values
		if r.Before != nil {
			values = r.Before
		}
		g := decode[protectionGroup](values)
		g.address = r.Address
		g.action = r.Action
		g.unknown = r.Unknown
		g.withheld = r.Withheld
		g.managed = true
		groups = append(groups, g)
	}
	for _, a := range b.all {
		if a.Type != "vsla_protection_groups" || a.Hidden() {
			continue
		}
		listed := decode[struct {
			Cluster string                     `json:"cluster_id"`
			Groups  map[string]protectionGroup `json:"groups"`
		}](a.Values)
		for _, id := range slices.SortedFunc(maps.Keys(listed.Groups), wording.Natural) {
			g := listed.Groups[id]
			g.address = a.Address
			g.ID = id
			g.Cluster = listed.Cluster
			g.Members = g.ListedMembers
			if target := g.groupTarget; target.PairID != "" {
				g.Replication = &target
			}
			known := func(o protectionGroup) bool { return o.Cluster == g.Cluster && o.ID == g.ID }
			if !slices.ContainsFunc(groups, known) {
				groups = append(groups, g)
			}
		}
	}
	return groups
}

// membersText returns the number of members. If it is known only after apply, the number is taken from a preview with
// the same rules. For an update, the text also states how many members are removed.
func (g *protectionGroup) membersText(all []*assess.Assessment) string {
	text := "known after apply"
	if g.Members != nil {
		text = wording.Decimal(float64(len(g.Members)))
	} else if i := slices.IndexFunc(all, g.isPreviewedBy); i >= 0 {
		text = wording.Value("vm_count", all[i].Values["vm_count"]) + " (preview)"
	}
	switch {
	case g.action != document.Update:
	case slices.Contains(g.unknown, "removes"):
		text += "; removals not known"
	case len(g.Removes) > 0:
		text += "; this change removes " + wording.Decimal(float64(len(g.Removes)))
	}
	return text
}

func (g *protectionGroup) isPreviewedBy(a *assess.Assessment) bool {
	if a.Type != "vsla_protection_members" || a.Hidden() {
		return false
	}
	for _, name := range []string{"cluster_id", "tag_rules", "vm_ids", "vm_name_patterns"} {
		if slices.Contains(g.unknown, name) {
			return false
		}
	}
	p := decode[protectionGroup](a.Values)
	return p.Cluster == g.Cluster && reflect.DeepEqual(p.rules, g.rules) &&
		reflect.DeepEqual(p.ListedMembers, g.ListedMembers)
}

func (g *protectionGroup) rpoText() string {
	if g.Replication == nil {
		return wording.None
	}
	return valueOrNone("rpo_minutes", g.Replication.RPOMinutes)
}

func (g *protectionGroup) targetText(all []*assess.Assessment) string {
	if g.Replication == nil {
		return wording.None
	}
	for _, a := range all {
		if a.Type != "vsla_cluster_pairs" || a.Hidden() {
			continue
		}
		pairs := decode[struct {
			Pairs map[string]struct {
				Name string `json:"peer_cluster_name"`
			} `json:"pairs"`
		}](a.Values).Pairs
		if pair, ok := pairs[g.Replication.PairID]; ok {
			return pair.Name
		}
	}
	return cmp.Or(g.Replication.PairID, wording.None)
}

func (g *protectionGroup) retentionText() string {
	var texts []string
	if r := g.Replication; r != nil {
		if r.KeepLast != nil {
			texts = append(texts, "last "+wording.Decimal(*r.KeepLast))
		}
		if long := r.LongTerm; long != nil {
			for _, period := range []struct {
				name string
				of   *retention
			}{{"hourly", long.Hourly}, {"daily", long.Daily}, {"weekly", long.Weekly}, {"monthly", long.Monthly}} {
				if period.of != nil {
					texts = append(texts, period.name+" for "+period.of.text())
				}
			}
		}
	}
	for _, name := range slices.SortedFunc(maps.Keys(g.Snapshots), wording.Natural) {
		texts = append(texts, "snapshots "+name+" for "+g.Snapshots[name].text())
	}
	return cmp.Or(strings.Join(texts, ", "), wording.None)
}

func (k *retention) text() string {
	if k != nil {
		for _, unit := range []struct {
			name string
			n    *float64
		}{{"hour", k.Hours}, {"day", k.Days}, {"week", k.Weeks}, {"month", k.Months}, {"year", k.Years}} {
			if unit.n != nil {
				return wording.Count(int(*unit.n), unit.name)
			}
		}
	}
	return "an unknown time"
}

func (g *protectionGroup) lockText() string {
	switch {
	// A group that is already locked cannot be updated, so a plan that updates the group also locks it.
	case g.Locked && (g.action == document.Create || g.action == document.Update):
		return "by this plan, permanently"
	case g.Locked:
		return "yes, permanently"
	}
	return "no"
}

func (g *protectionGroup) verdict(all []*assess.Assessment) (plan.Level, string) {
	switch {
	case g.action == document.Delete:
		return plan.Neutral, "its members lose this protection"
	case g.action == document.Forget:
		return plan.Neutral, "no longer managed, but still on the appliance"
	case g.Replication == nil:
		return plan.Neutral, "local snapshots only"
	case g.Paused || g.Status == "PAUSED":
		return plan.Misses, "paused: no VM is protected"
	case g.action == document.Create || g.action == document.Replace:
		return plan.Unknown, "not known before apply"
	case g.Status != "" && g.Status != "ACTIVE":
		return plan.Unknown, "its status is " + g.Status
	}
	return g.memberVerdict(all)
}

func (g *protectionGroup) memberVerdict(all []*assess.Assessment) (plan.Level, string) {
	compliant, judged := 0, 0
	for _, id := range g.Members {
		for _, a := range all {
			c, ok := assess.As[*assess.Compliance](a)
			if !ok {
				continue
			}
			if vm, ok := c.VMs[id]; ok {
				judged++
				if vm.Verdict == "compliant" {
					compliant++
				}
				break
			}
		}
	}
	text := fmt.Sprintf("%d of %s compliant", compliant, wording.Count(len(g.Members), "member"))
	switch {
	case g.Members == nil:
		return plan.Unknown, "its members are known after apply"
	case len(g.Members) == 0:
		return plan.Neutral, "it has no members"
	case judged == 0:
		return plan.Unknown, "no vsla_sla_compliance evaluates its members"
	case compliant < judged:
		return plan.Misses, text
	case judged < len(g.Members):
		return plan.Unknown, fmt.Sprintf("%s, %d not evaluated", text, len(g.Members)-judged)
	}
	return plan.Meets, text
}
