//go:build unix

package soak_test

import (
	"math/rand/v2"
	"net/http"

	"terraform-provider-vsla/internal/dev/lab/fault"
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
	killCLI, killProvider, killBoth, interrupt, cut, lost, status500, status503, page404, emptyAnswer,
	sessionEnd, wrappedEnd, remoteEnd, secondWriter, restricted,
}

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

// Requests to break, by step.
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
		move: {"POST tag", "DELETE tag/{id}", "GET tag/{id}", attachMany, detachMany, tagsOf, objectsOf, vcenterIn},
		destroy: {
			"DELETE category/{id}", "DELETE tag/{id}", "GET tag/{id}", detachMany,
			detachTags, objectsOf, vcenterIn,
		},
	}
	applianceKinds = map[string][]string{
		create: {
			"configureReplication", "getRecentTasksInfo", "getAllReplications", "getVmCapability", "getLocalVmDisks",
			"createRemoteSession", applianceIn,
		},
		change: {
			"reconfigureReplication",
			"pauseReplication",
			"getRecentTasksInfo",
			"getAllReplications",
			"configureReplication",
			"createRemoteSession", applianceIn,
		},
		move:    {"getAllReplications", "getVrPairing", "createRemoteSession", applianceIn},
		destroy: {"unconfigureReplication", "getRecentTasksInfo", "getAllReplications", applianceIn},
	}
	protectionKinds = map[string][]string{
		create: {"create", "create", "list", "preview", "capabilities", "task", "tasks", vcenterIn},
		change: {
			"update", "update", "create", "delete", "pause", "resume", "get", "list",
			"preview", "task", vcenterIn,
		},
		move:    {"list", vcenterIn},
		destroy: {"delete", "delete", "list", "task", vcenterIn},
	}
)

type stepFault struct {
	name string
	// kind is the kind of request to break. skip is the number of requests of this kind that succeed first, and times
	// is the number that fail after them. appliance is set if the requests are sent to the appliance instead of
	// vCenter.
	appliance bool
	kind      string
	skip      int
	times     int
	// handled is set if the server handles the request before the client is killed or interrupted.
	handled bool
	writes  uint64 // seed for the writes of another client
}

func drawFault(r *rand.Rand, step string, with service) stepFault {
	f := stepFault{
		name:      pick(r, faultNames...),
		skip:      r.IntN(3),
		times:     pick(r, 1, 1, 2, 8),
		writes:    r.Uint64(),
		appliance: with != tagsOnly && r.IntN(2) == 0,
	}
	switch f.name {
	case killCLI, killProvider, killBoth, interrupt:
		f.handled = r.IntN(2) == 0
	case remoteEnd:
		f.appliance = with == replicates
	case wrappedEnd, page404, emptyAnswer:
		f.appliance = false
	}
	kinds := vcenterKinds
	switch {
	case f.appliance && with == groups:
		kinds = protectionKinds
	case f.appliance:
		kinds = applianceKinds
	}
	f.kind = pick(r, kinds[step]...)
	if f.name == emptyAnswer { // only for reads, because vCenter itself returns an empty response to some writes
		f.kind = pick(r, "GET tag/{id}", tagsOf, objectsOf)
	}
	return f
}

var responses = map[string]struct {
	status int
	body   string
}{
	status500:   {status: http.StatusInternalServerError},
	status503:   {http.StatusServiceUnavailable, proxyPage},
	page404:     {http.StatusNotFound, proxyPage},
	emptyAnswer: {status: http.StatusOK},
}

func (s *trial) inject(f stepFault) {
	rule := fault.Rule{Kind: f.kind, Skip: f.skip, Times: 1}
	writes := rand.New(rand.NewPCG(f.writes, 0))
	act := func() {}
	switch f.name {
	case noFault:
		return
	case restricted:
		s.triggered.Store(true)
		s.restrict(writes)
		return
	case killCLI, killProvider, killBoth, interrupt:
		act = func() { s.signal(f.name) }
		if !f.handled && f.name != interrupt {
			rule.Status = http.StatusServiceUnavailable // the killed client never reads the response
		}
	case cut, lost:
		rule.Times = f.times
		rule.CloseConnection = true
		rule.HandleFirst = f.name == lost
	case status500, status503, page404, emptyAnswer:
		rule.Times = f.times
		rule.Status = responses[f.name].status
		rule.Body = responses[f.name].body
	case sessionEnd:
		act = s.endSessions
	case wrappedEnd:
		act = func() {
			s.lab.WrapSessionEnds(true)
			s.endSessions()
		}
	case remoteEnd:
		act = func() {
			if s.gateway != nil {
				s.gateway.ExpireRemoteSessions()
			}
		}
	case secondWriter:
		act = func() { s.writeOutside(writes) }
	}
	hook := func(*http.Request) {
		s.triggered.Store(true)
		act()
	}
	if f.handled {
		rule.After = hook
	} else {
		rule.Before = hook
	}
	traffic := s.lab.Traffic()
	switch {
	case f.appliance && s.protection != nil:
		traffic = s.protection.Traffic()
	case f.appliance:
		traffic = s.gateway.Traffic()
	}
	traffic.Break(rule)
}

// restrict hides VMs from the account, and limits its role to the root folder or a folder below it, until clearFaults
// is called. Before a destroy without force_destroy, another client tags a hidden VM, which must keep the tag.
func (s *trial) restrict(r *rand.Rand) {
	s.hidden = subset(r, s.vms)
	if s.destroys {
		s.hidden = subset(r,
			s.vms[len(s.vms)/2:]) // VMs without labels, because labels of hidden VMs cannot be refreshed
	}
	if s.destroys && !s.forced {
		for _, tag := range s.lab.Tags().Tags() {
			if s.category(tag).Cardinality == "MULTIPLE" {
				s.attach(tag, s.hidden[0])
				break
			}
		}
	}
	s.lab.LimitAccess(pick(r, vcsim.AccessRoot, vcsim.AccessBelow), s.hidden...)
	if s.protection != nil {
		s.protection.Hide(s.hidden...)
	}
}

// hideLibraries hides content libraries from accounts without a global permission.
func (s *trial) hideLibraries() {
	if !s.global {
		s.lab.Traffic().Break(fault.Rule{Kind: "GET content/{id}", Status: http.StatusOK, Body: "[]"})
	}
}

func (s *trial) clearFaults() {
	s.lab.Traffic().Mend()
	s.hideLibraries()
	s.lab.WrapSessionEnds(false)
	s.lab.LimitAccess(vcsim.AccessPropagates)
	if s.gateway != nil {
		s.gateway.Traffic().Mend()
	}
	if s.protection != nil {
		s.protection.Traffic().Mend()
		s.protection.Hide()
	}
}

func (s *trial) endSessions() {
	s.lab.ExpireSessions()
	if s.gateway != nil {
		s.gateway.ExpireSessions()
	}
	if s.protection != nil {
		s.protection.ExpireSessions()
	}
}

func (s *trial) sessions() int {
	rest, soap := s.lab.Sessions()
	open := rest + soap
	if s.gateway != nil {
		open += s.gateway.Sessions()
	}
	if s.protection != nil {
		of, _ := s.protection.Sessions()
		open += of
	}
	return open
}

// mayLeakSession reports whether a fault can leave a session open. A killed client does not log out, and a client that
// receives no response to its login never learns the session ID.
func (f stepFault) mayLeakSession() bool {
	switch f.name {
	case cut, lost, status500, status503:
		return f.kind == vcenterIn || f.kind == applianceIn
	case killCLI, killProvider, killBoth:
		return true
	}
	return false
}
