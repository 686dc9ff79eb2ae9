package doctor

import (
	_ "embed"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"terraform-provider-vsla/internal/vsphere"
)

// eventList contains the event type IDs of releases 6.7 to 8.0.
//
//go:embed eventtypes.txt
var eventList string

var (
	eventWord  = regexp.MustCompile(`[A-Z]*[a-z]+`)
	eventForm  = regexp.MustCompile(`^[A-Za-z]{1,80}$`)
	eventWords = wordSetOfIDs(strings.Fields(eventList))
)

func wordSetOfIDs(ids []string) map[string]bool {
	words := make(map[string]bool)
	for _, id := range ids {
		for _, word := range eventWord.FindAllString(id[strings.LastIndexByte(id, '.')+1:], -1) {
			words[strings.ToLower(word)] = true
		}
	}
	return words
}

// eventText returns an event type ID if all words in it are known. Otherwise, it returns a placeholder.
func eventText(id string) string {
	prefix, name := "", ""
	for _, p := range vsphere.EventPrefixes {
		if rest, ok := strings.CutPrefix(id, p); ok {
			prefix, name = p, rest
		}
	}
	if prefix == "" {
		return "{type}"
	}
	words := eventWord.FindAllString(name, -1)
	if !eventForm.MatchString(name) || strings.Join(words, "") != name ||
		slices.ContainsFunc(words, func(w string) bool { return !eventWords[strings.ToLower(w)] }) {
		return "`" + prefix + "{type}`"
	}
	return "`" + id + "`"
}

func countedListText(texts []string) string {
	count := make(map[string]int)
	for _, text := range texts {
		count[text]++
	}
	parts := make([]string, 0, len(count))
	for _, text := range slices.Sorted(maps.Keys(count)) {
		if count[text] > 1 {
			text = fmt.Sprintf("%s (%d)", text, count[text])
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, ", ")
}
