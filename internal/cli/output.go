package cli

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/fatih/color"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/plan/calculator"
	"terraform-provider-vsla/internal/plan/quantity"
	"terraform-provider-vsla/internal/wording"
)

func (p Program) printTable(c *calculator.Calculator, result map[string]any) error {
	level, _ := c.Judge(result)
	judged := ""
	for _, name := range []string{"verdict", verdictFlag(c)} {
		if value, ok := result[name]; ok && judged == "" {
			judged = name
			fmt.Fprintf(p.Out, "%s: %s\n", name, p.colorVerdict(p.onTerminal(), wording.Level(level), formatValue(name, value)))
		}
	}
	if summary, ok := result["summary"].(string); ok {
		fmt.Fprintf(p.Out, "%s\n\n", p.wrapOnTerminal(summary, 0))
	}
	if explanations, ok := result["explanations"].([]any); ok && len(explanations) > 0 {
		for _, e := range explanations {
			fmt.Fprintf(p.Out, "- %s\n", strings.TrimLeft(p.wrapOnTerminal(fmt.Sprint(e), indent), " "))
		}
		fmt.Fprintln(p.Out)
	}
	rows := tabwriter.NewWriter(p.Out, 0, 0, 2, ' ', 0)
	for _, name := range slices.Sorted(maps.Keys(result)) {
		if name != "summary" && name != "explanations" && name != judged {
			fmt.Fprintf(rows, "%s\t%s\n", name, formatValue(name, result[name]))
		}
	}
	return rows.Flush()
}

func verdictFlag(c *calculator.Calculator) string {
	if c.Flag == nil {
		return ""
	}
	return c.Flag.Name
}

func (p Program) wrapOnTerminal(text string, indentation int) string {
	if !p.onTerminal() {
		return text
	}
	return wrap(text, p.columns(), indentation)
}

func formatValue(name string, v any) string {
	switch v := v.(type) {
	case nil:
		return "-"
	case float64:
		_, unit := calculator.UnitOf(name)
		write := plan.Thousands
		if unit == calculator.Percent {
			write = plan.Percent
		}
		text := strings.TrimSuffix(strings.TrimRight(write(calculator.RoundingOf(name).Round(v, 3), 3), "0"), ".")
		if unit == calculator.Seconds {
			text += " (" + quantity.Duration(v).Ceil() + ")"
		}
		return text
	case []any:
		parts := make([]string, 0, len(v))
		for _, e := range v {
			s, ok := e.(string)
			if !ok {
				return itemsText(len(v))
			}
			parts = append(parts, s)
		}
		if len(parts) == 0 {
			return "none"
		}
		return strings.Join(parts, ", ")
	case map[string]any:
		return mapText(v)
	}
	return fmt.Sprint(v)
}

// maxNumbers is the maximum number of map entries printed on one line.
const maxNumbers = 6

func mapText(m map[string]any) string {
	parts := make([]string, 0, len(m))
	for _, name := range slices.Sorted(maps.Keys(m)) {
		n, ok := m[name].(float64)
		if !ok || len(m) > maxNumbers {
			return itemsText(len(m))
		}
		parts = append(parts, name+" "+formatValue("", n))
	}
	if len(parts) == 0 {
		return "none"
	}
	return strings.Join(parts, ", ")
}

func itemsText(n int) string { return plan.Count(float64(n), "item") + ", in full with --json" }

var levelColors = map[wording.Level]color.Attribute{
	wording.Holds:   color.FgGreen,
	wording.AtRisk:  color.FgYellow,
	wording.Unknown: color.FgYellow,
	wording.Misses:  color.FgRed,
}

// colorVerdict colors a verdict on a terminal, unless NO_COLOR is set (no-color.org) or TERM is "dumb".
func (p Program) colorVerdict(terminal bool, level wording.Level, text string) string {
	attribute, ok := levelColors[level]
	if !ok || !terminal || p.getenv("NO_COLOR") != "" || p.getenv("TERM") == "dumb" {
		return text
	}
	c := color.New(attribute)
	c.EnableColor()
	return c.Sprint(text)
}

func (p Program) onTerminal() bool { return p.Columns > 0 }

const newFileMode = 0o644

// write calls content with standard output if name is empty or "-". Otherwise, it writes to a file, which is replaced
// atomically once content has succeeded. Devices and named pipes are written to directly.
func (p Program) write(name string, content func(io.Writer) error) (err error) {
	if name == "" || name == "-" {
		return content(p.Out)
	}
	mode := os.FileMode(newFileMode)
	if target, err := filepath.EvalSymlinks(name); err == nil {
		name = target
	}
	if info, err := os.Stat(name); err == nil {
		if !info.Mode().IsRegular() {
			return overwrite(name, content)
		}
		mode = info.Mode().Perm()
	}
	file, err := os.CreateTemp(filepath.Dir(name), ".vsla-*")
	if err != nil {
		return &os.PathError{Op: "write", Path: name, Err: err}
	}
	defer func() {
		if err != nil {
			_ = os.Remove(file.Name()) // keep the first error
		}
	}()
	if err = errors.Join(content(file), file.Chmod(mode), file.Close()); err != nil {
		return err
	}
	return os.Rename(file.Name(), name)
}

