// Package snapservice is the client of vSAN Data Protection: the protection groups of the appliance whose REST API is
// below /api/snapservice, releases 9.0 and later.
//
// It returns small structs, whose tags are the names of the API, and sentinel errors. It has no method for what fails
// over, restores or deletes single snapshots: promote, demote, activate, ransomware recovery, revert, restore, linked
// clones, sites and labels.
package snapservice
