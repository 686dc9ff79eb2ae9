// Requests by the templates of their paths: every segment that is not on a list becomes a placeholder.

package doctor

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
)

const (
	tagsPath         = "/api/vcenter/tagging/tags"
	categoriesPath   = "/api/vcenter/tagging/categories"
	associationsPath = "/api/vcenter/tagging/associations"
	olderCategories  = "/rest/com/vmware/cis/tagging/category"
	// absentPath is an operation that no release has.
	absentPath = "/api/vcenter/tagging/vsla-doctor"
)

// The two services.
var (
	vcenterNames = names{service: "vCenter", paths: []string{
		"/api/session", "/rest/com/vmware/cis/session",
		"/api/cis/tagging/category", "/api/cis/tagging/category/{id}",
		"/api/cis/tagging/tag", "/api/cis/tagging/tag/{id}",
		"/api/cis/tagging/tag-association", "/api/cis/tagging/tag-association/{id}",
		olderCategories, olderCategories + "/{id}",
		"/rest/com/vmware/cis/tagging/tag", "/rest/com/vmware/cis/tagging/tag/{id}",
		"/rest/com/vmware/cis/tagging/tag-association", "/rest/com/vmware/cis/tagging/tag-association/{id}",
		tagsPath, categoriesPath, associationsPath, "/api/vcenter/topology/nodes", absentPath,
	}}
	applianceNames = names{service: "appliance", paths: []string{
		"/session", "/info", "/pairings", "/pairings/{pairing_id}", "/pairings/{pairing_id}/remote-session",
		"/pairings/{pairing_id}/replications", "/pairings/{pairing_id}/replications/{replication_id}",
		"/pairings/{pairing_id}/vrs/{vr_id}/replication-servers",
		"/pairings/{pairing_id}/vcenters/{vcenter_id}/vms/{vm_id}/capability",
	}}
	protectionNames = names{service: "data protection", paths: []string{
		"/snapservice/sessions", "/snapservice/info/about", "/snapservice/sites", "/snapservice/sites/{site}/licenses",
		"/snapservice/sites/{site}/clusters", "/snapservice/sites/{site}/clusters/{cluster}/capabilities",
		"/snapservice/cluster-pairs", "/snapservice/clusters/{cluster}/virtual-machines",
		"/snapservice/clusters/{cluster}/protection-groups",
	}}
)

// request returns method, template and query of a request.
func (n names) request(req *http.Request, body []byte) string {
	if isXML(req.Header) {
		return req.Method + " SOAP " + operationOf(body)
	}
	s := known(methods, req.Method, "{method}") + " " + template(n.paths, req.URL.EscapedPath())
	if query := queryOf(req.URL.Query()); query != "" {
		s += "?" + query
	}
	return s
}

var methods = []string{
	http.MethodGet, http.MethodPost, http.MethodPatch, http.MethodPut, http.MethodDelete, http.MethodHead,
}

// known returns a word that is on a list, or the placeholder.
func known(list []string, word, placeholder string) string {
	if slices.Contains(list, word) {
		return word
	}
	return placeholder
}

// template returns the template of a path, which may follow a base path.
func template(paths []string, escaped string) string {
	segments := strings.Split(strings.Trim(escaped, "/"), "/")
	for start := range segments {
		for _, path := range paths {
			if fits(strings.Split(strings.Trim(path, "/"), "/"), segments[start:]) {
				return path
			}
		}
	}
	return "{unknown path}"
}

func fits(template, segments []string) bool {
	return slices.EqualFunc(template, segments, func(t, s string) bool {
		return t == s || (strings.HasPrefix(t, "{") && s != "")
	})
}

// shown are the parameters whose values are published where they are on the list; with none, numbers are.
var shown = map[string][]string{
	"action": actions, "~action": actions,
	"page_size": nil, "limit": nil,
	"sort_by":         {"id", "name", "pairing_id"},
	"order_by":        {"asc", "desc"},
	"extended_info":   {"true", "false"},
	"filter_property": {"id", "name", "vm_id"},
}

var actions = []string{
	"list-tags-for-category", "list-attached-tags", "list-attached-objects", "list-attached-objects-on-tags",
	"list-attached-tags-on-objects", "attach", "detach", "attach-tag-to-multiple-objects",
	"detach-tag-from-multiple-objects", "attach-multiple-tags-to-object", "detach-multiple-tags-from-object",
}

// hidden are the parameters of which only the name is published.
var hidden = []string{"marker", "names", "offset", "filter", "source_vc_guid", "local_clusters"}

// queryOf returns the parameters, sorted.
func queryOf(query url.Values) string {
	var parts []string
	for name, values := range query {
		for _, value := range values {
			list, isShown := shown[name]
			switch {
			case isShown && (slices.Contains(list, value) || (list == nil && isNumber(value))):
				parts = append(parts, name+"="+value)
			case isShown, slices.Contains(hidden, name):
				parts = append(parts, name+"={value}")
			default:
				parts = append(parts, "{parameter}")
			}
		}
	}
	slices.Sort(parts)
	return strings.Join(slices.Compact(parts), "&")
}

// isNumber reports whether a text is a number of at most six digits.
func isNumber(s string) bool {
	const most = 6
	return s != "" && len(s) <= most && strings.Trim(s, "0123456789") == ""
}
