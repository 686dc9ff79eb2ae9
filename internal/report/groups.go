// Protection groups: what a reviewer of a plan asks about each.

package report

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	tfjson "github.com/hashicorp/terraform-json"
)

const groupType = "vsla_protection_group"

// groupRow is a group of the document: a resource, or one that a data source lists.
type groupRow struct {
	*instance

	name   string
	action Action
	// unread are the attributes that are known after apply.
	unread []string
}

// groupSection lists the protection groups of a document; ok is false without one.
func (d *Document) groupSection(all []*instance) (s Section, ok bool) {
	rows := d.managedGroups()
	for _, in := range all {
		if in.kind == "vsla_protection_groups" && !in.unread() {
			rows = listedGroups(in, rows)
		}
	}
	if len(rows) == 0 {
		return s, false
	}
	t := newTable("Protection groups", "Group", "Change", "Cluster", "Members", "#RPO", "Target cluster", "Retention",
		"Locked", "Verdict", "Reason")
	t.Note = "Members follow tags without a change of the group. A verdict is that of the members in a result of " +
		"vsla_sla_compliance; several groups of a VM count together there."
	for _, g := range rows {
		if len(g.sensitive) > 0 {
			t.Rows = append(t.Rows, groupCells(g.name, []string{
				cmp.Or(string(g.action), none), none, none, none, none, none, none,
			}, Unknown, "withheld: a value is marked as sensitive"))
			continue
		}
		level, why := g.judged(all)
		t.Rows = append(t.Rows, groupCells(g.name, []string{
			cmp.Or(string(g.action), none), g.format("cluster_id"), g.membersText(all), g.rpo(), g.target(all),
			g.retention(), g.lock(),
		}, level, why))
	}
	t.keep(maxRows, "group")
	return Section{
		ID: idGroups, Title: "Protection groups", Intro: "VMs that vSAN Data Protection replicates by tag, name or id.",
		Tables: []Table{t}, Figures: []Figure{}, Subjects: []Subject{},
	}, true
}

func groupCells(name string, texts []string, level Level, why string) []Cell {
	row := []Cell{{Text: name}}
	for _, text := range texts {
		row = append(row, Cell{Text: text})
	}
	return append(row, levelCell(level), Cell{Text: why})
}

// managedGroups returns the groups that are resources, those that the plan deletes or forgets included.
func (d *Document) managedGroups() []groupRow {
	var rows []groupRow
	add := func(f Found, values map[string]any) {
		in := &instance{address: f.Address, kind: groupType, values: values}
		if f.Withheld {
			in.sensitive = []string{""}
		}
		rows = append(rows, groupRow{in, cmp.Or(in.text("name"), f.Name), f.Action, f.Unknown})
	}
	if d.plan == nil {
		for _, f := range resources(d.state.Values, nil) {
			if f.Type == groupType {
				add(f, f.Values)
			}
		}
		return rows
	}
	managed, changes := d.managed()
	for _, f := range managed {
		if f.Type != groupType {
			continue
		}
		values := f.Values
		if c := changes[f.Address]; f.Action == Delete || f.Action == Forget {
			f.Withheld = len(marked(c.Change.BeforeSensitive)) > 0
			if values = nil; !f.Withheld {
				values, _ = c.Change.Before.(map[string]any)
			}
		}
		add(f, values)
	}
	return rows
}

// managed returns the resources of a plan by address, and their changes.
func (d *Document) managed() (all []Found, changes map[string]*tfjson.ResourceChange) {
	changes = make(map[string]*tfjson.ResourceChange)
	for _, c := range d.plan.ResourceChanges {
		if c != nil && c.Change != nil && c.DeposedKey == "" &&
			isOurs(tfjson.ManagedResourceMode, c.Mode, c.Type, c.ProviderName) {
			changes[c.Address] = c
		}
	}
	all = resources(d.plan.PlannedValues, changes)
	for _, c := range changes {
		if a := actionOf(c.Change.Actions); a == Delete || a == Forget {
			all = append(all, Found{
				Address: clean(c.Address), Name: clean(c.Address), Type: clean(c.Type), Managed: true, Action: a, Level: Neutral,
			})
		}
	}
	slices.SortFunc(all, func(a, b Found) int { return natural(a.Address, b.Address) })
	return all, changes
}

// listedGroups adds the groups of a vsla_protection_groups that are no resources of the document.
func listedGroups(in *instance, rows []groupRow) []groupRow {
	groups := in.object("groups")
	for _, id := range slices.SortedFunc(maps.Keys(groups), natural) {
		values, _ := groups[id].(map[string]any)
		known := func(g groupRow) bool {
			return g.text("cluster_id") == in.text("cluster_id") && g.text("protection_group_id") == clean(id)
		}
		if slices.ContainsFunc(rows, known) {
			continue
		}
		values = maps.Clone(values)
		if values == nil {
			continue
		}
		values["cluster_id"], values["protection_group_id"] = in.values["cluster_id"], id
		values["member_vm_ids"] = values["vm_ids"]
		if values["cluster_pair_id"] != nil {
			values["replication"] = map[string]any{
				"cluster_pair_id": values["cluster_pair_id"], "rpo_minutes": values["rpo_minutes"],
				"keep_last": values["keep_last"],
			}
		}
		g := &instance{address: in.address, kind: groupType, values: values}
		rows = append(rows, groupRow{instance: g, name: g.text("name")})
	}
	return rows
}

