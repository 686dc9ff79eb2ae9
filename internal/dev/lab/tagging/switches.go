package tagging

import (
	"cmp"
	"net/http"
)

// DefaultAnswerLimit is the response size limit of vCenter's API endpoint (7 MB).
const DefaultAnswerLimit = 7_000_000

// RefuseAttach sets whether attaching the tag to the object fails. An empty tagID means any tag.
func (s *Store) RefuseAttach(tagID, objectID string, refuse bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.unattached[[2]string{tagID, objectID}] = refuse
}

// Refuse sets whether attach and detach calls for an object fail. Bulk calls continue with other objects.
func (s *Store) Refuse(objectID string, refuse bool) {
	defer s.lock()()
	s.refused[objectID] = refuse
}

// RefuseNext rejects the given number of calls for an object with 403, as vCenter does for new objects.
func (s *Store) RefuseNext(objectID string, calls int) {
	defer s.lock()()
	s.settling[objectID] = calls
}

// Deny sets whether the user lacks the privilege for an operation.
func (s *Store) Deny(op Operation, deny bool) {
	defer s.lock()()
	s.denied[op] = deny
}

func (s *Store) isDenied(op Operation) bool {
	defer s.lock()()
	return s.denied[op]
}

// ForbidGone sets whether reading the tags of a missing object returns 403, as in vCenter. Otherwise the result is
// empty.
func (s *Store) ForbidGone(forbid bool) {
	defer s.lock()()
	s.forbidGone = forbid
}

// Hide omits the given objects from lists of attached objects and rejects calls that contain their IDs. vCenter does
// this if the user lacks the read privilege ("Only those objects for which you have the read privilege will be
// returned"). Objects hidden earlier become visible again.
func (s *Store) Hide(objectIDs ...string) {
	defer s.lock()()
	s.hidden = make(map[string]bool, len(objectIDs))
	for _, id := range objectIDs {
		s.hidden[id] = true
	}
}

// SetAnswerLimit sets the maximum response size in bytes. The default is DefaultAnswerLimit, and 0 means no limit.
func (s *Store) SetAnswerLimit(bytes int) {
	defer s.lock()()
	s.limit = bytes
}

func (s *Store) answerLimit() int {
	defer s.lock()()
	return s.limit
}

// Missing is a kind of 404 response with a cause other than a missing object.
type Missing int

// Kinds of 404 responses. NotMissing disables them.
const (
	NotMissing Missing = iota
	// MissingURL is returned by a release that has no operation at the URL.
	MissingURL
	// MissingHTTP is returned by the API endpoint while it is starting.
	MissingHTTP
	// MissingOperation is returned by a release that has the service but lacks the operation.
	MissingOperation
	// MissingService is returned while the tagging service is starting.
	MissingService
)

// SetMissing makes every call return the given response.
func (s *Store) SetMissing(form Missing) {
	defer s.lock()()
	s.missing = form
}

func (s *Store) outage() *fault {
	defer s.lock()()
	f := func(kind, id, text string) *fault {
		return newFault(http.StatusNotFound, kind, id, text, nil)
	}
	switch s.missing {
	case MissingURL:
		return noSuchOperation("/com/vmware/cis/tagging")
	case MissingHTTP:
		return f("not_found", "com.vmware.vapi.rest.httpNotFound", "Not found.")
	case MissingOperation:
		return f("operation_not_found", "vapi.method.input.invalid.method", "Cannot find method.")
	case MissingService:
		return f("operation_not_found", "vapi.method.input.invalid.interface",
			"Cannot find service 'com.vmware.cis.tagging.tag'.")
	default:
		return nil
	}
}

func (s *Store) urn(o Object) string {
	return "urn:vmomi:" + o.Type + ":" + o.ID + ":" + cmp.Or(s.guid, "00000000-0000-4000-8000-000000000000")
}
