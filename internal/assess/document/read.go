package document

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"unicode/utf8"

	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// MaxBytes is the maximum size of a file, because decoding takes seven times its size in memory. The file for a plan
// with 50,000 VMs is about 50 MB.
const MaxBytes = 128 << 20

// ErrNotShowJSON is the error that Read wraps if a file is not the output of `terraform show -json`.
var ErrNotShowJSON = errors.New("this is not the output of `terraform show -json`")

// Read decodes a plan or a state. For any other file, the error wraps ErrNotShowJSON and, if possible, states what the
// file actually is.
func Read(r io.Reader) (*Document, error) {
	text, err := io.ReadAll(io.LimitReader(r, MaxBytes+1))
	if err != nil {
		return nil, err
	}
	if len(text) > MaxBytes {
		return nil, fmt.Errorf("the file is larger than %d MiB", MaxBytes>>20)
	}
	decoded := Decode(text)
	text = clean(decoded)
	if !bytes.Equal(text, decoded) {
		if name := ambiguousName(decoded); name != "" {
			return nil, fmt.Errorf("two names differ only in control characters, such as line breaks, and look like "+
				"%q: rename one of them", name)
		}
	}
	var keys map[string]json.RawMessage
	if err := json.Unmarshal(text, &keys); err != nil {
		return nil, explainNotJSON(text, err)
	}
	if err := checkShowJSON(keys); err != nil {
		return nil, err
	}
	d := &Document{}
	if hasAny(keys, "planned_values", "resource_changes", "prior_state", "configuration") {
		err = errors.Join(json.Unmarshal(text, &d.plan), json.Unmarshal(text, &d.extra))
	} else {
		err = json.Unmarshal(text, &d.state)
	}
	if err != nil {
		return nil, fmt.Errorf("%w, or its version is not supported: %w", ErrNotShowJSON, err)
	}
	switch {
	case d.state != nil:
		d.addForeignResults(d.state.Values)
	case d.plan.PriorState != nil:
		d.addForeignResults(d.plan.PriorState.Values)
	}
	switch {
	case d.extra.Errored:
		d.AddOpen("plan", "The plan ended with an error: it cannot be applied, and results may be missing.")
	case d.plan != nil && d.plan.Complete != nil && !*d.plan.Complete:
		d.AddOpen("plan", "The plan is partial (-target, -exclude or deferred changes): results may be missing or "+
			"outdated.")
	}
	return d, nil
}

func checkShowJSON(keys map[string]json.RawMessage) error {
	switch {
	case hasAny(keys, "lineage", "serial"):
		return notShowJSON("it is a state file: run `terraform show -json` in its directory")
	case !hasAny(keys, "format_version"):
		return notShowJSON("it is JSON without a format_version")
	case hasAny(keys, "provider_schemas", "diagnostics", "valid"):
		return notShowJSON("it is the JSON output of another command")
	}
	return nil
}

func hasAny(keys map[string]json.RawMessage, names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool {
		_, ok := keys[name]
		return ok
	})
}

func notShowJSON(reason string) error { return fmt.Errorf("%w: %s", ErrNotShowJSON, reason) }

func explainNotJSON(text []byte, err error) error {
	trimmed := bytes.TrimSpace(text)
	switch {
	case len(trimmed) == 0:
		return notShowJSON("it is empty")
	case bytes.HasPrefix(text, []byte("PK\x03\x04")) && bytes.Contains(text, []byte("tfplan")):
		return notShowJSON("it is a plan file: run `terraform show -json` on it")
	case bytes.HasPrefix(text, []byte("PK\x03\x04")):
		return notShowJSON("it is a workbook or a zip archive: `vsla review` reads inventory files")
	case bytes.Contains(trimmed[:min(len(trimmed), 4096)], []byte(`"@level"`)):
		return notShowJSON(
			"it is the log of `terraform plan -json`: save the plan with -out and run `terraform show -json` on it",
		)
	}
	at, isSyntax := errors.AsType[*json.SyntaxError](err)
	if !isSyntax {
		return fmt.Errorf("%w: %w", ErrNotShowJSON, err)
	}
	before := text[:min(int(at.Offset), len(text))]
	line := before[bytes.LastIndexByte(before, '\n')+1:]
	return fmt.Errorf("%w: line %d, column %d: %w", ErrNotShowJSON, 1+bytes.Count(before, []byte("\n")),
		utf8.RuneCount(line), err)
}

// Decode converts text to UTF-8. PowerShell writes UTF-16 with or without a byte-order mark. If there is no mark, a
// zero byte among the first two bytes indicates UTF-16, because JSON begins with an ASCII character.
func Decode(text []byte) []byte {
	fallback := transform.Transformer(transform.Nop)
	switch {
	case len(text) > 1 && text[0] == 0:
		fallback = unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM).NewDecoder()
	case len(text) > 1 && text[1] == 0:
		fallback = unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM).NewDecoder()
	}
	decoded, _, err := transform.Bytes(unicode.BOMOverride(fallback), text)
	if err != nil {
		return text
	}
	return decoded
}
