package estate

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/calculator"
	"terraform-provider-vsla/internal/plan/quantity"
	"terraform-provider-vsla/internal/wording"
)

const maxBytes = 1 << 20

// TiersError reports a problem in a tiers file.
type TiersError struct {
	File string
	// Line is 0 if the problem concerns the whole file.
	Line int
	// Key is the path of the value. It is empty if the problem concerns the whole file.
	Key    string
	Reason string
}

// Error returns the file, line, key and reason.
func (e *TiersError) Error() string {
	at := e.File
	if e.Line > 0 {
		at += ":" + strconv.Itoa(e.Line)
	}
	if e.Key != "" {
		return at + ": " + e.Key + " " + e.Reason
	}
	return at + ": " + e.Reason
}

type document struct {
	file   string
	raw    []byte
	root   yaml.Node
	values map[string]any
	// lines maps the path of each value to its line number.
	lines map[string]int
	// set maps the path of each value that an assignment replaced to the assignment.
	set map[string]string
}

// parse reads a YAML document, which must be a single mapping without aliases or duplicate keys.
func parse(file string, r io.Reader) (*document, error) {
	d := &document{file: file, lines: map[string]int{}, set: map[string]string{}}
	text, err := io.ReadAll(io.LimitReader(r, maxBytes+1))
	if err != nil {
		return nil, err
	}
	if len(text) > maxBytes {
		return nil, d.problem(nil, "must be at most 1 MiB")
	}
	d.raw = text
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	var more yaml.Node
	if err := decoder.Decode(&d.root); err != nil {
		if errors.Is(err, io.EOF) {
			return nil, d.problem(nil, "is empty; --init creates a tiers file")
		}
		return nil, d.syntaxError(err)
	}
	if err := decoder.Decode(&more); !errors.Is(err, io.EOF) {
		return nil, &TiersError{File: file, Line: more.Line, Reason: "must contain a single YAML document"}
	}
	top := d.root.Content[0]
	v, err := d.value(top, nil)
	if err != nil {
		return nil, err
	}
	values, ok := v.(map[string]any)
	if !ok {
		return nil, &TiersError{File: file, Line: top.Line, Reason: "must be a mapping with the key tiers"}
	}
	d.values = values
	return d, nil
}

// setValue applies a KEY=VALUE assignment. KEY is a dotted path that can begin with the name of a tier.
func (d *document) setValue(setting string) error {
	key, text, ok := strings.Cut(setting, "=")
	names := strings.Split(key, ".")
	var node yaml.Node
	switch err := yaml.Unmarshal([]byte(text), &node); {
	case !ok || err != nil:
		return &TiersError{File: d.file, Key: key, Reason: fmt.Sprintf("must be set as KEY=VALUE, got %q", setting)}
	case len(node.Content) == 0:
		return &TiersError{File: "--set " + setting, Key: key, Reason: "has no value; null stands for a missing one"}
	}
	members, at := d.values, plan.Path(nil)
	if index := d.tierIndex(names[0]); index >= 0 && len(names) > 1 {
		list, _ := d.values[keyTiers].([]any)
		members, _ = list[index].(map[string]any)
		at, names = plan.Attr(keyTiers).Index(index), names[1:]
	} else if known := d.settableKeys(); len(names) > 1 && members[names[0]] == nil &&
		!slices.Contains(known, names[0]) {
		return d.problem(plan.Attr(names[0]), "is neither a tier nor a section to set %s; valid names are %s", key,
			quantity.Nearest(known, names[0]))
	}
	for _, name := range names[:len(names)-1] {
		at = at.Attr(name)
		if members[name] == nil {
			members[name] = map[string]any{}
		}
		if members, ok = members[name].(map[string]any); !ok {
			return d.problem(at, "must be a mapping or the name of a tier to set %s", key)
		}
	}
	last := names[len(names)-1]
	d.set[at.Attr(last).String()] = setting
	v, err := d.value(node.Content[0], at.Attr(last))
	if err != nil {
		return err
	}
	members[last] = v
	replace(d.root.Content[0], at.Attr(last), node.Content[0])
	return nil
}

