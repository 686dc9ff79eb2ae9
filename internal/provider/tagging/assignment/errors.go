package assignment

import (
	"fmt"
	"strings"

	"terraform-provider-vsla/internal/vsphere"
)

// NotReplacedError lists objects that keep a tag because its replacement could not be attached.
type NotReplacedError struct {
	// Path is the tag in the form "category/name".
	Path    string
	Objects []vsphere.Object
}

// Error lists up to ten objects.
func (e *NotReplacedError) Error() string {
	return fmt.Sprintf("tag %s was not detached from %s, because the new tag could not be attached",
		e.Path, ListIDs(e.Objects))
}

// Advice returns a hint for the user.
func (*NotReplacedError) Advice() string {
	return "Another resource in this apply could not tag these objects, so they keep their previous tag. Correct the " +
		"error of that resource and apply again."
}

// TagLostError lists objects that lost a tag because neither its replacement nor the tag itself could be attached.
type TagLostError struct {
	Path    string
	Objects []vsphere.Object
	// Certain is false if vCenter could not be read, so it is unknown whether the objects have a tag.
	Certain bool
	Err     error
}

// Error lists all objects, because no other message lists them.
func (e *TagLostError) Error() string {
	ids := make([]string, 0, len(e.Objects))
	for _, o := range e.Objects {
		ids = append(ids, o.ID)
	}
	text := "tag %s could not be restored, so these objects no longer have a tag of its category: %s: %v"
	if !e.Certain {
		text = "it is unknown whether tag %s was restored and whether these objects have a tag of its category: %s: %v"
	}
	return fmt.Sprintf(text, e.Path, strings.Join(ids, ", "), e.Err)
}

// Advice returns a hint for the user.
func (*TagLostError) Advice() string {
	return "The new tag was rejected after the previous tag was detached, and the previous tag could not be attached " +
		"again. The next plan shows the missing tags. Correct the cause and apply again."
}

// Unwrap returns the error from restoring the tag.
func (e *TagLostError) Unwrap() error { return e.Err }
