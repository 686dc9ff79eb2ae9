package cli

import (
	"encoding/json"
	"fmt"

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
