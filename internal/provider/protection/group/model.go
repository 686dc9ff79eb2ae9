// The model, in both directions: from a reading into state, and from the plan into requests.

package group

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/provider/kit/types/stringset"
	"terraform-provider-vsla/internal/provider/protection/membership"
	"terraform-provider-vsla/internal/snapservice"
)

type model struct {
	membership.Rules

	ClusterID        types.String   `tfsdk:"cluster_id"`
	Name             types.String   `tfsdk:"name"`
	Replication      types.Object   `tfsdk:"replication"`
	Snapshots        types.Map      `tfsdk:"snapshot_policies"`
	Paused           types.Bool     `tfsdk:"paused"`
	Locked           types.Bool     `tfsdk:"locked"`
	LockConfirmation types.String   `tfsdk:"lock_confirmation"`
	DeleteSnapshots  types.Bool     `tfsdk:"delete_snapshots_on_destroy"`
	MaxRemoves       types.Int64    `tfsdk:"max_removes"`
	Timeouts         timeouts.Value `tfsdk:"timeouts"`
	ID               types.String   `tfsdk:"id"`
	GroupID          types.String   `tfsdk:"protection_group_id"`
	GUID             types.String   `tfsdk:"guid"`
	Status           types.String   `tfsdk:"status"`
	MemberVMIDs      types.List     `tfsdk:"member_vm_ids"`
	Removes          types.List     `tfsdk:"removes"`
	Summary          types.String   `tfsdk:"summary"`
}

type identityModel struct {
	ClusterID types.String `tfsdk:"cluster_id"`
	GroupID   types.String `tfsdk:"protection_group_id"`
}

func (m model) identity() identityModel { return identityModel{m.ClusterID, m.GroupID} }

// unit is an attribute of a period.
type unit struct{ name, unit string }

// noun returns the unit as a word: keep_days is in days.
func (u unit) noun() string {
	_, noun, _ := strings.Cut(u.name, "_")
	return noun
}

var (
	everyUnits = []unit{
		{"every_minutes", snapservice.Minute},
		{"every_hours", snapservice.Hour},
		{"every_days", snapservice.Day},
		{"every_weeks", snapservice.Week},
		{"every_months", snapservice.Month},
	}
	keepUnits = []unit{
		{"keep_hours", snapservice.Hour},
		{"keep_days", snapservice.Day},
		{"keep_weeks", snapservice.Week},
		{"keep_months", snapservice.Month},
		{"keep_years", snapservice.Year},
	}
)

// The types of the nested objects.
func shape(units []unit, own map[string]attr.Type) map[string]attr.Type {
	for _, u := range units {
		own[u.name] = types.Int64Type
	}
	return own
}

var (
	policyType    = types.ObjectType{AttrTypes: shape(slices.Concat(everyUnits, keepUnits), map[string]attr.Type{})}
	longTermTypes = map[string]attr.Type{
		"hourly": types.ObjectType{AttrTypes: shape(keepUnits, map[string]attr.Type{})},
		"daily":  types.ObjectType{AttrTypes: shape(keepUnits, map[string]attr.Type{"hour": types.Int64Type})},
		"weekly": types.ObjectType{AttrTypes: shape(keepUnits, map[string]attr.Type{
			"hour": types.Int64Type, "day_of_week": types.StringType,
		})},
		"monthly": types.ObjectType{AttrTypes: shape(keepUnits, map[string]attr.Type{
			"hour": types.Int64Type, "day_of_month": types.Int64Type,
		})},
	}
	timeoutTypes = map[string]attr.Type{
		"create": types.StringType, "read": types.StringType, "update": types.StringType, "delete": types.StringType,
	}
	replicationTypes = map[string]attr.Type{
		"cluster_pair_id": types.StringType, "rpo_minutes": types.Int64Type, "keep_last": types.Int64Type,
		"target_datastore_id": types.StringType, "use_replica_seeds": types.BoolType,
		"long_term": types.ObjectType{AttrTypes: longTermTypes},
	}
)

