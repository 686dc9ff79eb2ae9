package estate

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"terraform-provider-vsla/internal/plan"
)

// encoded returns the file with the assignments applied.
func (t *Tiers) encoded() (string, error) {
	if len(t.document.set) == 0 {
		return string(t.document.raw), nil
	}
	var b strings.Builder
	encoder := yaml.NewEncoder(&b)
	encoder.SetIndent(2)
	err := encoder.Encode(&t.document.root)
	return b.String(), err
}

// ReadTiers reads a tiers file and then applies KEY=VALUE assignments. All errors are *TiersError.
func ReadTiers(file string, r io.Reader, set ...string) (*Tiers, error) {
	d, err := parse(file, r)
	if err != nil {
		return nil, err
	}
	for _, assignment := range set {
		if err := d.setValue(assignment); err != nil {
			return nil, err
		}
	}
	t := &Tiers{document: d}
	steps := []func() error{
		t.readKeys,
		t.readSizes,
		t.readLink,
		t.readTiers,
		t.readExclude,
		t.readPlan,
		t.readMigration,
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return nil, err
		}
	}
	t.collectColumns()
	return t, nil
}

func (t *Tiers) readKeys() error {
	return t.document.checkKeys(t.document.values, nil, append([]string{
		keySize, keyThroughput, keyEfficiency, keyBasis, keyLink, keyDefaults, keySchedule, keyMigration, keyExclude,
		keyTiers,
	}, planKeys()...))
}

func (t *Tiers) readSizes() (err error) {
	t.sizes, err = t.document.readSizes(t.document.values, nil, sizes[:1])
	return err
}

// readSizes reads the name of a size, or a list of names.
func (d *document) readSizes(values map[string]any, at plan.Path, otherwise []string) ([]string, error) {
	v, ok := values[keySize]
	if !ok {
		return otherwise, nil
	}
	list, isList := v.([]any)
	if !isList {
		list = []any{v}
	}
	var names []string
	for _, element := range list {
		name, _ := element.(string)
		if !slices.Contains(sizes, name) || slices.Contains(names, name) {
			return nil, d.problem(at.Attr(keySize), "must be one of %s, or a list of different ones, got %q",
				strings.Join(sizes, ", "), fmt.Sprint(element))
		}
		names = append(names, name)
	}
	if len(names) == 0 {
		return nil, d.problem(at.Attr(keySize), "must be one of %s, or a list of them", strings.Join(sizes, ", "))
	}
	return names, nil
}

// readLink reads the links and the schedule. A file has either links or the short form of a single link.
func (t *Tiers) readLink() error {
	d := t.document
	one, err := d.mappingValue(d.values, keyLink, nil)
	if err != nil {
		return err
	}
	if err := d.checkKeys(one, plan.Attr(keyLink), inputNames("link")); err != nil {
		return err
	}
	if t.schedule, err = d.mappingValue(d.values, keySchedule, nil); err != nil {
		return err
	}
	linkKeys := inputFieldNames(
		inputFields("plan", keyLinks), keyThroughput, keyEfficiency, keyBasis, keyNetwork, keyRanges,
	)
	known := slices.Concat(planKeys(), tierScheduleKeys, linkKeys)
	if err := d.checkKeys(t.schedule, plan.Attr(keySchedule), known); err != nil {
		return err
	}
	for _, key := range []string{keyLinks, keyTargets} {
		if err := d.checkElements(key); err != nil {
			return err
		}
	}
	if d.values[keyLinks] == nil {
		return t.checkSingleLink()
	}
	for _, key := range []string{keyThroughput, keyEfficiency, keyBasis, keyLink} {
		if d.values[key] != nil {
			return d.problem(plan.Attr(key), "must not be set together with links, because each link sets its own")
		}
	}
	return nil
}

func (t *Tiers) checkSingleLink() error {
	d := t.document
	throughput, path := d.values[keyThroughput] != nil, d.values[keyLink] != nil
	switch {
	case !throughput && !path:
		return d.problem(nil, "must set throughput_mbps, link or links")
	case throughput && path:
		return d.problem(plan.Attr(keyLink), "must not be set together with throughput_mbps")
	case path && d.values[keyEfficiency] != nil:
		return d.problem(plan.Attr(keyEfficiency), "must be set in link, because the throughput is computed from link")
	case path && d.values[keyBasis] != nil:
		return d.problem(plan.Attr(keyBasis), "must be set in link, because the throughput is computed from link")
	}
	return nil
}

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
	of := defaults
	if values[keyChange] != nil {
		of = values
	}
	if one.change, err = d.readChange(of, at); err != nil {
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

func (t *Tiers) readExclude() error {
	v, ok := t.document.values[keyExclude]
	if !ok || v == nil {
		return nil
	}
	list, ok := v.([]any)
	if !ok {
		return t.document.problem(plan.Attr(keyExclude), "must be a list of conditions, with the same keys as match")
	}
	for i, element := range list {
		at := plan.Attr(keyExclude).Index(i)
		conditions, ok := element.(map[string]any)
		if !ok || len(conditions) == 0 {
			return t.document.problem(at, "must be a mapping with at least one condition")
		}
		m, err := t.document.readMatch(conditions, at)
		if err != nil {
			return err
		}
		t.exclude = append(t.exclude, m)
	}
	return nil
}

func (t *Tiers) collectColumns() {
	matches := slices.Clone(t.exclude)
	for _, one := range t.tiers {
		matches = append(matches, one.match)
	}
	for _, m := range matches {
		t.columns = append(t.columns, slices.Collect(maps.Keys(m.columns))...)
	}
	for _, one := range t.tiers {
		if one.change.column != "" {
			t.columns = append(t.columns, one.change.column)
		}
	}
	slices.Sort(t.columns)
	t.columns = slices.Compact(t.columns)
}
