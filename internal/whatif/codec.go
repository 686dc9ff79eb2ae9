package whatif

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Version is that of the links to a page: a page of another version has other cells.
const Version = 2

// Fragment returns the end of a link to the page with changes; empty without any.
func (p *Page) Fragment(changes Changes) string {
	kept := p.keep(changes)
	if len(kept) == 0 {
		return ""
	}
	text, err := json.Marshal(kept)
	if err != nil {
		return "" // an infinite number, which no cell accepts
	}
	return fmt.Sprintf("%d.%s.%s", Version, p.print, base64.RawURLEncoding.EncodeToString(text))
}

// Changes reads a fragment. Its errors are sentences for the page.
func (p *Page) Changes(fragment string) (Changes, error) {
	if fragment == "" {
		return Changes{}, nil
	}
	version, rest, _ := strings.Cut(fragment, ".")
	source, text, ok := strings.Cut(rest, ".")
	number, err := strconv.Atoi(version)
	switch {
	case !ok || err != nil:
		return nil, errors.New("the link is incomplete, so the page shows its source: copy the whole link")
	case number != Version:
		return nil, fmt.Errorf("the link is of version %d of this page, which has version %d, so the page shows its "+
			"source: write the page again with the program that the link is from", number, Version)
	case source != p.print:
		return nil, errors.New("the link was made on a page with another source, so this page shows its own source: open " +
			"the file that the link was copied from")
	}
	var changes Changes
	decoded, err := base64.RawURLEncoding.DecodeString(text)
	if err == nil {
		err = json.Unmarshal(decoded, &changes)
	}
	if err != nil {
		return nil, errors.New("the link is damaged, so the page shows its source: copy the whole link")
	}
	for id := range changes {
		if id != without && p.byID[id] == nil {
			return nil, fmt.Errorf("the link changes %q, which this page does not have, so the page shows its source", id)
		}
	}
	return changes, nil
}