func number(o types.Object, name string) int64 {
	v, _ := o.Attributes()[name].(types.Int64)
	return v.ValueInt64()
}

func text(o types.Object, name string) string {
	v, _ := o.Attributes()[name].(types.String)
	return v.ValueString()
}

func nested(o types.Object, name string) (types.Object, bool) {
	v, _ := o.Attributes()[name].(types.Object)
	return v, !v.IsNull() && !v.IsUnknown()
}

func periodOf(o types.Object, units []unit) snapservice.Period {
	for _, u := range units {
		if n := number(o, u.name); n > 0 {
			return snapservice.Period{Unit: u.unit, Duration: n}
		}
	}
	return snapservice.Period{}
}

// policyOf returns a replication policy as the API has it; none for null.
func policyOf(o types.Object) []snapservice.Replication {
	if o.IsNull() || o.IsUnknown() {
		return []snapservice.Replication{}
	}
	r := snapservice.Replication{
		PairID: text(o, "cluster_pair_id"),
		RPO:    snapservice.Period{Unit: snapservice.Minute, Duration: number(o, "rpo_minutes")},
	}
	r.Retention.ShortTerm.KeepLast = number(o, "keep_last")
	if id := text(o, "target_datastore_id"); id != "" {
		r.Storage = &snapservice.Storage{DatastoreID: id}
	}
	if v, ok := o.Attributes()["use_replica_seeds"].(types.Bool); ok && !v.IsNull() {
		r.UseSeed = v.ValueBoolPointer()
	}
	long, ok := nested(o, "long_term")
	if !ok {
		return []snapservice.Replication{r}
	}
	r.Retention.LongTerm = &snapservice.LongTerm{}
	if p, ok := nested(long, "hourly"); ok {
		r.Retention.LongTerm.Hourly = &snapservice.KeepHourly{Retention: periodOf(p, keepUnits)}
	}
	if p, ok := nested(long, "daily"); ok {
		r.Retention.LongTerm.Daily = &snapservice.KeepDaily{Hour: number(p, "hour"), Retention: periodOf(p, keepUnits)}
	}
	if p, ok := nested(long, "weekly"); ok {
		r.Retention.LongTerm.Weekly = &snapservice.KeepWeekly{
			Hour: number(p, "hour"), Day: text(p, "day_of_week"), Retention: periodOf(p, keepUnits),
		}
	}
	if p, ok := nested(long, "monthly"); ok {
		r.Retention.LongTerm.Monthly = &snapservice.KeepMonthly{
			Hour: number(p, "hour"), Day: number(p, "day_of_month"), Retention: periodOf(p, keepUnits),
		}
	}
	return []snapservice.Replication{r}
}

// snapshotsOf returns snapshot policies as the API has them, by name.
func snapshotsOf(m types.Map) []snapservice.SnapshotPolicy {
	all := make([]snapservice.SnapshotPolicy, 0, len(m.Elements()))
	for _, name := range slices.Sorted(maps.Keys(m.Elements())) {
		o, ok := m.Elements()[name].(types.Object)
		if !ok {
			continue
		}
		every := periodOf(o, everyUnits)
		all = append(all, snapservice.SnapshotPolicy{
			Name: name, Schedule: snapservice.Schedule{Unit: every.Unit, Interval: every.Duration},
			Retention: periodOf(o, keepUnits),
		})
	}
	return all
}

// spec returns what the model asks for; everything has to be known.
func (m model) spec() snapservice.Spec {
	targets, _ := m.Targets()
	return snapservice.Spec{
		Name: m.Name.ValueString(), Targets: targets, Snapshots: snapshotsOf(m.Snapshots),
		Replication: policyOf(m.Replication), Locked: m.Locked.ValueBool(),
	}
}