// replace sets the value at a path to v. It adds mappings that do not exist, and keeps the comment on the value.
func replace(node *yaml.Node, at plan.Path, v *yaml.Node) {
	for _, step := range at {
		if step.Kind == plan.StepIndex {
			node = node.Content[step.Index]
			continue
		}
		i := 0
		for i < len(node.Content) && node.Content[i].Value != step.Name {
			i += 2
		}
		if i == len(node.Content) {
			var name yaml.Node
			name.SetString(step.Name)
			node.Kind, node.Tag, node.Value = yaml.MappingNode, "!!map", ""
			node.Content = append(node.Content, &name, new(yaml.Node))
		}
		node = node.Content[i+1]
	}
	comment := node.LineComment
	*node = *v
	node.LineComment = comment
}

func (d *document) settableKeys() []string {
	names := []string{keyDefaults, keyLink, keySchedule, keyMigration}
	list, _ := d.values[keyTiers].([]any)
	for _, element := range list {
		if members, ok := element.(map[string]any); ok {
			names = append(names, fmt.Sprint(members[keyName]))
		}
	}
	return names
}

func (d *document) tierIndex(name string) int {
	list, _ := d.values[keyTiers].([]any)
	return slices.IndexFunc(list, func(element any) bool {
		members, _ := element.(map[string]any)
		return members[keyName] == name
	})
}

func (d *document) syntaxError(err error) error {
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	if rest, ok := strings.CutPrefix(text, "line "); ok {
		number, reason, _ := strings.Cut(rest, ": ")
		if line, err := strconv.Atoi(number); err == nil {
			return &TiersError{File: d.file, Line: line, Reason: "is not valid YAML: " + reason}
		}
	}
	return &TiersError{File: d.file, Reason: "is not valid YAML: " + text}
}

// problem returns an error for the value at a path, with the line number of the value or its nearest parent.
func (d *document) problem(at plan.Path, format string, args ...any) error {
	p := &TiersError{File: d.file, Key: at.String(), Reason: fmt.Sprintf(format, args...)}
	for n := range at {
		if assignment, ok := d.set[at[:n+1].String()]; ok {
			p.File = "--set " + assignment
			return p
		}
	}
	for n := len(at); n > 0 && p.Line == 0; n-- {
		p.Line = d.lines[at[:n].String()]
	}
	return p
}

