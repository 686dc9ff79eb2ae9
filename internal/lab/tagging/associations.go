// The listing of every association (vSphere 7.0 and later), a page at a time.

package tagging

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"
)

// AssociationsPath is where the listing answers.
const AssociationsPath = "/api/vcenter/tagging/associations"

// pageSize is how many associations a page holds.
const pageSize = 2000

// Association is one tag on one object.
type Association struct {
	Tag    string `json:"tag"`
	Object Object `json:"object"`
}

// Associations lists every association with an object that exists, sorted by tag and object.
func (s *Store) Associations() []Association {
	s.mu.RLock()
	defer s.mu.RUnlock()
	list := []Association{}
	for tag, objects := range s.attached {
		for o := range objects {
			if s.exists(o) {
				list = append(list, Association{Tag: tag, Object: o})
			}
		}
	}
	slices.SortFunc(
		list,
		func(a, b Association) int { return cmp.Or(cmp.Compare(a.Tag, b.Tag), compare(a.Object, b.Object)) },
	)
	return list
}

// serveAssociations answers from the whole sorted list each time; the marker is the position in it.
func (s *Store) serveAssociations(w http.ResponseWriter, r *http.Request) {
	s.mu.RLock()
	older, denied := s.older, s.denied[Read]
	s.mu.RUnlock()
	switch {
	case older || r.Method != http.MethodGet:
		notFound(AssociationsPath).write(w)
		return
	case denied:
		unauthorized("The user lacks the privilege for this operation.").write(w)
		return
	}
	from := 0
	if marker := r.URL.Query().Get("marker"); marker != "" {
		var err error
		if from, err = strconv.Atoi(marker); err != nil || from < 0 {
			invalid("vcenter.tagging.marker", "The marker is not one of this service.").write(w)
			return
		}
	}
	all := s.Associations()
	from = min(from, len(all))
	to := min(from+pageSize, len(all))
	page := map[string]any{"associations": all[from:to], "status": "END_OF_DATA"}
	if to < len(all) {
		page["status"], page["marker"] = "READY", strconv.Itoa(to)
	}
	write(w, http.StatusOK, page)
}
