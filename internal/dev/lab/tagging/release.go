package tagging

// Release is a release of vCenter. Releases are compared as text.
type Release string

// Releases with different tagging APIs. Release70 is 7.0 before Update 2.
const (
	Release67 Release = "6.7" // /rest only
	Release70 Release = "7.0" // GET /api/vcenter/tagging/associations
	Release80 Release = "8.0" // all operations of /rest below /api, and sessions
	Release90 Release = "9.0" // paged listings of tags and categories, with look-up by names
	Release91 Release = "9.1" // PATCH /api/vcenter/tagging/associations
)

// The first releases with parts of /api.
const (
	sinceAssociations = Release70
	sinceAPI          = Release80
	sinceListings     = Release90
	sincePatch        = Release91
)

// SetRelease changes the release of the service.
func (s *Store) SetRelease(r Release) {
	defer s.lock()()
	s.release = r
}

// Older selects a release before 7.0, without the listing of all associations.
func (s *Store) Older() { s.SetRelease(Release67) }

// Has reports whether the release is r or later.
func (s *Store) Has(r Release) bool {
	defer s.lock()()
	return s.release >= r
}

// HasAPI reports whether the release serves sessions and tagging below /api.
func (s *Store) HasAPI() bool { return s.Has(sinceAPI) }
