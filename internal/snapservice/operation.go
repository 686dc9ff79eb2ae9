package snapservice

import "net/http"

// operation is an API operation that the client uses. Its value is an index into endpoints.
type operation int

const (
	createSession operation = iota
	deleteSession
	getAbout
	listSites
	listLicenses
	listClusters
	getCapability
	listPairs
	listVMs
	listGroups
	getGroup
	computeMembers
	createGroup
	updateGroup
	deleteGroup
	pauseGroup
	resumeGroup
	createSnapshot
	listTasks
	getTask
)

// endpoint is how to call an operation. Messages contain its template, never the expanded path.
type endpoint struct {
	method   string
	template string
	// action is the value of the query parameter "action", or empty.
	action string
	// startsTask is set for writes, to which the appliance responds with a task ID.
	startsTask bool
}

const (
	sessionsPath = "/snapservice/sessions"
	groupsPath   = "/snapservice/clusters/{cluster}/protection-groups"
	groupPath    = groupsPath + "/{pg}"
)

// endpoints contains the endpoint of each operation.
var endpoints = [...]endpoint{
	createSession: {method: http.MethodPost, template: sessionsPath},
	deleteSession: {method: http.MethodDelete, template: sessionsPath},
	getAbout:      get("/snapservice/info/about"),
	listSites:     get("/snapservice/sites"),
	listLicenses:  get("/snapservice/sites/{site}/licenses"),
	listClusters:  get("/snapservice/sites/{site}/clusters"),
	getCapability: get("/snapservice/sites/{site}/clusters/{cluster}/capabilities"),
	listPairs:     get("/snapservice/cluster-pairs"),
	listVMs:       get("/snapservice/clusters/{cluster}/virtual-machines"),
	listGroups:    get(groupsPath),
	getGroup:      get(groupPath),
	computeMembers: {
		method:   http.MethodPost,
		template: "/snapservice/protection-groups",
		action:   "compute-members",
	},
	createGroup:    {method: http.MethodPost, template: groupsPath, startsTask: true},
	updateGroup:    {method: http.MethodPatch, template: groupPath, startsTask: true},
	deleteGroup:    {method: http.MethodDelete, template: groupPath, startsTask: true},
	pauseGroup:     {method: http.MethodPost, template: groupPath, action: "pause", startsTask: true},
	resumeGroup:    {method: http.MethodPost, template: groupPath, action: "resume", startsTask: true},
	createSnapshot: {method: http.MethodPost, template: groupPath + "/snapshots", startsTask: true},
	listTasks:      get("/snapservice/tasks"),
	getTask:        get("/snapservice/tasks/{task}"),
}

// get returns the endpoint of a read.
func get(template string) endpoint { return endpoint{method: http.MethodGet, template: template} }

// endpoint returns the endpoint of the operation.
func (o operation) endpoint() endpoint { return endpoints[o] }

// String returns the method, template and action.
func (o operation) String() string {
	e := o.endpoint()
	s := e.method + " " + e.template
	if e.action != "" {
		s += "?action=" + e.action
	}
	return s
}
