// Package assess decodes the results of a plan, a state or a tiers file into their Go types and judges them: the
// level of each, its reasons, and what would make it hold. A plan of promises becomes an assessment of each promise,
// link and target. Readers of results (review, comparison, comment) print assessments and judge nothing themselves.
package assess

import (
	"cmp"
	"encoding/hex"
	"path/filepath"
	"slices"
	"strings"

	"terraform-provider-vsla/internal/plan/calculator"
	"terraform-provider-vsla/internal/wording"
)

// File is a file that was read.
type File struct {
	Name string `json:"name"`
	// SHA256 is its digest in hexadecimal digits.
	SHA256 string `json:"sha256"`
}

// NewFile returns a file with its digest.
func NewFile(name string, digest []byte) File {
	return File{Name: wording.Clean(filepath.Base(name)), SHA256: hex.EncodeToString(digest)}
}

// Raw is a result as a document has it.
type Raw struct {
	// Type is the data source; Title names the result for readers; if empty, it follows from the address.
	Type, Address, Title string
	Values               map[string]any
	// Deferred is the reason why it is not read yet, empty when it is. Unknown are its inputs that are not known.
	Deferred string
	Unknown  []string
	// Sensitive are the attributes that hold a sensitive value; "" is all of it.
	Sensitive []string
	// Function is true for the result of a function in an output; it has no inputs.
	Function bool
	// Outputs are the addresses of outputs with the same value.
	Outputs []string
}

// Reason is a stable code with its sentence.
type Reason struct {
	Code     string `json:"code"`
	Sentence string `json:"sentence"`
}

// Text returns the sentence, or the code if there is none.
func (r Reason) Text() string { return cmp.Or(r.Sentence, r.Code) }

// Assessment is one result, typed and judged.
type Assessment struct {
	Raw

	Kind *Kind
	// Key is the last key or name of the address, Name the address without what all of the type have alike.
	Key, Name string
	Level     wording.Level
	// Verdict is the verdict of the result, for example "meets".
	Verdict, Summary string
	Reasons          []Reason
	// Notes are about missing parts: sensitive values, figures that another calculation does not confirm.
	Notes []string
	// Told is what readers are told of it besides its figures.
	Told Told
	// Answer is the typed result: a calculator.Answer, a *Compliance, a *History, a *Promise, *Link or *Target. It is nil
	// if the result is deferred, withheld, or of another type or version.
	Answer any
	// Computed is the answer of a second calculation, with what charts need beyond a document; nil before Confirm, and if
	// that reports false.
	Computed any

	// given are the values before characters in them are replaced: simulations depend on names.
	given     map[string]any
	facts     []Fact
	confirmed *bool
}

// Hidden reports whether the values of a result must not or cannot be shown.
func (a *Assessment) Hidden() bool { return a.Deferred != "" || a.Withheld() }

// Withheld reports whether a result has a sensitive value.
func (a *Assessment) Withheld() bool { return len(a.Sensitive) > 0 }

// Judged reports whether the assessment counts: a figure without a verdict does not.
func (a *Assessment) Judged() bool { return a.Level != wording.Neutral }

// As returns the typed answer of an assessment.
func As[T any](a *Assessment) (T, bool) {
	answer, ok := a.Answer.(T)
	return answer, ok
}

// List assesses results, a plan of promises by its parts, and names them.
func List(results []Raw) []*Assessment {
	var all []*Assessment
	for _, raw := range results {
		all = append(all, parts(newAssessment(raw))...)
	}
	return titled(all)
}

func titled(all []*Assessment) []*Assessment {
	bySection := make(map[string][]*Assessment)
	for _, a := range all {
		bySection[a.Kind.ID] = append(bySection[a.Kind.ID], a)
	}
	for _, section := range bySection {
		setTitles(section)
	}
	return all
}

func newAssessment(raw Raw) *Assessment {
	raw.Address, raw.Type, raw.Title = wording.Clean(raw.Address), wording.Clean(raw.Type), wording.Clean(raw.Title)
	given := raw.Values
	raw.Values, _ = clean(given).(map[string]any)
	a := &Assessment{
		given: given,
		Raw:   raw, Kind: KindOf(raw.Type), Level: wording.Neutral, Key: lastKey(raw.Address),
		Name:    strings.Replace(raw.Address, "data."+raw.Type+".", "", 1),
		Reasons: []Reason{}, Notes: []string{},
	}
	switch {
	case a.Deferred != "":
		a.Level, a.Summary = wording.Unknown, "Not known before apply: "+a.Deferred+"."
		if len(a.Unknown) > 0 && !a.Withheld() {
			a.Notes = append(a.Notes, "Not known yet: "+strings.Join(a.Unknown, ", ")+".")
		}
	case a.Withheld():
		a.withhold()
	default:
		a.read()
	}
	if a.Function && !a.Hidden() {
		a.Notes = append(a.Notes, "This is a function's result in an output; its inputs are not in the file.")
	}
	if len(a.Outputs) > 0 {
		a.Notes = append(a.Notes, "Also shown by "+wording.Clean(strings.Join(a.Outputs, ", "))+".")
	}
	return a
}

