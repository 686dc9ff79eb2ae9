//go:build unix

package main

import (
	"math/rand/v2"
	"net/http"

	"terraform-provider-vsla/internal/dev/lab/fault"
	"terraform-provider-vsla/internal/dev/lab/tagging"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
)

const (
	noFault      = "none"
	killCLI      = "kill -9 of Terraform"
	killProvider = "kill -9 of the provider"
	killBoth     = "kill -9 of both"
	interrupt    = "Ctrl-C"
	cut          = "connection cut"
	lost         = "reply lost"
	status500    = "status 500"
	status503    = "status 503"
	page404      = "404 page of a proxy"
	emptyAnswer  = "empty answer"
	sessionEnd   = "session ended"
	wrappedEnd   = "session ended, as 400"
	remoteEnd    = "remote session ended"
	secondWriter = "second writer"
	restricted   = "account restricted"
)

var faultNames = []string{
	noFault, killCLI, killProvider, killBoth, interrupt, cut, lost, status500, status503, page404, emptyAnswer,
	sessionEnd, wrappedEnd, remoteEnd, secondWriter, restricted,
}

// proxyPage is an answer of a proxy.
const proxyPage = "<html><head><title>Error</title></head><body>upstream</body></html>"

const (
	create  = "create"
	change  = "change"
	move    = "tier move"
	destroy = "destroy"
)

const (
	attachMany  = "POST tag-association:attach-tag-to-multiple-objects"
	attachTags  = "POST tag-association:attach-multiple-tags-to-object"
	detachMany  = "POST tag-association:detach-tag-from-multiple-objects"
	detachTags  = "POST tag-association:detach-multiple-tags-from-object"
	objectsOf   = "POST tag-association:list-attached-objects-on-tags"
	tagsOf      = "POST tag-association:list-attached-tags-on-objects"
	vcenterIn   = "POST session"
	applianceIn = "login"
)

// Requests with faults by step.
var (
	vcenterKinds = map[string][]string{
		create: {"POST category", "POST tag", "GET tag/{id}", attachMany, attachTags, tagsOf, vcenterIn},
		change: {
			"POST tag",
			"PATCH tag/{id}",
			"GET tag/{id}",
			attachTags,
			detachTags,
			detachMany,
			tagsOf,
			objectsOf,
			vcenterIn,
		},
		move:    {"POST tag", "DELETE tag/{id}", "GET tag/{id}", attachMany, detachMany, tagsOf, objectsOf, vcenterIn},
		destroy: {"DELETE category/{id}", "DELETE tag/{id}", "GET tag/{id}", detachMany, detachTags, objectsOf, vcenterIn},
	}
	applianceKinds = map[string][]string{
		create: {
			"configureReplication", "getRecentTasksInfo", "getAllReplications", "getVmCapability", "getLocalVmDisks",
			"createRemoteSession", applianceIn,
		},
		change: {
			"reconfigureReplication", "pauseReplication", "getRecentTasksInfo", "getAllReplications", "configureReplication",
			"createRemoteSession", applianceIn,
		},
		move:    {"getAllReplications", "getVrPairing", "createRemoteSession", applianceIn},
		destroy: {"unconfigureReplication", "getRecentTasksInfo", "getAllReplications", applianceIn},
	}
	protectionKinds = map[string][]string{
		create:  {"create", "create", "list", "preview", "capabilities", "task", "tasks", vcenterIn},
		change:  {"update", "update", "create", "delete", "pause", "resume", "get", "list", "preview", "task", vcenterIn},
		move:    {"list", vcenterIn},
		destroy: {"delete", "delete", "list", "task", vcenterIn},
	}
)

// plan is the fault of a step.
type plan struct {
	name      string
	appliance bool
	kind      string
	skip      int
	times     int
	// handled: the server handles the request before the fault.
	handled bool
	writes  *rand.Rand
}

func draw(r *rand.Rand, step string, with service) plan {
	p := plan{
		name: pick(r, faultNames[1:]...), times: pick(r, 1, 1, 2, 8), handled: r.IntN(2) == 0, skip: r.IntN(3),
		appliance: with != tagsOnly && r.IntN(2) == 0,
		writes:    rand.New(rand.NewPCG(r.Uint64(), 0)), //nolint:gosec // repeatable by its seed
	}
	switch p.name {
	case remoteEnd:
		p.appliance = with == replicates
	case wrappedEnd, page404, emptyAnswer:
		p.appliance = false
	}
	kinds := vcenterKinds
	switch {
	case p.appliance && with == groups:
		kinds = protectionKinds
	case p.appliance:
		kinds = applianceKinds
	}
	p.kind = pick(r, kinds[step]...)
	if p.name == emptyAnswer { // to a read: vCenter's own answer to some writes is empty
		p.kind = pick(r, "GET tag/{id}", tagsOf, objectsOf)
	}
	return p
}

