package tagging

// Release is a vCenter release. Releases are compared as strings.
type Release string

// Releases that differ in their tagging API. Release70 is 7.0 before Update 2.
const (
	Release70 Release = "7.0" // /rest, and GET /api/vcenter/tagging/associations
	Release80 Release = "8.0" // adds sessions and all /rest operations under /api
	Release90 Release = "9.0" // adds paged lists of tags and categories that can be filtered by name
	Release91 Release = "9.1" // adds PATCH /api/vcenter/tagging/associations
)

const (
	sinceAPI = Release80
)

// SetRelease changes the release that the service simulates.
func (s *Store) SetRelease(r Release) {
	defer s.lock()()
	s.release = r
}

// Has reports whether the release is r or later.
func (s *Store) Has(r Release) bool {
	defer s.lock()()
	return s.release >= r
}

// HasAPI reports whether the release serves sessions and tagging under /api.
func (s *Store) HasAPI() bool { return s.Has(sinceAPI) }
