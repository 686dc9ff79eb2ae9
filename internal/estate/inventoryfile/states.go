// States of VMs.

package inventoryfile

import (
	"slices"
	"strings"
)

func (b *builder) readStates(r *row, cells []string, number int) (reason string, err error) {
	at := func(field string) cell {
		c, _ := b.layout.cell(field, cells, b.table, number)
		c.vm = r.vm.Name
		return c
	}
	template, err := parseBool(at(fieldTemplate))
	if err != nil {
		return "", err
	}
	placeholder, err := parseBool(at(fieldPlaceholder))
	if err != nil {
		return "", err
	}
	if c := at(fieldTracking); c.text != "" {
		tracking, err := parseBool(c)
		if err != nil {
			return "", err
		}
		r.vm.Tracking = &tracking
	}
	if r.vm.PowerState, err = parsePowerState(at(fieldPowerState)); err != nil {
		return "", err
	}
	b.readBlockers(r, at, template)
	connection := strings.ToLower(at(fieldConnection).text)
	switch {
	case r.vm.Name == "":
		return SkippedNoName, nil
	case template && !b.options.Templates:
		return SkippedTemplate, nil
	case placeholder && !b.options.Placeholders:
		return SkippedPlaceholder, nil
	case connection != "" && connection != "connected":
		return SkippedInaccessible, nil
	}
	return "", nil
}

// Words of exports in several languages. Office writes the flags in the language of the user.
var (
	yes = []string{
		"true", "yes", "1", "wahr", "ja", "vrai", "oui", "verdadero", "sí", "si", "verdadeiro", "sim", "vero", "sì",
		"waar", "sant", "sand", "prawda", "tak", "pravda", "ano", "igaz", "igen", "tosi", "kyllä", "doğru", "evet",
		"истина", "да", "真", "はい", "是", "참", "예",
	}
	no = []string{
		"", "false", "no", "0", "falsch", "nein", "faux", "non", "falso", "não", "onwaar", "nee", "falskt", "nej",
		"usand", "nei", "usann", "fałsz", "nie", "nepravda", "ne", "hamis", "nem", "epätosi", "ei", "yanlış", "hayır",
		"ложь", "нет", "偽", "いいえ", "否", "假", "거짓", "아니요",
	}
	powerStates = map[string]string{
		"":           "",
		"poweredon":  "poweredOn",
		"on":         "poweredOn",
		"poweredoff": "poweredOff",
		"off":        "poweredOff",
		"suspended":  "suspended",
	}
)

// parseBool parses a flag. An empty cell is false.
func parseBool(c cell) (bool, error) {
	switch text := strings.ToLower(c.text); {
	case slices.Contains(yes, text):
		return true, nil
	case slices.Contains(no, text):
		return false, nil
	}
	return false, c.errorf("must be true or false, got %s", quote(c.text))
}

func parsePowerState(c cell) (string, error) {
	state, ok := powerStates[strings.ToLower(strings.Join(strings.Fields(c.text), ""))]
	if !ok {
		return "", c.errorf("must be poweredOn, poweredOff or suspended, got %s", quote(c.text))
	}
	return state, nil
}
