package estate

import (
	"maps"
	"slices"

	"terraform-provider-vsla/internal/plan"
)

func (t *Tiers) readTiers() error {
	d := t.document
	defaults, err := d.mappingValue(d.values, keyDefaults, nil)
	if err != nil {
		return err
	}
	if err := d.checkKeys(defaults, plan.Attr(keyDefaults), tierKeys()); err != nil {
		return err
	}
	list, _ := d.values[keyTiers].([]any)
	if len(list) == 0 {
		return d.problem(plan.Attr(keyTiers), "must be a list of tiers, each with name, match, rpo_minutes and "+
			"daily_change_percent")
	}
	for i, element := range list {
		at := plan.Attr(keyTiers).Index(i)
		values, ok := element.(map[string]any)
		if !ok {
			return d.problem(at, "must be a mapping with name, match, rpo_minutes and daily_change_percent")
		}
		if err := t.readTier(values, defaults, at); err != nil {
			return err
		}
	}
	return nil
}

func (t *Tiers) readTier(values, defaults map[string]any, at plan.Path) error {
	d := t.document
	if err := d.checkKeys(values, at, append(tierKeys(), keyName, keyMatch, keySize)); err != nil {
		return err
	}
	one := tier{inputs: map[string]any{}}
	maps.Copy(one.inputs, defaults)
	var ok bool
	if one.name, ok = values[keyName].(string); !ok || one.name == "" {
		return d.problem(at.Attr(keyName), "must be a non-empty string")
	}
	if slices.ContainsFunc(t.tiers, func(other tier) bool { return other.name == one.name }) {
		return d.problem(at.Attr(keyName), "must be unique, got %q twice", one.name)
	}
	conditions, err := d.mappingValue(values, keyMatch, at)
	if err != nil {
		return err
	}
	if _, given := values[keyMatch]; !given {
		return d.problem(at.Attr(keyMatch), "is required; {} matches all VMs that are not in an earlier tier")
	}
	if one.match, err = d.readMatch(conditions, at.Attr(keyMatch)); err != nil {
		return err
	}
	if one.sizes, err = d.readSizes(values, at, t.sizes); err != nil {
		return err
	}
	one.mergeInputs(values)
	of, from := defaults, plan.Attr(keyDefaults)
	if values[keyChange] != nil {
		of, from = values, at
	}
	if one.change, err = d.readChange(of, from); err != nil {
		return err
	}
	delete(one.inputs, keyChange)
	if err := one.readMoves(d, at); err != nil {
		return err
	}
	t.tiers = append(t.tiers, one)
	return nil
}

// mergeInputs merges a tier's own inputs into the defaults and removes defaults that cannot be combined with them. An
// assumed default that the tier replaces is no longer assumed.
func (one *tier) mergeInputs(values map[string]any) {
	replaced := replacedBy(values)
	for _, key := range replaced {
		delete(one.inputs, key)
	}
	assumed, _ := one.inputs[keyAssumed].([]any)
	for key, v := range values {
		if key != keyName && key != keyMatch && key != keySize {
			one.inputs[key] = v
		}
	}
	if values[keyAssumed] == nil && assumed != nil {
		assumed = slices.DeleteFunc(slices.Clone(assumed), func(v any) bool {
			name, _ := v.(string)
			return values[name] != nil || slices.Contains(replaced, name)
		})
		if one.inputs[keyAssumed] = assumed; len(assumed) == 0 {
			delete(one.inputs, keyAssumed)
		}
	}
}

// replacedBy returns the defaults that cannot be combined with a tier's own values.
func replacedBy(values map[string]any) []string {
	var all []string
	for _, pair := range [][]string{
		{keyDaily, keyCurve},
		{keyCurve, keyDaily},
		{keyPeak, keyWeights},
		{keyWeights, keyPeak, "peak_start_hour"},
	} {
		if values[pair[0]] != nil {
			all = append(all, pair[1:]...)
		}
	}
	return all
}
