package estate

type tier struct {
	name      string
	match     match
	sizes     []string
	change    changeColumn
	inputs    map[string]any
	migration map[string]any
}

// migrationConfig contains the migration's settings. If tiers is empty, all tiers are migrated.
type migrationConfig struct {
	inputs      map[string]any
	tiers       []string
	withStorage bool
}

// Tiers is a parsed tiers file.
type Tiers struct {
	document *document
	// sizes contains the names of the sizes of a VM, such as "used_gib". The first known size applies.
	sizes     []string
	tiers     []tier
	exclude   []match
	schedule  map[string]any
	migration *migrationConfig
	// columns contains the inventory headers that the file uses, sorted.
	columns []string
}

// Columns returns the inventory headers that the tiers file uses, sorted.
func (t *Tiers) Columns() []string { return t.columns }