// change returns what differs from a state.
func (m model) change(state model) snapservice.Change {
	var h snapservice.Change
	now, before := m.spec(), state.spec()
	was := snapservice.Group{
		Name: before.Name, Targets: before.Targets, Snapshots: before.Snapshots, Replication: before.Replication,
	}
	if now.Name != before.Name {
		h.Name = &now.Name
	}
	if !now.Targets.Same(before.Targets) {
		h.Targets = &now.Targets
	}
	if snapshots := (snapservice.Change{Snapshots: &now.Snapshots}); !snapshots.Made(was) {
		h.Snapshots = &now.Snapshots
	}
	if replication := (snapservice.Change{Replication: &now.Replication}); !replication.Made(was) {
		h.Replication = &now.Replication
	}
	if now.Locked && !before.Locked {
		h.Locked = &now.Locked
	}
	return h
}

// blank is the state of a group of which only the ids are known.
func blank(cluster, id string) model {
	return model{
		Rules:     membership.Of(snapservice.Targets{}),
		ClusterID: types.StringValue(cluster), GroupID: types.StringValue(id),
		Replication: types.ObjectNull(replicationTypes), Snapshots: types.MapNull(policyType),
		Timeouts: timeouts.Value{Object: types.ObjectNull(timeoutTypes)},
	}
}

// made returns the state after a write: the planned values, and those that only the group knows.
func (m model) made(g snapservice.Group) model {
	m.ID = types.StringValue(m.ClusterID.ValueString() + "/" + g.ID)
	m.GroupID, m.GUID = types.StringValue(g.ID), types.StringValue(g.GUID)
	m.Status, m.MemberVMIDs = types.StringValue(g.Status), stringset.List(g.Members)
	if m.Removes.IsUnknown() || m.Removes.IsNull() {
		m.Removes = stringset.List(nil)
	}
	m.Summary = types.StringValue(summary(m.ClusterID.ValueString(), g))
	return m
}

func summary(cluster string, g snapservice.Group) string {
	s := fmt.Sprintf(
		"Protection group %s of cluster %s: %s", snapservice.Printable(g.Name), cluster, count(len(g.Members), "member"),
	)
	if len(g.Replication) > 0 {
		rpo := g.Replication[0].RPO
		s += fmt.Sprintf(", replicated with an RPO of %s", count(int(rpo.Duration), strings.ToLower(rpo.Unit)))
	}
	if len(g.Snapshots) > 0 {
		s += fmt.Sprintf(", snapshot policies: %d", len(g.Snapshots))
	}
	return s + "."
}

func count(n int, noun string) string { return plan.Count(float64(n), noun) }

// refreshed returns the state of a reading: what means the same stays as it was written.
func (m model) refreshed(g snapservice.Group, diags *diag.Diagnostics) model {
	before := m.spec()
	m.Rules = m.Refreshed(g.Targets)
	if replication := (snapservice.Change{Replication: &before.Replication}); !replication.Made(g) {
		var odd bool
		if m.Replication, odd = replicationFrom(g); odd {
			warnOdd(path.Root("replication"), g, diags)
		}
	}
	if snapshots := (snapservice.Change{Snapshots: &before.Snapshots}); !snapshots.Made(g) {
		var odd bool
		if m.Snapshots, odd = snapshotsFrom(g); odd {
			warnOdd(path.Root("snapshot_policies"), g, diags)
		}
	}
	m.Name, m.Locked = types.StringValue(g.Name), types.BoolValue(g.Locked)
	m.DeleteSnapshots = types.BoolValue(m.DeleteSnapshots.ValueBool())
	if !m.Paused.IsNull() {
		m.Paused = types.BoolValue(g.Status == snapservice.Paused)
	}
	return m.made(g)
}

func warnOdd(at path.Path, g snapservice.Group, diags *diag.Diagnostics) {
	diags.AddAttributeWarning(at, "Unit of a Later Release", fmt.Sprintf(
		"Group %q has a period in a unit that this version of vsla does not know, or several replication policies. It is "+
			"shown without it, and changes are refused.", snapservice.Printable(g.Name)))
}

