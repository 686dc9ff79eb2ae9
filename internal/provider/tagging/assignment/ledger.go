// Package assignment plans and changes tag associations: one tag on many objects (vsla_tag_association), or many tags
// on one object (vsla_object_tags).
//
// Terraform plans a change again just before applying it, in a new process, and requires the same values. By then,
// other resources of the same apply may already have changed associations. The ledger therefore records each write, and
// plans are computed from the associations as they were before the first write. The ledger also serializes writes to
// SINGLE categories and detects conflicting tags. See docs/adr/0007-tier-moves.md.
package assignment

import (
	"sync"

	"golang.org/x/sync/semaphore"

	"terraform-provider-vsla/internal/provider/kit/connection"
	"terraform-provider-vsla/internal/transport/reading"
	"terraform-provider-vsla/internal/vsphere"
)

// Ledger records the tag associations that this run changes. It is safe for concurrent use. The zero value is empty.
type Ledger struct {
	tags       reading.Shared[Tag]
	categories reading.Shared[vsphere.Category]
	priorTags  reading.Shared[map[vsphere.Object]string]

	mu            sync.Mutex
	prior         map[string]*priorTagging
	kept          map[association]bool   // tags whose replacement could not be attached
	managed       map[association]bool   // tags that a resource of this run has attached
	attachPlanned map[association]bool   // tags that a resource plans to attach
	replacedBy    map[association]string // former tags, and the tags that replace them
	plannedTag    map[association]string // keyed by category and object
	movePlanned   map[string]bool        // tags whose objects will change
	locks         map[string]*semaphore.Weighted
	plannedTypes  map[string][]string
	plannedNames  sync.Map
}

// LedgerOf returns the ledger of the provider configuration.
func LedgerOf(clients *connection.Set) *Ledger {
	return connection.State[Ledger](clients)
}

// association is a tag, or a category, on an object.
type association struct {
	tagID  string
	object vsphere.Object
}
