// Package settings reads what a repository promises, and which changes it allows: the settings of the gate.
package settings

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"terraform-provider-vsla/internal/gate/finding"
	"terraform-provider-vsla/internal/wording"
)

// Settings are the settings of the gate.
type Settings struct {
	// Promises, Links, Targets and Results are by name: a tier, a link, a target, or the type of a data source. "*"
	// bounds what is not named.
	Promises map[string]Promise
	Links    map[string]Bounds
	Targets  map[string]Bounds
	Results  map[string]Bounds

	HoldsMonths float64
	MinGrowth   float64
	Changes     Changes
	Waivers     []Waiver
	// Providers are additional source addresses of this provider. ProviderConfigs are the keys of provider blocks that
	// may be used in addition to the default one, such as vsla.dr.
	Providers       []string
	ProviderConfigs []string
	RequirePlanFile bool
	// OtherCategories are categories whose tags promise nothing, and such tags of other categories, as category/name.
	OtherCategories []string

	// Problems lists what is wrong with the settings.
	Problems []finding.Finding

	file string
	// lines contains the lines of keys, and of those of changes as changes.KEY.
	lines map[string]int
}

// Line returns where a key of the settings is, such as min_growth_percent_per_year.
func (s *Settings) Line(key string) string { return s.where(s.lines[key]) }

// Promise is what the settings promise for a tier.
type Promise struct {
	Bounds

	// RPO is the longest RPO in minutes, or 0 if the settings do not state it.
	RPO float64
	// Tag is the tag of the tier's VMs, as category/name.
	Tag string
	// Selects are the filters of the data source whose VMs are in the tier; nil if they are not stated.
	Selects map[string]any
	// HoldsBy is "bound" if the vendor's rule is not enough.
	HoldsBy string

	lines map[string]string
}

// Line returns the line of a key, such as tag, or that of the tier.
func (p Promise) Line(key string) string { return cmp.Or(p.lines[key], p.Where) }

// Changes are the allowed changes.
type Changes struct {
	MaxRemoves    int      `yaml:"max_removes"`
	Approvers     []string `yaml:"approvers"`
	MaxWaiverDays int      `yaml:"max_waiver_days"`
}

const (
	defaultWaiverDays = 90
	longestWaiverDays = 366
	// AllOthers bounds everything that is not named.
	AllOthers = "*"
	// Plans is the key for the number of plans that may use a link or a target.
	Plans = "plans"
	// maxBytes bounds the file.
	maxBytes = 1 << 20
)

type document struct {
	Promises        map[string]yaml.Node `yaml:"promises"`
	Links           map[string]yaml.Node `yaml:"links"`
	Targets         map[string]yaml.Node `yaml:"targets"`
	Results         map[string]yaml.Node `yaml:"results"`
	HoldsMonths     *float64             `yaml:"holds_months"`
	MinGrowth       *float64             `yaml:"min_growth_percent_per_year"`
	Changes         *Changes             `yaml:"changes"`
	Waivers         []yaml.Node          `yaml:"waivers"`
	Providers       []string             `yaml:"providers"`
	ProviderConfigs []string             `yaml:"provider_configs"`
	RequirePlanFile bool                 `yaml:"require_plan_file"`
	OtherCategories []string             `yaml:"other_categories"`
}

// Read decodes settings. An error means that the file is no YAML; what its lines mean is checked afterwards, and wrong
// lines are Problems.
func Read(r io.Reader, file string) (*Settings, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxBytes+1))
	switch {
	case err != nil:
		return nil, err
	case len(text) > maxBytes:
		return nil, fmt.Errorf("%s is larger than %d MiB", file, maxBytes>>20)
	}
	var root, more yaml.Node
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	if err := decoder.Decode(&root); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	s := &Settings{file: file, Promises: map[string]Promise{}, lines: map[string]int{}}
	s.readLines("", &root)
	s.refuseOld(&root)
	s.refuseTiers()
	s.checkScalars(&root, text)
	if err := decoder.Decode(&more); !errors.Is(err, io.EOF) {
		s.problem(more.Line, "the settings must be a single YAML document")
	}
	if len(s.Problems) > 0 {
		return s, nil
	}
	var d document
	decoder = yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true)
	if err := decoder.Decode(&d); err != nil && !errors.Is(err, io.EOF) {
		s.decodeProblems(err)
		return s, nil
	}
	s.fill(d)
	return s, nil
}

