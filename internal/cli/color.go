// Verdicts in color.

package cli

import (
	"github.com/fatih/color"

	"terraform-provider-vsla/internal/wording"
)

var levelColors = map[wording.Level]color.Attribute{
	wording.Holds:   color.FgGreen,
	wording.AtRisk:  color.FgYellow,
	wording.Unknown: color.FgYellow,
	wording.Misses:  color.FgRed,
}

// colored returns the text of a verdict in the color of its level. It has none in a file, in a pipe, on a terminal
// that shows none, and for a user who wants none (no-color.org).
func (p Program) colored(terminal bool, level wording.Level, text string) string {
	attribute, ok := levelColors[level]
	if !ok || !terminal || p.getenv("NO_COLOR") != "" || p.getenv("TERM") == "dumb" {
		return text
	}
	c := color.New(attribute)
	c.EnableColor()
	return c.Sprint(text)
}

// onTerminal reports whether the result is written to a terminal.
func (p Program) onTerminal() bool { return p.Columns > 0 }
