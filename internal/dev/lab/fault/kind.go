package fault

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"io"
	"net/http"
	"strings"
)

// Kind returns the name of the requested operation: "soap:Login", "POST tag", "GET tag/{id}", "POST
// tag-association:attach-tag-to-multiple-objects", or the method and path. The name does not depend on whether the path
// starts with /rest or /api.
func Kind(r *http.Request) string {
	if r.Method == http.MethodPost && strings.HasPrefix(r.URL.Path, "/sdk") {
		return "soap:" + soapOperation(r)
	}
	path := r.URL.Path
	for _, prefix := range []string{
		"/rest/com/vmware/cis/tagging/",
		"/rest/com/vmware/cis/",
		"/api/cis/tagging/",
		"/api/",
	} {
		if rest, ok := strings.CutPrefix(path, prefix); ok && !strings.HasPrefix(rest, "vcenter/") {
			path = rest
			break
		}
	}
	resource, id, _ := strings.Cut(path, "/")
	if path == r.URL.Path {
		resource = path
		id = ""
	}
	kind := r.Method + " " + resource
	query := r.URL.Query()
	if action := cmp.Or(query.Get("~action"), query.Get("action")); action != "" {
		return kind + ":" + action
	}
	if id != "" {
		kind += "/{id}"
	}
	return kind
}

func soapOperation(r *http.Request) string {
	body, err := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(body))
	if err != nil {
		return "unreadable"
	}
	decoder := xml.NewDecoder(bytes.NewReader(body))
	inBody := false
	for {
		token, err := decoder.Token()
		if err != nil {
			return "unreadable"
		}
		element, ok := token.(xml.StartElement)
		switch {
		case ok && inBody:
			return element.Name.Local
		case ok && element.Name.Local == "Body":
			inBody = true
		}
	}
}