// membersText counts the members: from state, or from a preview of the same rules.
func (g groupRow) membersText(all []*instance) string {
	text := "known after apply"
	if list, known := g.values["member_vm_ids"].([]any); known {
		text = decimal(float64(len(list)))
	} else if i := slices.IndexFunc(all, g.previewedBy); i >= 0 {
		text = all[i].format("vm_count") + ", by a preview"
	}
	switch removes := g.texts("removes"); {
	case g.action != Update:
	case slices.Contains(g.unread, "removes"):
		text += "; removals not known"
	case len(removes) > 0:
		text += "; the change removes " + decimal(float64(len(removes)))
	}
	return text
}

// previewedBy reports whether a vsla_protection_members has the rules of the group.
func (g groupRow) previewedBy(in *instance) bool {
	if in.kind != "vsla_protection_members" || in.unread() {
		return false
	}
	for _, name := range []string{"cluster_id", "tag_rules", "vm_ids", "vm_name_patterns"} {
		if !reflect.DeepEqual(g.values[name], in.values[name]) || slices.Contains(g.unread, name) {
			return false
		}
	}
	return true
}

// part is a nested object.
func (in *instance) part(name string) *instance { return &instance{values: in.object(name)} }

func (g groupRow) rpo() string { return g.part("replication").format("rpo_minutes") }

// target names the peer cluster, by a vsla_cluster_pairs of the document, or else the pair.
func (g groupRow) target(all []*instance) string {
	id, _ := g.object("replication")["cluster_pair_id"].(string)
	for _, in := range all {
		if pair, ok := in.object("pairs")[id].(map[string]any); ok && in.kind == "vsla_cluster_pairs" && !in.unread() {
			return format("", pair["peer_cluster_name"])
		}
	}
	return cmp.Or(clean(id), none)
}

// retention is what the target keeps, and the snapshots at the source.
func (g groupRow) retention() string {
	var texts []string
	replication := g.part("replication")
	if _, ok := replication.number("keep_last"); ok {
		texts = append(texts, "last "+replication.format("keep_last"))
	}
	long := replication.part("long_term")
	for _, name := range []string{"hourly", "daily", "weekly", "monthly"} {
		if period := long.part(name); period.values != nil {
			texts = append(texts, name+" for "+period.kept())
		}
	}
	for _, name := range slices.SortedFunc(maps.Keys(g.object("snapshot_policies")), natural) {
		texts = append(texts, "snapshots "+clean(name)+" for "+g.part("snapshot_policies").part(name).kept())
	}
	return cmp.Or(strings.Join(texts, ", "), none)
}

// kept is the period of the one attribute keep_* that is set.
func (in *instance) kept() string {
	for _, unit := range []string{"hour", "day", "week", "month", "year"} {
		if n, ok := in.number("keep_" + unit + "s"); ok {
			return count(int(n), unit)
		}
	}
	return "a time that is not known"
}

func (g groupRow) lock() string {
	locked, _ := g.values["locked"].(bool)
	switch {
	case locked && (g.action == Create || g.action == Update): // a locked group cannot be updated
		return "by this plan, finally"
	case locked:
		return "yes, finally"
	}
	return "no"
}

// judged returns the verdict of the members, and why.
func (g groupRow) judged(all []*instance) (Level, string) {
	paused, _ := g.values["paused"].(bool)
	status := g.text("status")
	switch {
	case g.action == Delete:
		return Neutral, "its members lose this protection"
	case g.action == Forget:
		return Neutral, "no longer managed; it continues at the appliance"
	case g.object("replication") == nil:
		return Neutral, "local snapshots only"
	case paused || status == "PAUSED":
		return Misses, "paused: it protects no VM"
	case g.action == Create || g.action == Replace:
		return Unknown, "not known before apply"
	case status != "" && status != "ACTIVE":
		return Unknown, "its state is " + status
	}
	return g.verdicts(all)
}

// verdicts counts the members that a compliance of the document finds compliant.
func (g groupRow) verdicts(all []*instance) (Level, string) {
	members, good, judged := g.texts("member_vm_ids"), 0, 0
	for _, id := range members {
		for _, in := range all {
			if vm, ok := in.object("virtual_machines")[id].(map[string]any); ok && in.kind == complianceType && !in.unread() {
				judged++
				if vm["verdict"] == "compliant" {
					good++
				}
				break
			}
		}
	}
	text := fmt.Sprintf("%d of %s compliant", good, count(len(members), "member"))
	switch {
	case g.values["member_vm_ids"] == nil:
		return Unknown, "its members are known after apply"
	case len(members) == 0:
		return Neutral, "it has no member"
	case judged == 0:
		return Unknown, "no vsla_sla_compliance judges its members"
	case good < judged:
		return Misses, text
	case judged < len(members):
		return Unknown, fmt.Sprintf("%s, %d not judged", text, len(members)-judged)
	}
	return Holds, text
}