func (a *Assessment) read() {
	a.Summary, _ = a.Values["summary"].(string)
	a.Level, a.Verdict = a.judge()
	codes, sentences := texts(a.Values["reasons"]), texts(a.Values["explanations"])
	for i, code := range codes {
		reason := Reason{Code: code}
		if i < len(sentences) {
			reason.Sentence = sentences[i]
		}
		a.Reasons = append(a.Reasons, reason)
	}
	answer, err := a.Kind.read(a.Values)
	if err != nil {
		a.Notes = append(a.Notes, "This result is of another version: "+wording.Clean(err.Error())+".")
		return
	}
	a.Answer = answer
	a.tell()
}

// judge returns the level of a result, and its own word for it.
func (a *Assessment) judge() (wording.Level, string) {
	verdict, _ := a.Values["verdict"].(string)
	if c := a.Kind.Calculator; c != nil {
		return wording.LevelOf(c, a.Values), verdict
	}
	if compliant, ok := a.Values["compliant"].(bool); ok {
		if compliant {
			return wording.Holds, ""
		}
		return wording.Misses, ""
	} else if a.Type == TypeCompliance {
		return wording.Unknown, "" // null: the account may not read every VM
	}
	// A data source that this version does not know may use a verdict that it does.
	for _, k := range Kinds() {
		if c := k.Calculator; c != nil && verdict != "" {
			if level := wording.LevelOf(c, a.Values); level != wording.Neutral {
				return level, verdict
			}
		}
	}
	return wording.Neutral, verdict
}

// withhold keeps no number and no text: results are computed from sensitive values, and could be turned back. The
// verdict stays, unless it is sensitive itself.
func (a *Assessment) withhold() {
	whole := a.Sensitive[0] == ""
	a.Level, a.Summary = wording.Unknown, "Withheld: the value is marked as sensitive."
	if whole {
		return
	}
	if !slices.ContainsFunc(a.Sensitive, func(name string) bool { return slices.Contains(judging(), name) }) {
		a.Level, a.Verdict = a.judge()
	}
	a.Summary = "Figures are withheld, because they could be computed back to what is marked as sensitive: " +
		wording.Clean(strings.Join(a.Sensitive, ", ")) + "."
}

func judging() []string {
	names := []string{"verdict", "compliant", "reasons", "promises"}
	for _, k := range Kinds() {
		if k.Calculator != nil && k.Calculator.Flag != nil {
			names = append(names, k.Calculator.Flag.Name)
		}
	}
	return names
}

// Confirm computes a result again if that is quick. It reports whether figures and inputs agree; a result that does not
// agree gets a note, once.
func (a *Assessment) Confirm() bool {
	if a.confirmed != nil {
		return *a.confirmed
	}
	ok := false
	a.confirmed = &ok
	if a.Answer == nil || a.Function || a.Kind.Calculator == nil {
		return false
	}
	answer, err := a.Kind.Calculator.Again(a.given)
	if err != nil {
		why := err.Error()
		if d, differs := err.(*calculator.DifferenceError); differs { //nolint:errorlint // Again returns it unwrapped
			why = wording.Label(d.Name) + " is " + wording.Value(d.Name, d.Document) + " in the file, and " +
				wording.Value(d.Name, d.Again) + " when it is computed again"
		}
		a.Notes = append(a.Notes, "A chart is left out, because its figures could not be confirmed: "+
			wording.Clean(why)+".")
		return false
	}
	if answer != nil {
		a.Computed, ok = answer, true
	}
	return ok
}

// clean returns a value of a document without characters that change how the text around them is read.
func clean(v any) any {
	switch v := v.(type) {
	case string:
		return wording.Clean(v)
	case []any:
		list := make([]any, len(v))
		for i, e := range v {
			list[i] = clean(e)
		}
		return list
	case map[string]any:
		m := make(map[string]any, len(v))
		for key, e := range v {
			m[wording.Clean(key)] = clean(e)
		}
		return m
	}
	return v
}

func texts(v any) []string {
	list, _ := v.([]any)
	all := make([]string, 0, len(list))
	for _, e := range list {
		all = append(all, wording.Value("", e))
	}
	return all
}
