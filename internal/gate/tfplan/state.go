package tfplan

import (
	"encoding/json"
	"fmt"
)

const stateVersion = 4

// readState decodes a state file of version 4.
func readState(text []byte) ([]*Resource, error) {
	var state struct {
		Version   int `json:"version"`
		Resources []struct {
			Module    string `json:"module"`
			Mode      string `json:"mode"`
			Type      string `json:"type"`
			Name      string `json:"name"`
			Instances []struct {
				Index      any            `json:"index_key"`
				Attributes map[string]any `json:"attributes"`
			} `json:"instances"`
		} `json:"resources"`
	}
	if err := json.Unmarshal(text, &state); err != nil {
		return nil, err
	}
	if state.Version != stateVersion {
		return nil, fmt.Errorf("state version %d is not supported", state.Version)
	}
	found := []*Resource{}
	for _, r := range state.Resources {
		for _, i := range r.Instances {
			address := r.Type + "." + r.Name + indexText(i.Index)
			if r.Module != "" {
				address = r.Module + "." + address
			}
			found = append(found, &Resource{
				Address: address,
				Mode:    r.Mode,
				Type:    r.Type,
				Index:   i.Index,
				Values:  i.Attributes,
			})
		}
	}
	return found, nil
}

func indexText(index any) string {
	switch i := index.(type) {
	case string:
		return fmt.Sprintf("[%q]", i)
	case float64:
		return fmt.Sprintf("[%d]", int(i))
	}
	return ""
}
