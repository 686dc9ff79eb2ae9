package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"

	"terraform-provider-vsla/internal/assess/document"
	"terraform-provider-vsla/internal/plan"
)

type objectReader struct {
	text    []byte
	decoder *json.Decoder
}

func (o objectReader) value(at plan.Path) (any, error) {
	token, err := o.decoder.Token()
	if err != nil {
		return nil, o.wrapError(at, err)
	}
	switch token {
	case json.Delim('{'):
		return o.members(at)
	case json.Delim('['):
		list := []any{}
		for o.decoder.More() {
			v, err := o.value(at.Index(len(list)))
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		_, err = o.decoder.Token()
		return list, o.wrapError(at, err)
	}
	return token, nil
}

func (o objectReader) members(at plan.Path) (map[string]any, error) {
	members := make(map[string]any)
	for o.decoder.More() {
		token, err := o.decoder.Token()
		name, _ := token.(string)
		if err != nil {
			return nil, o.wrapError(at, err)
		}
		if _, twice := members[name]; twice {
			return nil, fmt.Errorf("%s must be given once, got it twice in the JSON object", at.Attr(name))
		}
		if members[name], err = o.value(at.Attr(name)); err != nil {
			return nil, err
		}
	}
	_, err := o.decoder.Token()
	return members, o.wrapError(at, err)
}

// readObject reads a single JSON object. Errors contain the path to the invalid member.
func readObject(r io.Reader) (map[string]any, error) {
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("standard input cannot be read: %w", err)
	}
	text = document.Decode(text)
	if len(bytes.TrimSpace(text)) == 0 {
		return nil, errors.New("standard input must be a JSON object, got nothing")
	}
	o := objectReader{text: text, decoder: json.NewDecoder(bytes.NewReader(text))}
	o.decoder.UseNumber()
	v, err := o.value(nil)
	if err != nil {
		return nil, err
	}
	members, ok := v.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("standard input must be a JSON object, got %s", typeWord(v))
	}
	if _, err := o.decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("standard input must be a single JSON object, got more after its end")
	}
	return members, nil
}

// unsupportedNumber matches numbers that JSON does not support.
var unsupportedNumber = regexp.MustCompile(`^[\s,:]*([-+]?(?:NaN|nan|Infinity|Inf|inf))\b`)

func (o objectReader) wrapError(at plan.Path, err error) error {
	if err == nil {
		return nil
	}
	if found := unsupportedNumber.FindSubmatch(o.text[min(int(o.decoder.InputOffset()), len(o.text)):]); found != nil {
		return fmt.Errorf("%s must be a number, got %s, which JSON does not have", at, found[1])
	}
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	if len(at) == 0 {
		return fmt.Errorf("standard input must be a JSON object: %w", err)
	}
	return fmt.Errorf("standard input must be a JSON object: %w, at %s", err, at)
}

func typeWord(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case []any:
		return "a list"
	case string:
		return "a string"
	case bool:
		return "true or false"
	}
	return "a number"
}
