package group

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"

	"terraform-provider-vsla/internal/snapservice"
)

// intervalModel is the interval of a schedule. Exactly one of its attributes is set.
type intervalModel struct {
	Minutes types.Int64 `tfsdk:"every_minutes"`
	Hours   types.Int64 `tfsdk:"every_hours"`
	Days    types.Int64 `tfsdk:"every_days"`
	Weeks   types.Int64 `tfsdk:"every_weeks"`
	Months  types.Int64 `tfsdk:"every_months"`
}

// retentionModel is a retention period. Exactly one of its attributes is set.
type retentionModel struct {
	Hours  types.Int64 `tfsdk:"keep_hours"`
	Days   types.Int64 `tfsdk:"keep_days"`
	Weeks  types.Int64 `tfsdk:"keep_weeks"`
	Months types.Int64 `tfsdk:"keep_months"`
	Years  types.Int64 `tfsdk:"keep_years"`
}

// periodAttribute is an attribute of a period in one unit.
type periodAttribute struct {
	name  string
	unit  string
	value *types.Int64
}

func (e *intervalModel) units() []periodAttribute {
	return []periodAttribute{
		{"every_minutes", snapservice.Minute, &e.Minutes},
		{"every_hours", snapservice.Hour, &e.Hours},
		{"every_days", snapservice.Day, &e.Days},
		{"every_weeks", snapservice.Week, &e.Weeks},
		{"every_months", snapservice.Month, &e.Months},
	}
}

func (k *retentionModel) units() []periodAttribute {
	return []periodAttribute{
		{"keep_hours", snapservice.Hour, &k.Hours},
		{"keep_days", snapservice.Day, &k.Days},
		{"keep_weeks", snapservice.Week, &k.Weeks},
		{"keep_months", snapservice.Month, &k.Months},
		{"keep_years", snapservice.Year, &k.Years},
	}
}

// noun returns the unit as it stands in the name of the attribute, for example "minutes".
func (u periodAttribute) noun() string {
	_, noun, _ := strings.Cut(u.name, "_")
	return noun
}

// periodOf returns the period of the attribute that is set.
func periodOf(units []periodAttribute) snapservice.Period {
	for _, u := range units {
		if n := u.value.ValueInt64(); n > 0 {
			return snapservice.Period{Unit: u.unit, Duration: n}
		}
	}
	return snapservice.Period{}
}

// setPeriod sets the attribute for the unit of a period. If no attribute has this unit, it converts the period to the
// largest unit that yields a whole number. It returns false if there is no such unit.
func setPeriod(units []periodAttribute, p snapservice.Period) bool {
	for _, u := range units {
		if u.unit == p.Unit {
			*u.value = types.Int64Value(p.Duration)
			return true
		}
	}
	minutes, ok := p.Minutes()
	for _, u := range slices.Backward(units) {
		one := snapservice.Period{Unit: u.unit, Duration: 1}
		if n, known := one.Minutes(); ok && known && minutes%n == 0 {
			*u.value = types.Int64Value(minutes / n)
			return true
		}
	}
	return false
}

type replicationModel struct {
	PairID      types.String   `tfsdk:"cluster_pair_id"`
	RPOMinutes  types.Int64    `tfsdk:"rpo_minutes"`
	KeepLast    types.Int64    `tfsdk:"keep_last"`
	DatastoreID types.String   `tfsdk:"target_datastore_id"`
	UseSeeds    types.Bool     `tfsdk:"use_replica_seeds"`
	LongTerm    *longTermModel `tfsdk:"long_term"`
}

type longTermModel struct {
	Hourly  *hourlyModel  `tfsdk:"hourly"`
	Daily   *dailyModel   `tfsdk:"daily"`
	Weekly  *weeklyModel  `tfsdk:"weekly"`
	Monthly *monthlyModel `tfsdk:"monthly"`
}

type hourlyModel struct{ retentionModel }

type dailyModel struct {
	retentionModel

	Hour types.Int64 `tfsdk:"hour"`
}

type weeklyModel struct {
	retentionModel

	Hour types.Int64  `tfsdk:"hour"`
	Day  types.String `tfsdk:"day_of_week"`
}

type monthlyModel struct {
	retentionModel

	Hour types.Int64 `tfsdk:"hour"`
	Day  types.Int64 `tfsdk:"day_of_month"`
}

type snapshotModel struct {
	intervalModel
	retentionModel
}

// Attribute types that are derived from the schema.
var (
	replicationType, _ = policyAttributes()["replication"].GetType().(basetypes.ObjectType)
	snapshotsType, _   = policyAttributes()["snapshot_policies"].GetType().(basetypes.MapType)
)

// replication returns the replication attribute, or nil. Unknown nested attributes become null.
func (m model) replication(ctx context.Context) *replicationModel {
	if m.Replication.IsNull() || m.Replication.IsUnknown() {
		return nil
	}
	var r replicationModel
	// The type matches the schema, so there are no diagnostics.
	m.Replication.As(ctx, &r, basetypes.ObjectAsOptions{UnhandledUnknownAsEmpty: true})
	return &r
}

func (m model) snapshots(ctx context.Context) map[string]snapshotModel {
	all := make(map[string]snapshotModel, len(m.Snapshots.Elements()))
	for name, v := range m.Snapshots.Elements() {
		if o, ok := v.(types.Object); ok && !o.IsUnknown() {
			var s snapshotModel
			o.As(ctx, &s, basetypes.ObjectAsOptions{UnhandledUnknownAsEmpty: true})
			all[name] = s
		}
	}
	return all
}