func overwrite(name string, content func(io.Writer) error) error {
	file, err := os.OpenFile(name, os.O_WRONLY, 0) //nolint:gosec // the user chooses the file
	if err != nil {
		return err
	}
	return errors.Join(content(file), file.Close())
}

var plainWord = regexp.MustCompile(`^[\w./:\\=@%+,-]+$`)

// shellWord quotes a word for use in both POSIX shells and PowerShell.
func shellWord(s string) string {
	if plainWord.MatchString(s) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

type input struct {
	calculator *calculator.Calculator
	values     map[string]any
	// flags maps input names to the flags that set them.
	flags    map[string]*inputFlag
	fromJSON bool
}

// readInput reads the values from flags and, if the argument is "-", from a JSON object on standard input. Flags take
// precedence.
func readInput(c *calculator.Calculator, flags []*inputFlag, args []string, stdin io.Reader) (*input, error) {
	in := &input{calculator: c, values: make(map[string]any), flags: make(map[string]*inputFlag)}
	for _, arg := range args {
		switch {
		case arg != "-":
			return nil, fmt.Errorf(
				"unexpected argument %q; set the inputs with flags, or use - to read a JSON object from standard input", arg)
		case in.fromJSON:
			return nil, errors.New("standard input can only be read once: use a single -")
		}
		in.fromJSON = true
	}
	if in.fromJSON {
		var err error
		if in.values, err = readObject(stdin); err != nil {
			return nil, err
		}
	}
	for _, f := range flags {
		if err := in.addFlag(f); err != nil {
			return nil, err
		}
	}
	return in, nil
}

func (in *input) addFlag(f *inputFlag) error {
	if !f.isSet {
		return nil
	}
	name := f.field.Name
	if other := in.flags[name]; other != nil {
		return fmt.Errorf("--%s and --%s set the same input; use only one of them", other.name, f.name)
	}
	in.flags[name] = f
	v, err := f.parse()
	if err != nil {
		return fmt.Errorf("--%s: %w", f.name, err)
	}
	in.values[name] = v
	return nil
}

func (f *inputFlag) parse() (any, error) {
	if f.field.Kind == calculator.Texts {
		var list []any
		for part := range strings.SplitSeq(f.text, ",") {
			list = append(list, strings.TrimSpace(part))
		}
		return list, nil
	}
	if f.field.Kind != calculator.NumberOrSpread || !strings.Contains(f.text, ",") {
		return f.parseSingle(f.text)
	}
	parts := strings.Split(f.text, ",")
	if len(parts) != len(spreadMembers) {
		return nil, fmt.Errorf("a range must be LOW,LIKELY,HIGH, got %q", f.text)
	}
	members := make(map[string]any, len(parts))
	for i, name := range spreadMembers {
		var err error
		if members[name], err = f.parseSingle(strings.TrimSpace(parts[i])); err != nil {
			return nil, err
		}
	}
	return members, nil
}

var spreadMembers = []string{"low", "likely", "high"}

func (f *inputFlag) parseSingle(text string) (any, error) {
	v, given, err := calculator.WithUnit(f.field.Name, text)
	switch {
	case given || err != nil:
		return v, err
	case f.example != "":
		return nil, fmt.Errorf("must be a number with a unit, such as %s, got %q", f.example, text)
	}
	return text, nil
}

var inputName = regexp.MustCompile(`\b[a-z]+(?:_[a-z0-9]+)+\b`)

// withFlagNames rewrites a calculator error so that it names flags, or paths in the JSON object, instead of inputs.
func (in *input) withFlagNames(err error) error {
	problems, ok := errors.AsType[plan.InputErrors](err)
	if !ok {
		return err
	}
	var all []error
	for _, e := range problems {
		at := e.Path.String()
		if len(e.Path) == 1 {
			at = in.flagOrName(at)
		}
		text := at + " " + inputName.ReplaceAllStringFunc(e.Reason, in.flagOrName)
		if f, ok := in.calculator.Field(e.Path[0].Name); ok && !in.fromJSON && !hasFlag(f) {
			text += "; give it in a JSON object on standard input, with - as argument"
		}
		all = append(all, errors.New(text))
	}
	return errors.Join(all...)
}

func (in *input) flagOrName(input string) string {
	if f := in.flags[input]; f != nil {
		return "--" + f.name
	}
	if f, ok := in.calculator.Field(input); ok && f.Input && hasFlag(f) && !in.fromJSON {
		return "--" + flagName(input)
	}
	return input
}
