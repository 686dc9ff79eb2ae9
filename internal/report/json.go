// The review for programs.

package report

import (
	"encoding/json"
	"io"
)

// WriteJSON writes the review as JSON: the same subjects, reasons and tables as on the page, and charts as their data.
func (r *Review) WriteJSON(w io.Writer) error {
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	return encoder.Encode(r)
}
