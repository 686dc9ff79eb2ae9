package vsphere

import (
	"fmt"
	"strings"
)

// Refusal describes an object or tag that a bulk call left unchanged.
type Refusal struct {
	ID string
	// Message is vCenter's reason. It can be empty.
	Message string
}

// PartialError lists the objects or tags that a bulk call did not change. All others were changed.
type PartialError struct {
	// Operation names the request. Kind is "objects" or "tags".
	Operation, Kind string
	// Total is the number of items in the call.
	Total   int
	Refused []Refusal
	// forbidden is true if vCenter reported a missing privilege, which it also does for a few seconds after an object
	// is created. missing is true if vCenter reported an unknown tag or object.
	forbidden, missing bool
}

// AllRefused reports whether the call changed none of its items.
func (e *PartialError) AllRefused() bool { return len(e.Refused) == e.Total }

// maxListed is the maximum number of refusals listed in an error. The rest are only counted.
const maxListed = 10

// Error lists the first ten refusals with vCenter's reasons.
func (e *PartialError) Error() string {
	lines := make([]string, 0, maxListed+1)
	for i, r := range e.Refused {
		if i == maxListed {
			lines = append(lines, fmt.Sprintf("and %d more", len(e.Refused)-maxListed))
			break
		}
		line := r.ID
		if r.Message != "" {
			line += " (" + r.Message + ")"
		}
		lines = append(lines, line)
	}
	return fmt.Sprintf("%s: vCenter refused %d of the %s: %s", e.Operation, len(e.Refused), e.Kind,
		strings.Join(lines, ", "))
}

// InterruptedError reports how far a bulk operation had progressed when one of its requests failed. It wraps the cause.
type InterruptedError struct {
	Operation string
	// The requests for the first Confirmed objects succeeded. The request that failed may have changed the objects
	// after these, up to and including object number Reached. No later objects were changed.
	Confirmed, Reached, Total int
	Err                       error
}

// Error returns the progress and the cause.
func (e *InterruptedError) Error() string {
	if e.Total <= MaxBatch {
		return fmt.Sprintf("%s: %v", e.Operation, e.Err)
	}
	return fmt.Sprintf("%s: stopped after %d of %d objects: %v", e.Operation, e.Confirmed, e.Total, e.Err)
}

// Unwrap returns the cause.
func (e *InterruptedError) Unwrap() error { return e.Err }

// newPartialError assigns each message to the refused items that it mentions. A message that mentions none of them
// applies to all items without a message of their own.
func (c *Client) newPartialError(op, kind string, total int, refused []string, messages []localizableMessage) error {
	index := make(map[string]bool, len(refused))
	for _, id := range refused {
		index[id] = true
	}
	messageByID := make(map[string]string, len(messages))
	general := ""
	for _, m := range messages {
		text, hit := c.scrubber.Text(m.Default), false
		for _, word := range append(splitWords(m.Args), m.Args...) {
			if index[word] {
				messageByID[word], hit = text, true
			}
		}
		if !hit && general == "" {
			general = text
		}
	}
	e := &PartialError{Operation: op, Kind: kind, Total: total}
	for _, m := range messages {
		e.forbidden = e.forbidden || strings.Contains(m.ID, "unauthorized")
		e.missing = e.missing || strings.Contains(m.ID, "objectNotFound")
	}
	for _, id := range refused {
		message, ok := messageByID[id]
		if !ok {
			message = general
		}
		e.Refused = append(e.Refused, Refusal{ID: id, Message: message})
	}
	return e
}

// splitWords splits message arguments into words, so that "vm-4" does not match "VirtualMachine:vm-42".
func splitWords(args []string) []string {
	return strings.FieldsFunc(
		strings.Join(args, " "),
		func(r rune) bool { return strings.ContainsRune(" :/,'\"()[]", r) },
	)
}
