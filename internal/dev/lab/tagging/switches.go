// Behaviour that tests turn on: lost privileges, refusals, objects that are gone, services that start.

package tagging

import (
	"cmp"
	"net/http"
)

// DefaultAnswerLimit is the largest answer that vCenter's endpoint passes on: 7 MB.
const DefaultAnswerLimit = 7_000_000

// RefuseAttach makes every attach of a tag to an object fail, with an empty tag that of all tags. False ends it.
func (s *Store) RefuseAttach(tagID, objectID string, refuse bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.unattached[[2]string{tagID, objectID}] = refuse
}

// Refuse makes every attach and detach of an object fail; a batch continues with the others. False ends it.
func (s *Store) Refuse(objectID string, refuse bool) {
	defer s.lock()()
	s.refused[objectID] = refuse
}

// RefuseNext answers 403 to the next calls that name an object, as vCenter does for objects just created.
func (s *Store) RefuseNext(objectID string, calls int) {
	defer s.lock()()
	s.settling[objectID] = calls
}

// Deny takes the privilege for an operation away, or restores it.
func (s *Store) Deny(op Operation, deny bool) {
	defer s.lock()()
	s.denied[op] = deny
}

func (s *Store) isDenied(op Operation) bool {
	defer s.lock()()
	return s.denied[op]
}

// ForbidGone answers 403 to reads of the tags of objects that do not exist, as vCenter does; otherwise they have none.
func (s *Store) ForbidGone(forbid bool) {
	defer s.lock()()
	s.forbidGone = forbid
}

// Hide leaves objects out of the lists of what tags are attached to, as vCenter does with objects that the user may not
// read ("Only those objects for which you have the read privilege will be returned"), and refuses what names them.
func (s *Store) Hide(objectIDs ...string) {
	defer s.lock()()
	s.hidden = make(map[string]bool, len(objectIDs))
	for _, id := range objectIDs {
		s.hidden[id] = true
	}
}

// SetAnswerLimit sets the largest answer in bytes, default DefaultAnswerLimit; 0 is no limit.
func (s *Store) SetAnswerLimit(bytes int) {
	defer s.lock()()
	s.limit = bytes
}

func (s *Store) answerLimit() int {
	defer s.lock()()
	return s.limit
}

// Missing is a form of 404 that does not mean that an object is gone.
type Missing int

// The forms. NotMissing ends them.
const (
	NotMissing Missing = iota
	// MissingURL is the answer of a release without the operation.
	MissingURL
	// MissingHTTP is the answer of the endpoint while it starts.
	MissingHTTP
	// MissingOperation is the answer of a release that has the service without the operation.
	MissingOperation
	// MissingService is the answer while the tagging service starts.
	MissingService
)

// SetMissing answers every call with one of the forms.
func (s *Store) SetMissing(form Missing) {
	defer s.lock()()
	s.missing = form
}

// outage returns the answer while SetMissing is in force.
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

// urn returns an object in the form of vCenter's messages.
func (s *Store) urn(o Object) string {
	return "urn:vmomi:" + o.Type + ":" + o.ID + ":" + cmp.Or(s.guid, "00000000-0000-4000-8000-000000000000")
}
