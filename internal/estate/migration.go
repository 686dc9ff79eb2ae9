package estate

import (
	"fmt"
	"maps"
	"slices"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/migration"
	"terraform-provider-vsla/internal/plan/quantity"
)

// readMoves moves the settings of VMs that are migrated from the inputs of the tier to moves.
func (one *tier) readMoves(d *document, at plan.Path) error {
	for _, key := range migrationKeys {
		v, given := one.inputs[key]
		if !given {
			continue
		}
		delete(one.inputs, key)
		if err := d.locateIn(at, migration.PutVM(&one.moves, key, v)); err != nil {
			return err
		}
	}
	return nil
}

func (t *Tiers) readMigration() error {
	d := t.document
	values, err := d.mappingValue(d.values, keyMigration, nil)
	if _, given := d.values[keyMigration]; err != nil || !given {
		return err
	}
	at := plan.Attr(keyMigration)
	inputs := inputNames("migration", keyVMs)
	if err := d.checkKeys(values, at, append(inputs, keyTiers, keyStorage, keyShare, keyLink)); err != nil {
		return err
	}
	m := &moving{withStorage: true}
	m.SharePercent = quantity.Percent
	arguments := selectKeys(values, inputs)
	arguments[keyVMs] = map[string]any{}
	if m.Input, err = migration.PlanDefinition.Given(arguments); err == nil {
		err = m.Input.CheckSettings()
	}
	if err != nil {
		return d.locateIn(at, err)
	}
	if v, given := values[keyTiers]; given {
		if m.tiers, err = t.readMigratedTiers(v, at.Attr(keyTiers)); err != nil {
			return err
		}
	}
	var ok bool
	if v, given := values[keyStorage]; given {
		if m.withStorage, ok = v.(bool); !ok {
			return d.problem(at.Attr(keyStorage), "must be true or false")
		}
	}
	if v, given := values[keyShare]; given {
		if m.SharePercent, ok = v.(float64); !ok || m.SharePercent <= 0 || m.SharePercent > quantity.Percent {
			return d.problem(at.Attr(keyShare), "must be greater than 0 and at most 100: the percentage of the link "+
				"for the migration")
		}
	}
	t.moving = m
	return t.reserveLinkShare(values)
}

func (t *Tiers) readMigratedTiers(v any, at plan.Path) ([]string, error) {
	list, _ := v.([]any)
	if len(list) == 0 {
		return nil, t.document.problem(at, "must be a list of tier names")
	}
	var tiers []string
	for i, name := range list {
		if !slices.ContainsFunc(t.tiers, func(one tier) bool { return one.name == name }) {
			return nil, t.document.problem(at.Index(i), "must be the name of a tier, got %q", fmt.Sprint(name))
		}
		tiers = append(tiers, fmt.Sprint(name))
	}
	return tiers, nil
}

// reserveLinkShare determines the link of the migration, whose throughput it reduces by the migration's share during
// its windows, or at all hours if it has none. A window on a single weekday reduces the throughput on every day. The
// only link does not have to be named. A larger hourly_moves_percent of the link is kept.
func (t *Tiers) reserveLinkShare(values map[string]any) error {
	m, at, given := t.moving, plan.Attr(keyMigration).Attr(keyLink), values[keyLink]
	hasThroughput := m.Input.ThroughputMbps != nil || m.Input.HourlyThroughputMbps != nil
	var ok bool
	switch {
	case given != nil:
		m.Link, ok = given.(string)
	case hasThroughput:
		return nil
	case len(t.plan.Links) > 1:
		return t.document.problem(plan.Attr(keyMigration),
			"must set link or throughput_mbps, because there are several links")
	default:
		m.Link, ok = slices.Collect(maps.Keys(t.plan.Links))[0], true
	}
	l, exists := t.plan.Links[m.Link]
	switch {
	case !ok || !exists:
		return t.document.problem(at, "must be the name of a link, got %q", fmt.Sprint(given))
	case hasThroughput:
		return t.document.problem(at, "must not be set together with a throughput of the migration")
	}
	if l.Network != nil && l.Network.RTTMs != nil && values["rtt_ms"] == nil {
		m.Input.RTTMs = *l.Network.RTTMs
	}
	hours, own := m.HourlyPercent(), l.HourlyMovesPercent
	if own != nil && len(own) != len(hours) {
		return nil // Check reports the length
	}
	for h, percent := range own {
		hours[h] = max(hours[h], percent)
	}
	l.HourlyMovesPercent = hours
	t.plan.Links[m.Link] = l
	return nil
}