func (d *document) value(node *yaml.Node, at plan.Path) (any, error) {
	if _, ok := d.lines[at.String()]; !ok {
		d.lines[at.String()] = node.Line
	}
	switch node.Kind {
	case yaml.MappingNode:
		return d.mapping(node, at)
	case yaml.SequenceNode:
		list := make([]any, 0, len(node.Content))
		for i, element := range node.Content {
			v, err := d.value(element, at.Index(i))
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		return list, nil
	case yaml.ScalarNode:
		return d.scalar(node, at)
	default:
		return nil, d.problem(at, "must not be an alias; YAML aliases are not supported")
	}
}

func (d *document) mapping(node *yaml.Node, at plan.Path) (any, error) {
	members := make(map[string]any, len(node.Content)/2)
	for i := 0; i+1 < len(node.Content); i += 2 {
		key := node.Content[i]
		if key.Kind != yaml.ScalarNode || key.Tag == "!!merge" {
			const reason = "must not have merge or complex keys"
			return nil, &TiersError{File: d.file, Line: key.Line, Key: at.String(), Reason: reason}
		}
		if says := wording.Hidden(key.Value, d.raw); says != "" {
			return nil, &TiersError{File: d.file, Line: key.Line, Key: strconv.Quote(key.Value), Reason: says}
		}
		key.Value = wording.Clean(key.Value)
		path := at.Attr(key.Value)
		if _, repeated := members[key.Value]; repeated {
			return nil, &TiersError{File: d.file, Line: key.Line, Key: path.String(), Reason: "must be set only once"}
		}
		d.lines[path.String()] = key.Line
		v, err := d.value(node.Content[i+1], path)
		if err != nil {
			return nil, err
		}
		members[key.Value] = v
	}
	return members, d.checkRange(members, at)
}

// checkRange refuses a range without a likely value, which an input requires outside ranges.
func (d *document) checkRange(members map[string]any, at plan.Path) error {
	isRange := len(members) > 0
	for name := range members {
		isRange = isRange && (name == "low" || name == "high")
	}
	isInRanges := len(at) > 1 && at[len(at)-2].Name == keyRanges
	if !isRange || isInRanges || len(at) == 0 || at[len(at)-1].Kind != plan.StepAttribute {
		return nil
	}
	return d.problem(at, "must have likely beside low and high, or be a number")
}

func (d *document) scalar(node *yaml.Node, at plan.Path) (any, error) {
	switch node.ShortTag() {
	case "!!null":
		return nil, nil //nolint:nilnil // null is a value
	case "!!bool":
		var v bool
		err := node.Decode(&v)
		return v, err
	case "!!int", "!!float":
		var v float64
		if err := node.Decode(&v); err != nil {
			return nil, d.problem(at, "must be a number, got %q", node.Value)
		}
		return v, nil
	}
	return d.text(node, at)
}

func (d *document) text(node *yaml.Node, at plan.Path) (any, error) {
	if says := wording.Hidden(node.Value, d.raw); says != "" {
		return nil, d.problem(at, "%s", says)
	}
	node.Value = wording.Clean(node.Value)
	for _, step := range slices.Backward(at) {
		if step.Name == keyMatch || step.Name == keyExclude {
			return node.Value, nil
		}
	}
	for _, step := range slices.Backward(at) {
		if _, unit := calculator.UnitOf(step.Name); unit == "" {
			continue
		}
		v, given, err := calculator.WithUnit(step.Name, node.Value)
		switch {
		case err != nil:
			return nil, d.problem(at, "must be a number, optionally with a matching unit: %v", err)
		case given:
			return v, nil
		}
	}
	return node.Value, nil
}

func (d *document) checkKeys(values map[string]any, at plan.Path, known []string) error {
	for _, key := range slices.Sorted(maps.Keys(values)) {
		if slices.Contains(known, key) {
			continue
		}
		return d.problem(at.Attr(key), "is not a valid key here; valid keys are %s", quantity.Nearest(known, key))
	}
	return nil
}

// mappingValue returns a member that must be a mapping. It returns nil if the member is missing or null.
func (d *document) mappingValue(values map[string]any, key string, at plan.Path) (map[string]any, error) {
	v, ok := values[key]
	if !ok || v == nil {
		return nil, nil //nolint:nilnil // not given
	}
	members, ok := v.(map[string]any)
	if !ok {
		return nil, d.problem(at.Attr(key), "must be a mapping")
	}
	return members, nil
}

func (d *document) checkElements(key string) error {
	elements, err := d.mappingValue(d.values, key, nil)
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(elements)) {
		members, err := d.mappingValue(elements, name, plan.Attr(key))
		if err != nil {
			return err
		}
		known := inputFieldNames(inputFields(key))
		if err := d.checkKeys(members, plan.Attr(key).Attr(name), known); err != nil {
			return err
		}
	}
	return nil
}

// locateIn converts an error in a part of the file to an error that states the position of the first problem. It
// returns other errors unchanged.
func (d *document) locateIn(at plan.Path, err error) error {
	return d.locate(err, func(p plan.Path) plan.Path { return joinPath(at, p) })
}

// locate converts an error like locateIn. position returns the position of an input in the file.
func (d *document) locate(err error, position func(plan.Path) plan.Path) error {
	problems, ok := errors.AsType[plan.InputErrors](err)
	if !ok || len(problems) == 0 {
		return err
	}
	return d.problem(position(problems[0].Path), "%s", problems[0].Reason)
}

func joinPath(at, p plan.Path) plan.Path { return append(slices.Clip(at), p...) }
