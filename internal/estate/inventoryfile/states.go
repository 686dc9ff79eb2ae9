// States of VMs.

package inventoryfile

import "strings"

func (b *builder) readStates(r *row, cells []string, number int) (reason string, err error) {
	at := func(field string) cell {
		c, _ := b.layout.cell(field, cells, b.sheet, number)
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

// parseBool parses a flag in English or German. An empty cell is false.
func parseBool(c cell) (bool, error) {
	switch strings.ToLower(c.text) {
	case "true", "wahr", "yes", "ja", "1":
		return true, nil
	case "", "false", "falsch", "no", "nein", "0":
		return false, nil
	}
	return false, c.errorf("must be true or false, got %s", quote(c.text))
}

func parsePowerState(c cell) (string, error) {
	switch strings.ToLower(strings.Join(strings.Fields(c.text), "")) {
	case "":
		return "", nil
	case "poweredon", "on":
		return "poweredOn", nil
	case "poweredoff", "off":
		return "poweredOff", nil
	case "suspended":
		return "suspended", nil
	}
	return "", c.errorf("must be poweredOn, poweredOff or suspended, got %s", quote(c.text))
}
