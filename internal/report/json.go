package report

import (
	"encoding/json"
	"io"
)

// WriteJSON writes the review as JSON. Chart data is included as tables.
func (r *Review) WriteJSON(w io.Writer) error {
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	return encoder.Encode(r)
}
