package cli

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"terraform-provider-vsla/internal/plan/calculator"
	"terraform-provider-vsla/internal/plan/registry"
)

const (
	codesAnnotation = "exit codes"
	inputAnnotation = "inputs of"
)

const (
	defaultColumns = 80
	minColumns     = 40
	maxColumns     = 120
	indent         = 2
	// minText is the minimum width of a text column. If there is less space, the text is printed on the next line,
	// indented by textIndent.
	minText, textIndent = 32, 10
)

func (p Program) columns() int {
	if p.Columns == 0 {
		return defaultColumns
	}
	return min(max(p.Columns, minColumns), maxColumns)
}

func wrap(text string, columns, indentation int) string {
	margin := strings.Repeat(" ", indentation)
	var lines []string
	for paragraph := range strings.SplitSeq(text, "\n") {
		line := ""
		for i, word := range strings.Split(paragraph, " ") {
			switch longer := line + " " + word; {
			case i == 0:
				line = margin + word
			case utf8.RuneCountInString(longer) > max(columns, indentation+1) && strings.TrimSpace(line) != "":
				lines, line = append(lines, strings.TrimRight(line, " ")), margin+word
			default:
				line = longer
			}
		}
		lines = append(lines, strings.TrimRight(line, " "))
	}
	return strings.Join(lines, "\n")
}

func (p Program) helpText(cmd *cobra.Command) string {
	columns := p.columns()
	about := cmd.Long
	if about == "" {
		about = cmd.Short + "."
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\nUsage:\n%s\n", wrap(strings.TrimSpace(about), columns, 0), usageLines(cmd))
	b.WriteString(commandList(cmd, columns))
	b.WriteString(flagLists(cmd, columns))
	if c, ok := registry.OfCommand(cmd.Annotations[inputAnnotation]); ok {
		b.WriteString(jsonInputs(c, columns))
		b.WriteString(exampleText(c, columns))
	}
	if cmd.Example != "" {
		fmt.Fprintf(&b, "\nExamples:\n%s\n", cmd.Example)
	}
	if codes := cmd.Annotations[codesAnnotation]; codes != "" {
		b.WriteString("\nExit codes:\n")
		for line := range strings.Lines(codes) {
			code, text, _ := strings.Cut(strings.TrimSpace(line), " ")
			b.WriteString(entry(code, text, 1, columns))
		}
	}
	return b.String()
}

func usageLines(cmd *cobra.Command) string {
	if cmd.HasParent() {
		return "  " + cmd.UseLine()
	}
	return "  " + cmd.CommandPath() + " COMMAND"
}

func commandList(cmd *cobra.Command, columns int) string {
	longest := 0
	for _, sub := range cmd.Commands() {
		longest = max(longest, len(sub.Name()))
	}
	title := "Commands"
	switch cmd.Name() {
	case "estimate":
		title = "Calculators"
	case completionName:
		title = "Shells"
	}
	var b strings.Builder
	for _, sub := range cmd.Commands() {
		if !sub.IsAvailableCommand() && sub.Name() != "help" {
			continue
		}
		if b.Len() == 0 {
			fmt.Fprintf(&b, "\n%s:\n", title)
		}
		b.WriteString(entry(sub.Name(), sub.Short, longest, columns))
	}
	if b.Len() > 0 {
		hint := fmt.Sprintf("Run `%s %s --help` for more.", cmd.CommandPath(),
			strings.ToUpper(strings.TrimSuffix(title, "s")))
		fmt.Fprintf(&b, "\n%s\n", wrap(hint, columns, 0))
	}
	return b.String()
}

func flagLists(cmd *cobra.Command, columns int) string {
	required := pflag.NewFlagSet("", pflag.ContinueOnError)
	optional := pflag.NewFlagSet("", pflag.ContinueOnError)
	// Cobra adds these flags only to the command that it runs, not to the one that `help` describes.
	cmd.InitDefaultHelpFlag()
	cmd.InitDefaultVersionFlag()
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		switch {
		case f.Name == "help":
			f.Usage = "Print this help."
			optional.AddFlag(f)
		case f.Name == "version" && !cmd.HasParent():
			f.Usage = "Print the version."
			optional.AddFlag(f)
		case f.Annotations[requiredAnnotation] != nil:
			required.AddFlag(f)
		default:
			optional.AddFlag(f)
		}
	})
	if !required.HasFlags() {
		return "\nFlags:\n" + flagList(optional, columns)
	}
	return "\nRequired flags:\n" + flagList(required, columns) + "\nOptional flags:\n" + flagList(optional, columns)
}

func flagList(flags *pflag.FlagSet, columns int) string {
	longest := 0
	var names, usages []string
	flags.VisitAll(func(f *pflag.Flag) {
		kind, usage := pflag.UnquoteUsage(f)
		name := "    --" + f.Name
		if f.Shorthand != "" {
			name = "-" + f.Shorthand + ", --" + f.Name
		}
		name = strings.TrimRight(name+" "+kind, " ")
		names, usages = append(names, name), append(usages, usage)
		longest = max(longest, len(name))
	})
	var b strings.Builder
	for i, name := range names {
		b.WriteString(entry(name, usages[i], longest, columns))
	}
	return b.String()
}

// entry formats a name and its description. On a narrow terminal, the description is below the name.
func entry(name, text string, longest, columns int) string {
	margin := indent + longest + indent
	text = strings.TrimSpace(text)
	if columns-margin < minText {
		return fmt.Sprintf("  %s\n%s\n", name, wrap(text, columns, textIndent))
	}
	return fmt.Sprintf("  %-*s  %s\n", longest, name, strings.TrimLeft(wrap(text, columns, margin), " "))
}

func jsonInputs(c *calculator.Calculator, columns int) string {
	var b strings.Builder
	for _, in := range c.Inputs() {
		if hasFlag(in) {
			continue
		}
		if b.Len() == 0 {
			b.WriteString("\nOnly in the JSON object on standard input:\n")
		}
		describeInput(&b, in, columns, indent)
	}
	return b.String()
}

func describeInput(b *strings.Builder, f calculator.Field, columns, indentation int) {
	kind := kindNames[f.Kind]
	if f.Required {
		kind += ", required"
	}
	doc := strings.ReplaceAll(f.Documentation(), "`", "")
	fmt.Fprintf(b, "%*s%s (%s)\n%s\n", indentation, "", f.Name, kind, wrap(doc, columns, indentation+4))
	for _, member := range f.Fields {
		if member.Input {
			describeInput(b, member, columns, indentation+4)
		}
	}
}

var kindNames = map[calculator.Kind]string{
	calculator.Number:    "number",
	calculator.Text:      "string",
	calculator.Bool:      "true or false",
	calculator.Numbers:   "list of numbers",
	calculator.Texts:     "list of strings",
	calculator.NumberMap: "map of numbers",
	calculator.Object:    "object",
	calculator.Objects:   "map of objects",
}

func exampleText(c *calculator.Calculator, columns int) string {
	command := programName + " estimate " + c.Command
	if strings.HasPrefix(c.Example, "{") {
		return fmt.Sprintf("\nExample:\n  echo '%s' |\n    %s -\n", c.Example, command)
	}
	line, text := "  "+command, ""
	for _, flag := range strings.Split(" "+c.Example, " --")[1:] {
		if len(line)+len(" --"+flag)+len(` \`) > columns {
			text, line = text+line+" \\\n", "   "
		}
		line += " --" + flag
	}
	return "\nExample:\n" + text + line + "\n"
}