// periodInto sets the attribute of a period's unit; false if there is none.
func periodInto(values map[string]attr.Value, units []unit, p snapservice.Period) bool {
	for _, u := range units {
		values[u.name] = types.Int64Null()
	}
	for _, u := range units { // in the unit that it has, else in the largest one in which it is whole
		if u.unit == p.Unit {
			values[u.name] = types.Int64Value(p.Duration)
			return true
		}
	}
	minutes, ok := p.Minutes()
	for _, u := range slices.Backward(units) {
		one := snapservice.Period{Unit: u.unit, Duration: 1}
		if n, known := one.Minutes(); ok && known && minutes%n == 0 {
			values[u.name] = types.Int64Value(minutes / n)
			return true
		}
	}
	return false
}

// replicationFrom returns a group's replication; odd reports that something of it cannot be shown.
func replicationFrom(g snapservice.Group) (o types.Object, odd bool) {
	if len(g.Replication) == 0 {
		return types.ObjectNull(replicationTypes), false
	}
	r := g.Replication[0]
	values := map[string]attr.Value{
		"cluster_pair_id": types.StringValue(r.PairID), "rpo_minutes": types.Int64Null(),
		"keep_last":           types.Int64Value(r.Retention.ShortTerm.KeepLast),
		"target_datastore_id": types.StringNull(), "use_replica_seeds": types.BoolPointerValue(r.UseSeed),
		"long_term": types.ObjectNull(longTermTypes),
	}
	rpo, known := r.RPO.Minutes()
	if known {
		values["rpo_minutes"] = types.Int64Value(rpo)
	}
	if id := r.DatastoreID(); id != "" {
		values["target_datastore_id"] = types.StringValue(id)
	}
	odd = !known || len(g.Replication) > 1
	if long := r.Retention.LongTerm; long != nil && *long != (snapservice.LongTerm{}) {
		value, ok := longTermFrom(*long)
		values["long_term"], odd = value, odd || !ok
	}
	return types.ObjectValueMust(replicationTypes, values), odd
}

func longTermFrom(l snapservice.LongTerm) (o types.Object, ok bool) {
	ok = true
	values := make(map[string]attr.Value, len(longTermTypes))
	set := func(name string, is bool, p func() snapservice.Period, own func() map[string]attr.Value) {
		t, _ := longTermTypes[name].(types.ObjectType)
		values[name] = types.ObjectNull(t.AttrTypes)
		if is {
			fields := own()
			ok = periodInto(fields, keepUnits, p()) && ok
			values[name] = types.ObjectValueMust(t.AttrTypes, fields)
		}
	}
	set("hourly", l.Hourly != nil, func() snapservice.Period { return l.Hourly.Retention },
		func() map[string]attr.Value { return map[string]attr.Value{} })
	set("daily", l.Daily != nil, func() snapservice.Period { return l.Daily.Retention },
		func() map[string]attr.Value { return map[string]attr.Value{"hour": types.Int64Value(l.Daily.Hour)} })
	set("weekly", l.Weekly != nil, func() snapservice.Period { return l.Weekly.Retention },
		func() map[string]attr.Value {
			return map[string]attr.Value{
				"hour": types.Int64Value(l.Weekly.Hour), "day_of_week": types.StringValue(l.Weekly.Day),
			}
		})
	set("monthly", l.Monthly != nil, func() snapservice.Period { return l.Monthly.Retention },
		func() map[string]attr.Value {
			return map[string]attr.Value{
				"hour": types.Int64Value(l.Monthly.Hour), "day_of_month": types.Int64Value(l.Monthly.Day),
			}
		})
	return types.ObjectValueMust(longTermTypes, values), ok
}

// snapshotsFrom returns a group's snapshot policies.
func snapshotsFrom(g snapservice.Group) (m types.Map, odd bool) {
	if len(g.Snapshots) == 0 {
		return types.MapNull(policyType), false
	}
	all := make(map[string]attr.Value, len(g.Snapshots))
	for _, p := range g.Snapshots {
		values := make(map[string]attr.Value)
		every := periodInto(values, everyUnits, p.Schedule.Period())
		keep := periodInto(values, keepUnits, p.Retention)
		odd = odd || !every || !keep
		all[p.Name] = types.ObjectValueMust(policyType.AttrTypes, values)
	}
	return types.MapValueMust(policyType, all), odd
}