// answers are faulty answers of a server or proxy.
var answers = map[string]struct {
	status int
	body   string
}{
	status500:   {status: http.StatusInternalServerError},
	status503:   {http.StatusServiceUnavailable, proxyPage},
	page404:     {http.StatusNotFound, proxyPage},
	emptyAnswer: {status: http.StatusOK},
}

// arm installs the fault, which calls struck.
func (t *trial) arm(p plan, struck func()) {
	rule := fault.Rule{Kind: p.kind, Skip: p.skip, Times: 1}
	hook := func(f func()) {
		rule.Before = func(*http.Request) { struck(); f() }
	}
	switch p.name {
	case noFault:
		return
	case killCLI, killProvider, killBoth, interrupt:
		rule = t.signalled(rule, p, struck)
	case cut, lost:
		hook(func() {})
		rule.Times, rule.Cut, rule.Done = p.times, true, p.name == lost
	case status500, status503, page404, emptyAnswer:
		hook(func() {})
		answer := answers[p.name]
		rule.Times, rule.Status, rule.Body = p.times, answer.status, answer.body
	case sessionEnd:
		hook(t.endSessions)
	case wrappedEnd:
		hook(func() { t.lab.WrapSessionEnds(true); t.endSessions() })
	case remoteEnd:
		hook(t.endRemoteSessions)
	case secondWriter:
		hook(func() { t.writeOutside(p.writes) })
	case restricted:
		struck()
		t.restrict(p.writes)
		return
	}
	switch {
	case p.appliance && t.protection != nil:
		t.protection.Traffic().Break(rule)
	case p.appliance:
		t.gateway.Traffic().Break(rule)
	default:
		t.lab.Traffic().Break(rule)
	}
}

// restrict hides VMs and the privileges on the root folder from the account until mend. Before a destroy without
// force_destroy another client tags a hidden VM, which must stay tagged.
func (t *trial) restrict(r *rand.Rand) {
	hidden := some(r, t.vms)
	if t.destroys {
		hidden = some(r, t.vms[len(t.vms)/2:]) // without labels, which could not be refreshed
	}
	if t.destroys && !t.forced {
		for _, tag := range t.lab.Tags().Tags() {
			if t.cardinality(tag) == "MULTIPLE" {
				t.attach(tag, tagging.Object{Type: "VirtualMachine", ID: hidden[0]})
				break
			}
		}
	}
	t.hidden = hidden
	t.lab.LimitAccess(pick(r, vcsim.AccessRoot, vcsim.AccessBelow), hidden...)
	if t.protection != nil {
		t.protection.Hide(hidden...)
	}
}

// signalled adds a signal before or after the server handles the request.
func (t *trial) signalled(rule fault.Rule, p plan, struck func()) fault.Rule {
	strike := func(*http.Request) { struck(); t.signal(p.name) }
	switch {
	case p.handled:
		rule.After = strike
	case p.name == interrupt:
		rule.Before = strike
	default:
		rule.Before, rule.Status = strike, http.StatusServiceUnavailable // the killed client never reads it
	}
	return rule
}

// hideLibraries hides content libraries from an account without a global permission.
func (t *trial) hideLibraries() {
	if !t.global {
		t.lab.Traffic().Break(fault.Rule{Kind: "GET content/{id}", Status: http.StatusOK, Body: "[]"})
	}
}

func (t *trial) mend() {
	t.lab.Traffic().Mend()
	t.hideLibraries()
	t.lab.WrapSessionEnds(false)
	t.lab.LimitAccess(vcsim.AccessPropagates)
	if t.gateway != nil {
		t.gateway.Traffic().Mend()
	}
	if t.protection != nil {
		t.protection.Traffic().Mend()
		t.protection.Hide()
	}
}

func (t *trial) endSessions() {
	t.lab.ExpireSessions()
	if t.gateway != nil {
		t.gateway.ExpireSessions()
	}
	if t.protection != nil {
		t.protection.ExpireSessions()
	}
}

func (t *trial) endRemoteSessions() {
	if t.gateway != nil {
		t.gateway.ExpireRemoteSessions()
	}
}

func (t *trial) sessions() int {
	rest, soap := t.lab.Sessions()
	open := rest + soap
	if t.gateway != nil {
		open += t.gateway.Sessions()
	}
	if t.protection != nil {
		of, _ := t.protection.Sessions()
		open += of
	}
	return open
}

// leaves reports whether a process may leave a session open: a client does not know a session if the login got no
// answer.
func (p plan) leaves() bool {
	switch p.name {
	case cut, lost, status500, status503:
		return p.kind == vcenterIn || p.kind == applianceIn
	case killCLI, killProvider, killBoth:
		return true
	}
	return false
}
