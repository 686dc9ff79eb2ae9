package tagging_test

import (
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"terraform-provider-vsla/internal/dev/lab/tagging"
)

func TestSwitches_goneObject(t *testing.T) {
	t.Parallel()
	s := newService(t)
	gone := `{"object_id":{"type":"VirtualMachine","id":"vm-gone"}}`
	one, many := apiAssociation+"?action=list-attached-tags", apiAssociation+"?action=list-attached-tags-on-objects"
	objects := `{"object_ids":[{"type":"VirtualMachine","id":"vm-gone"}]}`
	var ids []string
	s.api("POST", one, gone, 200, &ids)
	s.ForbidGone(true)
	s.refused("POST", one, gone, 403, "UNAUTHORIZED")
	s.refused("POST", many, objects, 403, "UNAUTHORIZED")
	s.ForbidGone(false)
	s.RefuseNext("vm-gone", 1)
	s.refused("POST", one, gone, 403, "UNAUTHORIZED")
	s.api("POST", one, gone, 200, &ids)
}

func TestSwitches_answerLimit(t *testing.T) {
	t.Parallel()
	s := newService(t)
	tag := s.apiTag(s.apiCategory("tier", "SINGLE"), "gold")
	for _, o := range vms(10) {
		if err := s.Attach(tag, o); err != nil {
			t.Fatal(err)
		}
	}
	list := func(n int) string {
		return `{"tag_ids":["` + strings.Join(slices.Repeat([]string{tag}, n), `","`) + `"]}`
	}
	path := apiAssociation + "?action=list-attached-objects-on-tags"
	s.SetAnswerLimit(1000) // one tag with ten objects has some 500 bytes, two have more than 1,000
	s.refused("POST", path, list(2), 500, "INTERNAL_SERVER_ERROR")
	s.api("POST", path, list(1), 200, nil)
	s.SetAnswerLimit(0)
	s.api("POST", path, list(2), 200, nil)
}

func TestSwitches_missing(t *testing.T) {
	t.Parallel()
	s := newService(t)
	for form, want := range map[tagging.Missing]string{
		tagging.MissingURL:       "com.vmware.vapi.rest.operationsForUrlNotFound",
		tagging.MissingHTTP:      "com.vmware.vapi.rest.httpNotFound",
		tagging.MissingOperation: "vapi.method.input.invalid.method",
		tagging.MissingService:   "Cannot find service",
	} {
		s.SetMissing(form)
		for _, path := range []string{apiTag, base + "tag"} {
			w := s.serve(httptest.NewRequestWithContext(t.Context(), "GET", path, nil))
			if w.Code != 404 || !strings.Contains(w.Body.String(), want) {
				t.Errorf("GET %s is answered %d %s, want 404 with %s", path, w.Code, w.Body, want)
			}
		}
	}
	s.SetMissing(tagging.NotMissing)
	s.api("GET", apiTag, "", 200, nil)
}
