package tagging_test

import (
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/lab/tagcontract"
	"terraform-provider-vsla/internal/dev/lab/tagging"
)

// TestCoverage calls every operation of the tagging contract below /api and, if available, below /rest, and validates
// requests and responses.
func TestCoverage(t *testing.T) {
	t.Parallel()
	for _, rest := range []bool{false, true} {
		contract := tagcontract.Load(t)
		s := tagging.New("", func(tagging.Object) bool { return true })
		s.SetRelease(tagging.Release91)
		handler := contract.Middleware(t, s)
		keep, err := s.AddCategory(tagging.Category{Name: "keep", Cardinality: "MULTIPLE"})
		require.NoError(t, err)
		for _, id := range []string{"c1", "c2"} {
			_, err := s.AddCategory(tagging.Category{ID: id, Name: id, Cardinality: "MULTIPLE"})
			require.NoError(t, err)
			_, err = s.AddTag(tagging.Tag{ID: "t" + id, Name: id, CategoryID: keep})
			require.NoError(t, err)
		}
		object := `"object_id":{"type":"HostSystem","id":"host-1"}`
		hosts, entity := `{"object_ids":[{"type":"HostSystem","id":"host-1"}]}`, `{"used_by_entity":"e"}`
		for _, call := range [][2]string{
			{"POST category", `{"name":"n","description":"d","cardinality":"SINGLE","associable_types":[]}`},
			{"GET category", ""},
			{"GET category/c1", ""},
			{"PATCH category/c1", `{"description":"x"}`},
			{"POST category/c1?add-to-used-by", entity},
			{"POST category?list-used-categories", entity},
			{"POST category/c1?remove-from-used-by", entity},
			{"POST category/c1?revoke-propagating-permissions", ""},
			{"DELETE category/c1", ""},
			{"POST tag", `{"name":"n","description":"d","category_id":"` + keep + `"}`},
			{"GET tag", ""},
			{"GET tag/tc1", ""},
			{"PATCH tag/tc1", `{"name":"x","description":""}`},
			{"POST tag/tc1?add-to-used-by", entity},
			{"POST tag?list-used-tags", entity},
			{"POST tag/tc1?remove-from-used-by", entity},
			{"POST tag/tc1?revoke-propagating-permissions", ""},
			{"POST tag?list-tags-for-category", `{"category_id":"` + keep + `"}`},
			{"DELETE tag/tc1", ""},
			{"POST tag-association/tc2?attach", "{" + object + "}"},
			{"POST tag-association/tc2?list-attached-objects", ""},
			{"POST tag-association?list-attached-tags", "{" + object + "}"},
			{"POST tag-association?list-attached-objects-on-tags", `{"tag_ids":["tc2"]}`},
			{"POST tag-association?list-attached-tags-on-objects", hosts},
			{"GET vcenter/associations", ""},
			{"POST tag-association/tc2?detach", "{" + object + "}"},
			{"POST tag-association?list-attachable-tags", "{" + object + "}"},
			{"POST tag-association/tc2?attach-tag-to-multiple-objects", hosts},
			{"POST tag-association/tc2?detach-tag-from-multiple-objects", hosts},
			{"POST tag-association?attach-multiple-tags-to-object", "{" + object + `,"tag_ids":["tc2","nothing"]}`},
			{"POST tag-association?detach-multiple-tags-from-object", "{" + object + `,"tag_ids":["tc2"]}`},
			{"GET vcenter/tags", ""},
			{"GET vcenter/categories", ""},
			{"PATCH vcenter/associations", `{"object":{"type":"HostSystem","id":"host-1"},` +
				`"tag_spec_list":[{"operation":"ATTACH","tag_id":"tc2"}]}`},
		} {
			method, path, body := place(call[0], call[1], rest)
			r := httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader(body))
			r.Header.Set("Vmware-Api-Session-Id", "s")
			if body != "" {
				r.Header.Set("Content-Type", "application/json")
			}
			w := httptest.NewRecorder()
			handler.ServeHTTP(w, r)
			assert.LessOrEqual(t, w.Code, 299, "%v, %v", method, path)
		}
		want := slices.DeleteFunc(contract.Operations(), func(id string) bool {
			return !strings.Contains(id, ".tagging.") && !strings.HasPrefix(id, "cis.tagging.")
		})
		assert.Equal(t, want, contract.Reached(), rest)
	}
}

func place(call, body string, rest bool) (method, path, restBody string) {
	method, path, _ = strings.Cut(call, " ")
	if listing, ok := strings.CutPrefix(path, "vcenter/"); ok {
		return method, "/api/vcenter/tagging/" + listing, body
	}
	if !rest {
		return method, "/api/cis/tagging/" + strings.Replace(path, "?", "?action=", 1), body
	}
	if path == "tag?list-tags-for-category" {
		path, body = "tag/"+strings.Split(body, `"`)[3]+"?list-tags-for-category", ""
	}
	path, action, hasAction := strings.Cut(path, "?")
	path = "/rest/com/vmware/cis/tagging/" + strings.Replace(path, "/", "/id:", 1)
	if hasAction {
		return method, path + "?~action=" + action, body
	}
	if method == "POST" {
		body = `{"create_spec":` + body + "}"
	}
	if method == "PATCH" {
		body = `{"update_spec":` + body + "}"
	}
	return method, path, body
}