// readLines records the lines of keys.
func (s *Settings) readLines(prefix string, node *yaml.Node) {
	if node.Kind == yaml.DocumentNode {
		s.readLines(prefix, node.Content[0])
		return
	}
	for i := 0; node.Kind == yaml.MappingNode && i+1 < len(node.Content); i += 2 {
		key := node.Content[i]
		s.lines[prefix+key.Value] = key.Line
		if prefix == "" && key.Value == "changes" {
			s.readLines("changes.", node.Content[i+1])
		}
	}
}

// checkScalars refuses numbers that nothing can be compared with, and text that differs from what can be read.
func (s *Settings) checkScalars(node *yaml.Node, file []byte) {
	for _, inner := range node.Content {
		s.checkScalars(inner, file)
	}
	if says := wording.Hidden(node.Value, file); says != "" {
		s.problem(node.Line, "%s %s", finding.Visible(node.Value), says)
	}
	var v float64
	if node.Kind == yaml.ScalarNode && node.ShortTag() == "!!float" && node.Decode(&v) == nil &&
		(math.IsNaN(v) || math.IsInf(v, 0)) {
		s.problem(node.Line, "%s is not a finite number", node.Value)
	}
}

var (
	decodeLine   = regexp.MustCompile(`^line (\d+): (.*)$`)
	unknownField = regexp.MustCompile(`^field (.*) not found in type settings\.(\w+)$`)
	wrongType    = regexp.MustCompile("^cannot unmarshal !!\\w+(?: `(.*)`)? into (.*)$")
	typeNames    = map[string]string{
		"float64":              "a number",
		"int":                  "a whole number",
		"bool":                 "true or false",
		"[]string":             "a list of names",
		"[]yaml.Node":          "a list",
		"map[string]yaml.Node": "a map",
		"settings.Changes":     "a map",
	}
)

func (s *Settings) decodeProblems(err error) {
	lines, ok := errors.AsType[*yaml.TypeError](err)
	if !ok {
		s.problem(0, "%s", err)
		return
	}
	for _, text := range lines.Errors {
		line := 0
		if m := decodeLine.FindStringSubmatch(text); m != nil {
			line, _ = strconv.Atoi(m[1])
			text = m[2]
		}
		if m := unknownField.FindStringSubmatch(text); m != nil {
			of, in := reflect.TypeFor[document](), "the settings have"
			if m[2] == "Changes" {
				of, in = reflect.TypeFor[Changes](), "changes has"
			}
			var keys []string
			for field := range of.Fields() {
				keys = append(keys, field.Tag.Get("yaml"))
			}
			text = in + " no " + m[1] + nearest(m[1], keys)
		} else if m := wrongType.FindStringSubmatch(text); m != nil && typeNames[m[2]] != "" {
			text = "the value must be " + typeNames[m[2]]
			if m[1] != "" {
				text = fmt.Sprintf("%q must be %s", m[1], typeNames[m[2]])
			}
		}
		s.problem(line, "%s", text)
	}
}

func (s *Settings) problem(line int, format string, values ...any) {
	s.Problems = append(s.Problems, finding.Of(finding.Settings, s.where(line), "", fmt.Sprintf(format, values...)))
}

// where returns a line of the file, or the file if the line is 0.
func (s *Settings) where(line int) string {
	if line == 0 {
		return s.file
	}
	return fmt.Sprintf("%s:%d", s.file, line)
}

