// What a run found.

package doctor

import "slices"

// Result is what became of a check.
type Result string

// The results.
const (
	// OK: the system does what vsla assumes.
	OK Result = "ok"
	// Differs: it does something else.
	Differs Result = "differs"
	// Unknown: it could not be checked here.
	Unknown Result = "unknown"
)

// Check is one assumption of vsla and what the system does.
type Check struct {
	ID     string
	Result Result
	// Meaning is one sentence.
	Meaning string
}

// Permission is what one part of vsla needs, and what of it the user has on the root folder.
type Permission struct {
	For                     string
	Has, Lacks, NotReported []string
}

// Limit is a limit that can be read, or why it cannot.
type Limit struct{ Name, Value string }

// Report is the result of a run. It contains no name, id, address or secret, except Left.
type Report struct {
	// Version and Commit are those of vsla.
	Version, Commit string
	// VCenter describes the vCenter, and Appliance the vSphere Replication appliance, in sentences.
	VCenter, Appliance []string
	// Replication describes what vCenter has about replication, Protection the appliance of vSAN Data Protection.
	Replication, Protection []string
	Permissions             []Permission
	Limits                  []Limit
	Checks                  []Check
	// Failed is why an examination ended early, in sentences.
	Failed []string
	// Written: the life cycle of a tag was run. Left names what it created and could not remove, for the user alone.
	Written bool
	Left    []string
	// Unclosed counts connections whose sessions could not be ended; Interrupted: the run was ended by the user.
	Unclosed    int
	Interrupted bool

	loginRefused bool
	exchanges    []exchange
	requests     int
}

// Count returns how many checks have a result.
func (r *Report) Count(result Result) int {
	n := 0
	for _, c := range r.Checks {
		if c.Result == result {
			n++
		}
	}
	return n
}

// WriteFailed reports whether a step of the life cycle failed, or something that it created was left.
func (r *Report) WriteFailed() bool {
	return len(r.Left) > 0 || slices.ContainsFunc(r.Checks, func(c Check) bool {
		return slices.Contains(lifeCycleIDs, c.ID) && c.Result == Differs
	})
}

func (r *Report) check(id string, result Result, meaning string) {
	r.Checks = append(r.Checks, Check{ID: id, Result: result, Meaning: meaning})
}

func (r *Report) limit(name, value string) {
	r.Limits = append(r.Limits, Limit{Name: name, Value: value})
}
