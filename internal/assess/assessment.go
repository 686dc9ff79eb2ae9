package assess

import (
	"cmp"
	"encoding/hex"
	"path/filepath"

	"terraform-provider-vsla/internal/plan"
	"terraform-provider-vsla/internal/wording"
)

// File identifies a file that was read.
type File struct {
	Name string `json:"name"`
	// SHA256 is the hexadecimal digest of the file.
	SHA256 string `json:"sha256"`
}

// NewFile returns a File with the base name of name and the given SHA-256 digest.
func NewFile(name string, digest []byte) File {
	return File{Name: wording.Clean(filepath.Base(name)), SHA256: hex.EncodeToString(digest)}
}

// Raw is a result as read from a document.
type Raw struct {
	// Type is the data source type. If Title is empty, List derives it from Address.
	Type, Address, Title string
	Values               map[string]any
	// Deferred is the reason why the result has not been read yet; empty if it has been read.
	Deferred string
	// Unknown lists the inputs that are known only after apply.
	Unknown []string
	// Sensitive lists the attributes that contain a sensitive value; "" means the whole result.
	Sensitive []string
}

// Reason is a reason for a level: a stable code and a sentence.
type Reason struct {
	Code     string `json:"code"`
	Sentence string `json:"sentence"`
}

// Text returns the sentence, or the code if there is none.
func (r Reason) Text() string { return cmp.Or(r.Sentence, r.Code) }

// Rule is a rule of a calculation and its source.
type Rule struct{ Text, Source string }

// Assessment is a result with its type, level and description.
type Assessment struct {
	Raw

	Kind *Kind
	// Key is the last key or name in the address. Name is the address without the data source type.
	Key, Name string
	Level     plan.Level
	// Verdict is the calculator's verdict, for example "meets".
	Verdict, Summary string
	Reasons          []Reason
	// Notes describes what is missing, such as sensitive values or results that could not be confirmed.
	Notes []string
	Texts Texts
	// Answer is the typed result: a calculator.Answer, a *Compliance, a *History, a *Promise, a *Link or a *Target. It
	// is nil if the result is deferred or withheld, has no Go type, or is from another version.
	Answer any
	// Recomputed is the recomputed answer, which contains chart values that the document lacks. It is nil until Confirm
	// returns true.
	Recomputed any

	// facts contains the facts of a part of a plan. Facts sets those of another result when they are first needed.
	facts     []Fact
	confirmed *bool
}

// Hidden reports whether the result is deferred or withheld.
func (a *Assessment) Hidden() bool { return a.Deferred != "" || a.Withheld() }

// Withheld reports whether the result contains a sensitive value.
func (a *Assessment) Withheld() bool { return len(a.Sensitive) > 0 }

// HasVerdict reports whether the result has a verdict.
func (a *Assessment) HasVerdict() bool { return a.Level != plan.Neutral }

// As returns the answer as a T, or false if it has another type.
func As[T any](a *Assessment) (T, bool) {
	answer, ok := a.Answer.(T)
	return answer, ok
}
