// The sections: all results of a kind, one by one.

package report

import (
	"cmp"
	"encoding/base32"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
)

func (k kind) section(all []*instance, ids map[string]bool) Section {
	s := Section{
		ID:       k.id,
		Title:    k.title,
		Intro:    k.intro,
		Tables:   []Table{},
		Figures:  []Figure{},
		Subjects: make([]Subject, 0, len(all)),
	}
	ids[k.id] = true
	for _, in := range all {
		s.Subjects = append(s.Subjects, k.subject(in, ids))
	}
	if k.overview != nil {
		k.addOverview(all, &s)
	}
	s.limit(all, k.overview != nil)
	return s
}

// addOverview puts the tables and figures of all results that are shown before them.
func (k kind) addOverview(all []*instance, s *Section) {
	var shown []known
	for i, in := range all {
		if in.deferred == "" && len(in.sensitive) == 0 {
			shown = append(shown, known{in, &s.Subjects[i]})
		}
	}
	if len(shown) == 0 {
		return
	}
	s.Tables, s.Figures = k.overview(shown)
	if missing := len(all) - len(shown); missing > 0 {
		s.Tables[0].Note = strings.TrimSpace(
			s.Tables[0].Note + " " + count(missing, "result") + " not known or withheld: see below.",
		)
	}
	if t := k.inputsTable(shown); len(t.Rows) > 0 {
		s.Tables = append(s.Tables, t)
	}
}

// subject shows one result, or the reason why it is not shown.
func (k kind) subject(in *instance, ids map[string]bool) Subject {
	s := Subject{
		ID: anchorOf(in.address, ids), Address: clean(in.address), Name: in.title, Type: clean(in.kind), Level: Neutral,
		Detailed: !in.brief, Reasons: []Reason{}, Notes: []string{}, Facts: []Fact{}, Tables: []Table{}, Figures: []Figure{},
	}
	switch {
	case in.deferred != "":
		s.Level = Unknown
		s.Summary = "Not known before apply: " + in.deferred + "."
		if len(in.unknown) > 0 && len(in.sensitive) == 0 {
			s.Notes = append(s.Notes, "Not known yet: "+strings.Join(in.unknown, ", ")+".")
		}
		if len(in.sensitive) == 0 {
			s.Facts = in.facts(inputsOf(in.kind)...)
		}
	case len(in.sensitive) > 0:
		withhold(in, &s)
	default:
		s.Summary = in.text("summary")
		s.Reasons = in.reasons()
		s.Alone, s.Notes = in.alone, in.doubtNotes()
		k.fill(in, &s)
		if in.plain {
			s.Figures = []Figure{}
		}
		if in.result {
			s.Notes = append(s.Notes, "This is a function's result in an output; its inputs are not in the file.")
		}
	}
	if len(in.outputs) > 0 {
		s.Notes = append(s.Notes, "Also shown by "+clean(strings.Join(in.outputs, ", "))+".")
	}
	return s
}

// nameOf returns the address without "data." and the type.
func nameOf(in *instance) string {
	return clean(strings.Replace(in.address, "data."+in.kind+".", "", 1))
}

// withhold shows no number and no text: results are computed from sensitive values, and could be turned back. The
// verdict stays, unless it is sensitive itself.
func withhold(in *instance, s *Subject) {
	whole := in.sensitive[0] == ""
	s.Level = Unknown
	if !whole &&
		!slices.ContainsFunc(in.sensitive, func(name string) bool { return slices.Contains(judged(), name) }) {
		s.Level, s.Verdict = in.level()
	}
	s.Summary = "Withheld: the value is marked as sensitive."
	if !whole {
		s.Summary = "Figures are withheld, because they could be computed back to what is marked as sensitive: " +
			clean(strings.Join(in.sensitive, ", ")) + "."
	}
}

// reasons pairs codes with sentences. A calculator returns as many of one as of the other.
func (in *instance) reasons() []Reason {
	codes, sentences := in.texts("reasons"), in.texts("explanations")
	reasons := make([]Reason, 0, len(codes))
	for i, code := range codes {
		r := Reason{Code: code}
		if i < len(sentences) {
			r.Sentence = sentences[i]
		}
		reasons = append(reasons, r)
	}
	return reasons
}

// anchorOf makes an address a fragment that is unique on the page and the same for the same address.
func anchorOf(address string, taken map[string]bool) string {
	var b strings.Builder
	for _, r := range strings.TrimPrefix(address, "data.") {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			b.WriteRune(r)
		} else if s := b.String(); s != "" && !strings.HasSuffix(s, "-") {
			b.WriteByte('-')
		}
	}
	id := cmp.Or(strings.Trim(b.String(), "-"), "result")
	if !taken[id] {
		taken[id] = true
		return id
	}
	sum := fnv.New32a()
	_, _ = sum.Write([]byte(address))
	id += "-" + strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(sum.Sum(nil)))
	for n := 2; taken[id]; n++ {
		id += fmt.Sprint("-", n)
	}
	taken[id] = true
	return id
}
