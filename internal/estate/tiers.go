package estate

import (
	"io"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
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
