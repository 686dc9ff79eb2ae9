package estate

import (
	"fmt"
	"slices"
	"strings"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/calculator"
)

func (one *tier) readMigrationSettings(d *document, at plan.Path) error {
	one.migration = map[string]any{}
	for _, key := range migrationKeys {
		v, given := one.inputs[key]
		if !given {
			continue
		}
		delete(one.inputs, key)
		if err := checkMigrationValue(key, v); err != "" {
			return d.problem(at.Attr(key), "%s", err)
		}
		one.migration[key] = v
	}
	return nil
}

// checkMigrationValue returns the reason why a value is invalid, or "".
func checkMigrationValue(key string, v any) string {
	fields := inputFields("migration", keyVMs)
	f := fields[slices.IndexFunc(fields, func(f calculator.Field) bool { return f.Name == key })]
	text, isText := v.(string)
	number, isNumber := v.(float64)
	switch {
	case len(f.OneOf) > 0 && (!isText || !slices.Contains(f.OneOf, text)):
		return "must be one of " + strings.Join(f.OneOf, ", ")
	case f.Range != nil && !isNumber:
		return "must be a number"
	case f.Range != nil:
		if err := f.Range.Check(number); err != nil {
			return err.Error()
		}
	}
	return ""
}

func (d *document) checkLinkShare(v any, at plan.Path) error {
	const whole = 100
	if share, ok := v.(float64); !ok || share <= 0 || share > whole {
		return d.problem(at, "must be greater than 0 and at most 100: the percentage of the link for the migration")
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
	t.migration = &migrationConfig{inputs: map[string]any{}, withStorage: true}
	for key, v := range values {
		switch key {
		case keyTiers:
			if err := t.readMigratedTiers(v, at.Attr(key)); err != nil {
				return err
			}
		case keyStorage:
			with, ok := v.(bool)
			if !ok {
				return d.problem(at.Attr(key), "must be true or false")
			}
			t.migration.withStorage = with
		case keyShare:
			if err := d.checkLinkShare(v, at.Attr(key)); err != nil {
				return err
			}
			t.migration.inputs[key] = v
		default:
			t.migration.inputs[key] = v
		}
	}
	return nil
}

func (t *Tiers) readMigratedTiers(v any, at plan.Path) error {
	list, _ := v.([]any)
	for i, name := range list {
		if !slices.ContainsFunc(t.tiers, func(one tier) bool { return one.name == name }) {
			return t.document.problem(at.Index(i), "must be the name of a tier, got %q", fmt.Sprint(name))
		}
		t.migration.tiers = append(t.migration.tiers, fmt.Sprint(name))
	}
	if len(list) == 0 {
		return t.document.problem(at, "must be a list of tier names")
	}
	return nil
}
