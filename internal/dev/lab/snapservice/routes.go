package snapservice

import (
	"net/http"
	"slices"
	"strings"
)

// handlerFunc answers a request with a value or with a *refusal.
type handlerFunc func(a *Appliance, r *http.Request) (any, error)

// route is an API operation. Operations that start a task return 202 and the task ID.
type route struct {
	kind    string // name of the operation in rules for the traffic
	method  string
	path    string
	action  string // value of the query parameter "action"
	serve   handlerFunc
	status  int
	since91 bool
}

const (
	sitePath    = "/api/snapservice/sites/{site}"
	clusterPath = "/api/snapservice/clusters/{cluster}"
	groupsPath  = clusterPath + "/protection-groups"
	groupPath   = groupsPath + "/{pg}"
)

var routes = []route{
	read("about", "/api/snapservice/info/about", (*Appliance).about),
	read("sites", "/api/snapservice/sites", (*Appliance).sites),
	read("licenses", sitePath+"/licenses", (*Appliance).licenses),
	read("clusters", sitePath+"/clusters", (*Appliance).clusters),
	read("capabilities", sitePath+"/clusters/{cluster}/capabilities", (*Appliance).capabilities).from91(),
	read("pairs", "/api/snapservice/cluster-pairs", (*Appliance).pairs),
	read("vms", clusterPath+"/virtual-machines", (*Appliance).listVMs),
	read("list", groupsPath, (*Appliance).list),
	read("get", groupPath, (*Appliance).get),
	write("create", http.MethodPost, groupsPath, (*Appliance).create),
	write("update", http.MethodPatch, groupPath, (*Appliance).updateGroup),
	write("delete", http.MethodDelete, groupPath, (*Appliance).remove),
	write("pause", http.MethodPost, groupPath, (*Appliance).pause).withAction("pause"),
	write("resume", http.MethodPost, groupPath, (*Appliance).resume).withAction("resume"),
	write("snapshot", http.MethodPost, groupPath+"/snapshots", (*Appliance).snapshot),
	{
		kind:    "preview",
		method:  http.MethodPost,
		path:    "/api/snapservice/protection-groups",
		action:  "compute-members",
		serve:   (*Appliance).computeMembers,
		status:  http.StatusOK,
		since91: true,
	},
	read("task", "/api/snapservice/tasks/{task}", (*Appliance).getTask),
	read("tasks", "/api/snapservice/tasks", (*Appliance).listTasks),
}

// read returns a route that changes nothing.
func read(kind, path string, serve handlerFunc) route {
	return route{
		kind:   kind,
		method: http.MethodGet,
		path:   path,
		serve:  serve,
		status: http.StatusOK,
	}
}

// write returns a route that starts a task.
func write(kind, method, path string, serve handlerFunc) route {
	return route{
		kind:   kind,
		method: method,
		path:   path,
		serve:  serve,
		status: http.StatusAccepted,
	}
}

// withAction returns the route with a value of the query parameter "action".
func (o route) withAction(action string) route {
	o.action = action
	return o
}

// from91 returns the route as one that release 9.0 lacks.
func (o route) from91() route {
	o.since91 = true
	return o
}

// kindOf returns the kind of a request, for rules for the traffic.
func kindOf(r *http.Request) string {
	if strings.HasSuffix(r.URL.Path, "/snapservice/sessions") {
		return r.Method + " session"
	}
	for _, o := range routes {
		if r.Method == o.method && r.URL.Query().Get("action") == o.action && matchesPattern(o.path, r.URL.Path) {
			return o.kind
		}
	}
	return "other"
}

// matchesPattern reports whether a path has the form of a pattern with placeholders.
func matchesPattern(pattern, path string) bool {
	return slices.EqualFunc(strings.Split(pattern, "/"), strings.Split(path, "/"), func(want, got string) bool {
		if strings.HasPrefix(want, "{") {
			return got != ""
		}
		return got == want
	})
}

// handler returns the handler of the API. Routes with the same method and path differ in their action.
func (a *Appliance) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/api/snapservice/sessions", a.serveSession)
	patterns := map[string][]route{}
	for _, o := range routes {
		pattern := o.method + " " + o.path
		patterns[pattern] = append(patterns[pattern], o)
	}
	for pattern, operations := range patterns {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			i := slices.IndexFunc(operations, func(o route) bool { return o.action == r.URL.Query().Get("action") })
			if i < 0 {
				w.WriteHeader(http.StatusNotImplemented)
				return
			}
			a.serve(operations[i], w, r)
		})
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNotImplemented) })
	return mux
}

// serve answers a request to a route.
func (a *Appliance) serve(o route, w http.ResponseWriter, r *http.Request) {
	defer a.lock()()
	a.update()
	switch {
	case o.kind != "about" && !a.sessions[r.Header.Get(sessionHeader)]:
		answerError(w, newRefusal("UNAUTHENTICATED", "There is no such session."))
		return
	case o.since91 && a.is90():
		answerError(w, newRefusal("OPERATION_NOT_FOUND", "There is no such operation."))
		return
	case o.status == http.StatusAccepted && r.URL.Query().Get("vmw-task") != "true":
		answerError(w, newRefusal("OPERATION_NOT_FOUND", "Only as a task."))
		return
	}
	answer, err := o.serve(a, r)
	if err != nil {
		answerError(w, err)
		return
	}
	writeJSON(w, o.status, answer)
}