// policy converts the model to API policies. A nil model becomes an empty list.
func (m *replicationModel) policy() []snapservice.Replication {
	if m == nil {
		return []snapservice.Replication{}
	}
	r := snapservice.Replication{
		PairID:  m.PairID.ValueString(),
		RPO:     snapservice.Period{Unit: snapservice.Minute, Duration: m.RPOMinutes.ValueInt64()},
		UseSeed: m.UseSeeds.ValueBoolPointer(),
	}
	r.Retention.ShortTerm.KeepLast = m.KeepLast.ValueInt64()
	if id := m.DatastoreID.ValueString(); id != "" {
		r.Storage = &snapservice.Storage{DatastoreID: id}
	}
	if m.LongTerm != nil {
		r.Retention.LongTerm = m.LongTerm.policy()
	}
	return []snapservice.Replication{r}
}

func (m *longTermModel) policy() *snapservice.LongTerm {
	var l snapservice.LongTerm
	if p := m.Hourly; p != nil {
		l.Hourly = &snapservice.KeepHourly{Retention: periodOf(p.units())}
	}
	if p := m.Daily; p != nil {
		l.Daily = &snapservice.KeepDaily{Hour: p.Hour.ValueInt64(), Retention: periodOf(p.units())}
	}
	if p := m.Weekly; p != nil {
		l.Weekly = &snapservice.KeepWeekly{
			Hour:      p.Hour.ValueInt64(),
			Day:       p.Day.ValueString(),
			Retention: periodOf(p.units()),
		}
	}
	if p := m.Monthly; p != nil {
		l.Monthly = &snapservice.KeepMonthly{
			Hour:      p.Hour.ValueInt64(),
			Day:       p.Day.ValueInt64(),
			Retention: periodOf(p.units()),
		}
	}
	return &l
}

func (m model) snapshotPolicies(ctx context.Context) []snapservice.SnapshotPolicy {
	policies := m.snapshots(ctx)
	all := make([]snapservice.SnapshotPolicy, 0, len(policies))
	for _, name := range slices.Sorted(maps.Keys(policies)) {
		p := policies[name]
		interval := periodOf(p.intervalModel.units())
		all = append(all, snapservice.SnapshotPolicy{
			Name:      name,
			Schedule:  snapservice.Schedule{Unit: interval.Unit, Interval: interval.Duration},
			Retention: periodOf(p.retentionModel.units()),
		})
	}
	return all
}

// replicationFrom converts a group's replication settings. unsupported is true if the model cannot represent one of
// them.
func replicationFrom(ctx context.Context, g snapservice.Group) (o types.Object, unsupported bool) {
	if len(g.Replication) == 0 {
		return types.ObjectNull(replicationType.AttrTypes), false
	}
	r := g.Replication[0]
	m := replicationModel{
		PairID:   types.StringValue(r.PairID),
		KeepLast: types.Int64Value(r.Retention.ShortTerm.KeepLast),
		UseSeeds: types.BoolPointerValue(r.UseSeed),
	}
	rpo, known := r.RPO.Minutes()
	if known {
		m.RPOMinutes = types.Int64Value(rpo)
	}
	if id := r.DatastoreID(); id != "" {
		m.DatastoreID = types.StringValue(id)
	}
	unsupported = !known || len(g.Replication) > 1
	if long := r.Retention.LongTerm; long != nil && *long != (snapservice.LongTerm{}) {
		var ok bool
		m.LongTerm, ok = longTermFrom(*long)
		unsupported = unsupported || !ok
	}
	return objectOf(ctx, replicationType, m), unsupported
}

// longTermFrom converts long-term retention. ok is false if the model cannot represent one of the periods.
func longTermFrom(l snapservice.LongTerm) (m *longTermModel, ok bool) {
	m = &longTermModel{}
	ok = true
	if p := l.Hourly; p != nil {
		m.Hourly = &hourlyModel{}
		ok = setPeriod(m.Hourly.units(), p.Retention) && ok
	}
	if p := l.Daily; p != nil {
		m.Daily = &dailyModel{Hour: types.Int64Value(p.Hour)}
		ok = setPeriod(m.Daily.units(), p.Retention) && ok
	}
	if p := l.Weekly; p != nil {
		m.Weekly = &weeklyModel{Hour: types.Int64Value(p.Hour), Day: types.StringValue(p.Day)}
		ok = setPeriod(m.Weekly.units(), p.Retention) && ok
	}
	if p := l.Monthly; p != nil {
		m.Monthly = &monthlyModel{Hour: types.Int64Value(p.Hour), Day: types.Int64Value(p.Day)}
		ok = setPeriod(m.Monthly.units(), p.Retention) && ok
	}
	return m, ok
}

// snapshotsFrom converts a group's snapshot policies. unsupported is true if the model cannot represent one of them.
func snapshotsFrom(ctx context.Context, g snapservice.Group) (m types.Map, unsupported bool) {
	if len(g.Snapshots) == 0 {
		return types.MapNull(snapshotsType.ElemType), false
	}
	policy, _ := snapshotsType.ElemType.(basetypes.ObjectType)
	all := make(map[string]attr.Value, len(g.Snapshots))
	for _, p := range g.Snapshots {
		var s snapshotModel
		interval := setPeriod(s.intervalModel.units(), p.Schedule.Period())
		retention := setPeriod(s.retentionModel.units(), p.Retention)
		unsupported = unsupported || !interval || !retention
		all[p.Name] = objectOf(ctx, policy, s)
	}
	return types.MapValueMust(policy, all), unsupported
}

func objectOf(ctx context.Context, t basetypes.ObjectType, v any) types.Object {
	o, _ := types.ObjectValueFrom(ctx, t.AttrTypes, v) // no diagnostics, because v has the attributes of t
	return o
}
