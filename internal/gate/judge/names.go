package judge

import (
	"maps"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"terraform-provider-vsla/internal/gate/finding"
	"terraform-provider-vsla/internal/gate/settings"
)

// checkNames finds names of tiers and tags that can be mistaken for another one.
func (j *judge) checkNames() {
	names := make(map[string]string) // with the address
	for name := range j.settings.Promises {
		if name != settings.AllOthers {
			names[name] = ""
		}
	}
	for _, t := range j.tiers {
		names[t.name] = t.address
	}
	for _, h := range j.table.Holders {
		if name := h.Tag.Name; name != "" && names[name] == "" && j.settings.IsPromiseCategory(h.Tag.Category) {
			names[name] = h.Address
		}
	}
	folded := make(map[string]string)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		shown := finding.Visible(name)
		if shown != name {
			j.add(finding.Misleading, shown, names[name], "has characters in its name that cannot be seen")
			continue
		}
		fold := foldName(name)
		if other, taken := folded[fold]; taken {
			j.add(finding.Misleading, shown, names[name], "can be mistaken for %s", other)
		} else if mixesScripts(name) {
			j.note(finding.Misleading, shown, "has letters of several scripts in its name")
		}
		folded[fold] = name
	}
}

// lookalikes maps letters to the Latin letters that they look like.
var lookalikes = strings.NewReplacer(
	"а", "a", "в", "b", "е", "e", "і", "i", "ј", "j", "к", "k", "м", "m", "н", "h", "о", "o", "р", "p", "с", "c",
	"ѕ", "s", "т", "t", "у", "y", "х", "x", "ԁ", "d", "ԛ", "q", "ԝ", "w", "ӏ", "l", "α", "a", "β", "b", "ε", "e",
	"ι", "i", "κ", "k", "ν", "v", "ο", "o", "ρ", "p", "τ", "t", "υ", "u", "χ", "x", "γ", "y", "ɡ", "g", "ı", "i",
	"0", "o", "1", "l", "|", "l",
)

// foldName returns a text that is the same for names that look alike.
func foldName(name string) string {
	var b strings.Builder
	for _, r := range norm.NFKD.String(cases.Fold().String(name)) {
		if !unicode.Is(unicode.Mn, r) && !unicode.IsSpace(r) && finding.Visible(string(r)) == string(r) {
			b.WriteRune(r)
		}
	}
	return lookalikes.Replace(b.String())
}

func mixesScripts(name string) bool {
	found := make(map[string]bool)
	for _, r := range name {
		for _, script := range []string{"Latin", "Cyrillic", "Greek", "Armenian", "Cherokee"} {
			if unicode.Is(unicode.Scripts[script], r) {
				found[script] = true
			}
		}
	}
	return len(found) > 1
}
