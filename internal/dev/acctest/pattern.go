package acctest

import (
	"regexp"
	"regexp/syntax"
	"strings"
)

// ErrorPattern compiles a pattern that matches diagnostics printed by Terraform. Terraform wraps lines, so a space
// matches any white space. ".*" matches across lines, but only within one diagnostic.
func ErrorPattern(pattern string) *regexp.Regexp {
	re, err := syntax.Parse("(?s)"+strings.Join(strings.Fields(pattern), `[\s│╷╵]+`), syntax.Perl)
	if err != nil {
		panic(err)
	}
	limitToDiagnostic(re)
	return regexp.MustCompile(re.String())
}

// withinDiagnostic matches everything up to the next line that begins with "Er" or "Wa", as in "Error" and "Warning".
const withinDiagnostic = `(?:[^\n]|\n+(?:[^EW\n]|E[^r\n]|W[^a\n]))*\n*`

// limitToDiagnostic replaces each ".*" and ".+" of an expression with withinDiagnostic.
func limitToDiagnostic(re *syntax.Regexp) {
	for i, sub := range re.Sub {
		isRepeated := sub.Op == syntax.OpStar || sub.Op == syntax.OpPlus
		if isRepeated && sub.Sub[0].Op == syntax.OpAnyChar {
			re.Sub[i], _ = syntax.Parse(withinDiagnostic, syntax.Perl)
			continue
		}
		limitToDiagnostic(sub)
	}
}
