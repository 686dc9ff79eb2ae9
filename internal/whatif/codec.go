package whatif

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Fragment returns the URL fragment that contains the changes, or an empty string if there are no changes.
func (p *Page) Fragment(changes Changes) string {
	kept := p.normalize(changes)
	if len(kept) == 0 {
		return ""
	}
	text, err := json.Marshal(kept)
	if err != nil {
		return "" // fails only for an infinite number, which no cell accepts
	}
	return fmt.Sprintf("%d.%s.%s", Version, p.fingerprint, base64.RawURLEncoding.EncodeToString(text))
}

// Changes decodes a fragment. Errors are sentences that are shown on the page.
func (p *Page) Changes(fragment string) (Changes, error) {
	if fragment == "" {
		return Changes{}, nil
	}
	version, rest, _ := strings.Cut(fragment, ".")
	source, text, ok := strings.Cut(rest, ".")
	number, err := strconv.Atoi(version)
	switch {
	case !ok || err != nil:
		return nil, errors.New("the link is incomplete, so the page shows the source values: copy the complete link")
	case number != Version:
		return nil, fmt.Errorf("the link is for version %d of the page, but this is version %d, so the page shows the "+
			"source values: write the page again with the program that created the link", number, Version)
	case source != p.fingerprint:
		return nil, errors.New("the link was created on a page with a different source, so this page shows its own " +
			"source values: open the file from which the link was copied")
	}
	var changes Changes
	decoded, err := base64.RawURLEncoding.DecodeString(text)
	if err == nil {
		err = json.Unmarshal(decoded, &changes)
	}
	if err != nil {
		return nil, errors.New("the link is damaged, so the page shows the source values: copy the complete link")
	}
	for id := range changes {
		if id != keyExcluded && p.byID[id] == nil {
			return nil, fmt.Errorf("the link changes %q, which does not exist on this page, so the page shows the "+
				"source values", id)
		}
	}
	return changes, nil
}
