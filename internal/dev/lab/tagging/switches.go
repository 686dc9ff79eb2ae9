package tagging

import (
	"cmp"
	"net/http"
)

// DefaultAnswerLimit is the largest response of vCenter's endpoint: 7 MB.
const DefaultAnswerLimit = 7_000_000

// RefuseAttach makes attaching a tag to an object fail, or any tag if tagID is empty. False ends it.
func (s *Store) RefuseAttach(tagID, objectID string, refuse bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.unattached[[2]string{tagID, objectID}] = refuse
}

// Refuse makes every attach and detach of an object fail; a batch continues with the other objects. False ends it.
func (s *Store) Refuse(objectID string, refuse bool) {
	defer s.lock()()
	s.refused[objectID] = refuse
}

// RefuseNext rejects the next calls for an object with 403, as vCenter does for new objects.
func (s *Store) RefuseNext(objectID string, calls int) {
	defer s.lock()()
	s.settling[objectID] = calls
}

// Deny revokes or restores the privilege for an operation.
func (s *Store) Deny(op Operation, deny bool) {
	defer s.lock()()
	s.denied[op] = deny
}

func (s *Store) isDenied(op Operation) bool {
	defer s.lock()()
	return s.denied[op]
}

// ForbidGone rejects reads of the tags of missing objects with 403, like vCenter; otherwise such objects have no
// tags.
func (s *Store) ForbidGone(forbid bool) {
	defer s.lock()()
	s.forbidGone = forbid
}

// Hide omits objects from listings of attached objects, as vCenter does without read privilege ("Only those objects
// for which you have the read privilege will be returned"), and rejects calls that name them.
func (s *Store) Hide(objectIDs ...string) {
	defer s.lock()()
	s.hidden = make(map[string]bool, len(objectIDs))
	for _, id := range objectIDs {
		s.hidden[id] = true
	}
}

// SetAnswerLimit sets the largest response in bytes, default DefaultAnswerLimit; 0 is no limit.
func (s *Store) SetAnswerLimit(bytes int) {
	defer s.lock()()
	s.limit = bytes
}

func (s *Store) answerLimit() int {
	defer s.lock()()
	return s.limit
}

// Missing is a 404 response that does not mean that an object is missing.
type Missing int

// The responses of SetMissing; NotMissing disables them.
const (
	NotMissing Missing = iota
	// MissingURL is the response of a release without the operation.
	MissingURL
	// MissingHTTP is the response of the endpoint while it starts.
	MissingHTTP
	// MissingOperation is the response of a release that has the service without the operation.
	MissingOperation
	// MissingService is the response while the tagging service starts.
	MissingService
)

// SetMissing makes every call fail with one of the responses.
func (s *Store) SetMissing(form Missing) {
	defer s.lock()()
	s.missing = form
}

// outage returns the response set by SetMissing.
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

// urn formats an object as in vCenter's messages.
func (s *Store) urn(o Object) string {
	return "urn:vmomi:" + o.Type + ":" + o.ID + ":" + cmp.Or(s.guid, "00000000-0000-4000-8000-000000000000")
}