func (s *Settings) fill(d document) {
	for name, node := range d.Promises {
		s.Promises[name] = s.readPromise(name, &node)
	}
	s.Links = s.readAll("links", d.Links)
	s.Targets = s.readAll("targets", d.Targets)
	s.Results = s.readAll("results", d.Results)
	s.Providers = d.Providers
	s.ProviderConfigs = d.ProviderConfigs
	s.RequirePlanFile = d.RequirePlanFile
	s.OtherCategories = d.OtherCategories
	if len(s.Promises) == 0 && len(s.Results) == 0 {
		s.problem(s.lines["promises"], "promises is empty, so a plan without results would pass")
	}
	if (d.HoldsMonths == nil) != (d.MinGrowth == nil) {
		s.problem(max(s.lines["holds_months"], s.lines["min_growth_percent_per_year"]),
			"holds_months and min_growth_percent_per_year belong together: write both, or neither")
	}
	if d.HoldsMonths != nil && d.MinGrowth != nil {
		s.HoldsMonths, s.MinGrowth = *d.HoldsMonths, *d.MinGrowth
		if s.HoldsMonths <= 0 {
			s.problem(s.lines["holds_months"], "holds_months must be more than 0")
		}
	}
	s.checkListed("providers", d.Providers)
	s.checkListed("provider_configs", d.ProviderConfigs)
	s.fillChanges(d)
}

// checkListed refuses a list with an empty name.
func (s *Settings) checkListed(key string, names []string) {
	if slices.ContainsFunc(names, func(name string) bool { return strings.TrimSpace(name) == "" }) {
		s.problem(s.lines[key], "%s must be a list of names", key)
	}
}

func (s *Settings) fillChanges(d document) {
	if d.Changes != nil {
		s.Changes = *d.Changes
	}
	if s.lines["changes.max_waiver_days"] == 0 {
		s.Changes.MaxWaiverDays = defaultWaiverDays
	}
	switch {
	case s.Changes.MaxRemoves < 0:
		s.problem(s.lines["changes.max_removes"], "changes.max_removes must be 0 or more")
	case s.Changes.MaxWaiverDays < 1 || s.Changes.MaxWaiverDays > longestWaiverDays:
		s.problem(s.lines["changes.max_waiver_days"], "changes.max_waiver_days must be from 1 to %d",
			longestWaiverDays)
		s.Changes.MaxWaiverDays = longestWaiverDays // for no second problem
	}
	s.checkListed("changes.approvers", s.Changes.Approvers)
	seen := make(map[string]bool)
	for _, node := range d.Waivers {
		s.readWaiver(&node, seen)
	}
}

// For returns the promise for a tier: its own lines, and those of "*" for what it does not state. It returns false if
// the settings bound neither.
func (s *Settings) For(tier string) (Promise, bool) {
	own, named := s.Promises[tier]
	others, general := s.Promises[AllOthers]
	switch {
	case !named:
		return others, general
	case !general:
		return own, true
	}
	own.Bounds = own.with(others.Bounds)
	own.RPO, own.HoldsBy = cmp.Or(own.RPO, others.RPO), cmp.Or(own.HoldsBy, others.HoldsBy)
	return own, true
}

// TierOf returns the tier whose promise names a tag, and whether a promise has a tag of the tag's category, and the
// settings do not state that the tag promises nothing.
func (s *Settings) TierOf(category, name string) (tier string, isPromise bool) {
	for tier, p := range s.Promises {
		if p.Tag == category+"/"+name {
			return tier, true
		}
	}
	return name, s.IsPromiseCategory(category) && !slices.Contains(s.OtherCategories, category+"/"+name)
}

// IsPromiseCategory reports whether a promise has a tag of a category.
func (s *Settings) IsPromiseCategory(category string) bool {
	for _, p := range s.Promises {
		if of, _, _ := strings.Cut(p.Tag, "/"); of == category && of != "" {
			return true
		}
	}
	return false
}
