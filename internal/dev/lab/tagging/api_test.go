package tagging_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"terraform-provider-vsla/internal/dev/lab/tagging"
)

const (
	apiCategory    = "/api/cis/tagging/category"
	apiTag         = "/api/cis/tagging/tag"
	apiAssociation = "/api/cis/tagging/tag-association"
	apiListed      = "/api/vcenter/tagging/"
)

// api calls below /api, checks the status and decodes the answer into v, if that is not nil.
func (s service) api(method, path, body string, status int, v any) {
	s.t.Helper()
	w := s.serve(httptest.NewRequestWithContext(context.Background(), method, path, strings.NewReader(body)))
	if w.Code != status {
		s.t.Fatalf("%s %s is answered %d %s, want %d", method, path, w.Code, w.Body, status)
	}
	if status == 204 && w.Body.Len() > 0 {
		s.t.Errorf("%s %s is answered 204 with %s", method, path, w.Body)
	}
	if v == nil {
		return
	}
	decoder := json.NewDecoder(w.Body)
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(v); err != nil {
		s.t.Fatalf("%s %s: %v", method, path, err)
	}
}

// apiError is an error below /api.
type apiError struct {
	Kind     string `json:"error_type"`
	Messages []struct {
		ID      string   `json:"id"`
		Default string   `json:"default_message"`
		Args    []string `json:"args"`
	} `json:"messages"`
}

func (s service) refused(method, path, body string, status int, kind string) apiError {
	s.t.Helper()
	var e apiError
	s.api(method, path, body, status, &e)
	if e.Kind != kind || len(e.Messages) != 1 {
		s.t.Fatalf("%s %s is refused with %+v, want %s", method, path, e, kind)
	}
	return e
}

func (s service) apiCategory(name, cardinality string) (id string) {
	s.t.Helper()
	s.api(
		"POST",
		apiCategory,
		`{"name":"`+name+`","description":"d","cardinality":"`+cardinality+`","associable_types":["VirtualMachine"]}`,
		201,
		&id,
	)
	return id
}

func (s service) apiTag(category, name string) (id string) {
	s.t.Helper()
	s.api("POST", apiTag, `{"name":"`+name+`","description":"","category_id":"`+category+`"}`, 201, &id)
	return id
}

func TestAPI_definitions(t *testing.T) {
	t.Parallel()
	s := newService(t)
	category := s.apiCategory("tier", "SINGLE")
	tag := s.apiTag(category, "gold")
	s.api("PATCH", apiTag+"/"+tag, `{"description":"x"}`, 204, nil)
	s.api("PATCH", apiCategory+"/"+category, `{"cardinality":"MULTIPLE"}`, 204, nil)
	s.api("POST", apiTag+"/"+tag+"?action=add-to-used-by", `{"used_by_entity":"backup"}`, 204, nil)
	var got struct {
		ID, Name, Description string
		CategoryID            string   `json:"category_id"`
		UsedBy                []string `json:"used_by"`
	}
	s.api("GET", apiTag+"/"+tag, "", 200, &got)
	if got.ID != tag || got.Name != "gold" || got.Description != "x" || got.CategoryID != category ||
		!slices.Equal(got.UsedBy, []string{"backup"}) {
		t.Errorf("the tag is %+v", got)
	}
	for path, body := range map[string]string{
		apiTag: "", apiTag + "?action=list-tags-for-category": `{"category_id":"` + category + `"}`,
		apiTag + "?action=list-used-tags": `{"used_by_entity":"backup"}`,
	} {
		method := "GET"
		if body != "" {
			method = "POST"
		}
		var ids []string
		if s.api(method, path, body, 200, &ids); !slices.Equal(ids, []string{tag}) {
			t.Errorf("%s %s lists %v, want %s", method, path, ids, tag)
		}
	}
	s.api("DELETE", apiTag+"/"+tag, "", 204, nil)
	s.api("DELETE", apiCategory+"/"+category, "", 204, nil)
	if left := s.Leftovers(); len(left) > 0 {
		t.Errorf("after all deletes there is %v", left)
	}
}

func TestAPI_associations(t *testing.T) {
	t.Parallel()
	s := newService(t)
	tag := s.apiTag(s.apiCategory("tier", "SINGLE"), "gold")
	object := `{"object_id":{"type":"VirtualMachine","id":"` + vm(1).ID + `"}}`
	s.api("POST", apiAssociation+"/"+tag+"?action=attach", object, 204, nil)
	var objects []tagging.Object
	s.api("POST", apiAssociation+"/"+tag+"?action=list-attached-objects", "", 200, &objects)
	if !slices.Equal(objects, []tagging.Object{vm(1)}) {
		t.Errorf("the tag is on %v", objects)
	}
	var result struct {
		Success  bool
		Messages []json.RawMessage `json:"error_messages"`
	}
	s.api("POST", apiAssociation+"?action=detach-multiple-tags-from-object",
		strings.TrimSuffix(object, "}")+`,"tag_ids":["`+tag+`"]}`, 200, &result)
	var ids []string
	s.api("POST", apiAssociation+"?action=list-attachable-tags", object, 200, &ids)
	if !result.Success || !slices.Equal(ids, []string{tag}) {
		t.Errorf("detached: %t; attachable tags %v, want %s", result.Success, ids, tag)
	}
}

// TestAPI_refused has what /rest takes and /api does not, and errors in the form of /api.
func TestAPI_refused(t *testing.T) {
	t.Parallel()
	s := newService(t)
	category := s.apiCategory("tier", "SINGLE")
	tag := s.apiTag(category, "gold")
	spec := `{"name":"gold","description":"","category_id":"` + category + `"}`
	if e := s.refused("POST", apiTag, `{"create_spec":`+spec+`}`, 400, "INVALID_ARGUMENT"); e.Messages[0].ID !=
		"vapi.data.structure.field.missing" {
		t.Errorf("a wrapped spec is refused with %+v", e)
	}
	s.refused("POST", apiTag, spec, 400, "ALREADY_EXISTS")
	s.refused("GET", apiTag+"/id:"+tag, "", 404, "NOT_FOUND")
	s.refused("GET", apiTag+"/nothing", "", 404, "NOT_FOUND")
	for _, path := range []string{
		apiAssociation + "/" + tag + "?~action=attach", "/api/cis/tagging/nothing", apiListed + "nothing",
	} {
		e := s.refused("POST", path, `{"object_id":{"type":"VirtualMachine","id":"x"}}`, 404, "NOT_FOUND")
		if !strings.HasPrefix(e.Messages[0].ID, "com.vmware.vapi.rest.") {
			t.Errorf("POST %s: %+v, want the error of a path without operations", path, e)
		}
	}
	s.Deny(tagging.Read, true)
	s.refused("GET", apiTag, "", 403, "UNAUTHORIZED")
}

func TestRelease(t *testing.T) {
	t.Parallel()
	s := newService(t)
	const patch = `{"object":{"type":"HostSystem","id":"nothing"},"tag_spec_list":[{"operation":"ATTACH","tag_id":"x"}]}`
	for _, test := range []struct {
		method, path, body string
		since              tagging.Release
		status             int
	}{
		{"GET", base + "tag", "", tagging.Release67, 200},
		{"GET", apiListed + "associations", "", tagging.Release70, 200},
		{"GET", apiTag, "", tagging.Release80, 200},
		{"GET", apiListed + "tags", "", tagging.Release90, 200},
		{"GET", apiListed + "categories", "", tagging.Release90, 200},
		{"PATCH", apiListed + "associations", patch, tagging.Release91, 404},
	} {
		for _, release := range []tagging.Release{
			tagging.Release67, tagging.Release70, tagging.Release80, tagging.Release90, tagging.Release91,
		} {
			s.SetRelease(release)
			w := s.serve(httptest.NewRequestWithContext(
				t.Context(), test.method, test.path, strings.NewReader(test.body)))
			missing := strings.Contains(w.Body.String(), "com.vmware.vapi.rest.operationsForUrlNotFound")
			if missing != (release < test.since) || (!missing && w.Code != test.status) {
				t.Errorf("%s %s of %s is answered %d %s", test.method, test.path, release, w.Code, w.Body)
			}
		}
	}
}

// listed is an answer of the listings with names.
type listed struct {
	Items []struct {
		Tag      string `json:"tag"`
		Category string `json:"category_id"`
		Info     struct {
			Name, Description, Category, Cardinality string
			UsedBy                                   []string `json:"used_by"`
			AssociableTypes                          []string `json:"associable_types"`
		}
	} `json:"items"`
	Marker string `json:"marker"`
}

func (l listed) names() []string {
	var list []string
	for _, item := range l.Items {
		list = append(list, item.Info.Name)
	}
	return list
}

func TestListing_pages(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.SetRelease(tagging.Release90)
	category := s.apiCategory("tier", "MULTIPLE")
	var want []string
	for i := range 45 {
		want = append(want, fmt.Sprintf("t%02d", i))
		s.apiTag(category, want[i])
	}
	// 45 tags are pages of 20, 20 and 5 by default, and of 30 and 15 with page_size.
	for query, sizes := range map[string][]int{"": {20, 20, 5}, "page_size=30": {30, 15}} {
		var got []string
		marker := ""
		for page, size := range sizes {
			var l listed
			s.api("GET", apiListed+"tags?"+query+"&marker="+marker, "", 200, &l)
			if len(l.Items) != size || (l.Marker == "") != (page == len(sizes)-1) {
				t.Errorf("%q: page %d has %d tags and the marker %q", query, page, len(l.Items), l.Marker)
			}
			got, marker = append(got, l.names()...), l.Marker
		}
		if slices.Sort(got); !slices.Equal(got, want) {
			t.Errorf("%q lists %v", query, got)
		}
	}
	var l listed
	s.api("GET", apiListed+"categories", "", 200, &l)
	if len(l.Items) != 1 || l.Items[0].Category != category || l.Items[0].Info.Cardinality != "MULTIPLE" {
		t.Errorf("the categories are %+v", l)
	}
}

func TestListing_names(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.SetRelease(tagging.Release90)
	one, two := s.apiCategory("tier", "SINGLE"), s.apiCategory("owner", "SINGLE")
	for _, name := range []string{"a", "b", "c"} {
		s.apiTag(one, name)
	}
	s.apiTag(two, "a")
	var l listed
	s.api("GET", apiListed+"tags?names=a&names=c&names=nothing", "", 200, &l)
	if got := l.names(); !slices.Equal(slices.Sorted(slices.Values(got)), []string{"a", "a", "c"}) || l.Marker != "" {
		t.Errorf("the look-up by names finds %v, marker %q", got, l.Marker)
	}
	s.api("GET", apiListed+"tags?page_size=2", "", 200, &l)
	s.refused("GET", apiListed+"tags?names=a&marker="+l.Marker, "", 400, "INVALID_ARGUMENT")
	for _, size := range []string{"0", "1001", "x"} {
		s.refused("GET", apiListed+"tags?page_size="+size, "", 400, "INVALID_ARGUMENT")
	}
	s.ExpireMarkers()
	s.refused("GET", apiListed+"tags?marker="+l.Marker, "", 404, "NOT_FOUND")
}

// patched is the answer to a PATCH of associations.
type patched struct {
	Success bool
	Results []struct {
		Operation, Tag string
		Names          struct {
			Category string `json:"category_name"`
			Tag      string `json:"tag_name"`
		} `json:"tag_category_name_info"`
	}
	Errors []struct {
		ID      string
		Default string `json:"default_message"`
		Args    []string
	}
}

func TestPatch(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.SetRelease(tagging.Release91)
	category := s.apiCategory("tier", "SINGLE")
	gold, silver := s.apiTag(category, "gold"), s.apiTag(category, "silver")
	path := apiListed + "associations"
	body := func(tags ...string) string {
		return `{"object":{"type":"VirtualMachine","id":"` + vm(
			1,
		).ID + `"},"tag_spec_list":[` + strings.Join(
			tags,
			",",
		) + `]}`
	}
	attach := func(id string) string { return `{"operation":"ATTACH","tag_id":"` + id + `"}` }
	named := `{"operation":"ATTACH","tag_category_name_info":{"category_name":"tier","tag_name":"silver"}}`
	var p patched
	s.api("PATCH", path, body(attach(gold)), 200, &p)
	if !p.Success || len(p.Results) != 1 || p.Results[0].Tag != gold || p.Results[0].Names.Category != "tier" {
		t.Errorf("attached: %+v", p)
	}
	// The cardinality is SINGLE: the second tag needs the first to leave in the same call. Nothing is applied in part.
	p = patched{}
	s.api("PATCH", path, body(named), 200, &p)
	if got := s.Objects(silver); p.Success || len(p.Errors) != 1 || len(got) > 0 {
		t.Errorf("a second tag of cardinality SINGLE: %+v, on %v", p, got)
	}
	p = patched{}
	s.api("PATCH", path, body(named, `{"operation":"DETACH","tag_id":"`+gold+`"}`), 200, &p)
	if !p.Success || len(p.Results) != 2 || len(s.Objects(gold)) > 0 || len(s.Objects(silver)) != 1 {
		t.Errorf("exchanged: %+v", p)
	}
	p = patched{}
	s.api("PATCH", path, body(`{"operation":"DETACH","tag_id":"`+silver+`"}`, attach("nothing")), 200, &p)
	if p.Success || len(p.Errors) != 1 || len(s.Objects(silver)) != 1 {
		t.Errorf("with an unknown tag: %+v, silver on %v", p, s.Objects(silver))
	}
	p = patched{}
	s.api("PATCH", path, body(attach(silver)), 200, &p)
	if !p.Success || len(p.Results) > 0 {
		t.Errorf("a tag that is attached already: %+v", p)
	}
	s.refused("PATCH", path, body(), 400, "INVALID_ARGUMENT")
	s.refused("PATCH", path, body(`{"operation":"ATTACH"}`), 400, "INVALID_ARGUMENT")
	s.refused("PATCH", path, strings.Replace(body(attach(gold)), vm(1).ID, "vm-gone", 1), 404, "NOT_FOUND")
	s.Refuse(vm(1).ID, true)
	s.refused("PATCH", path, body(attach(gold)), 403, "UNAUTHORIZED")
}

func TestLink(t *testing.T) {
	t.Parallel()
	now := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	everything := func(tagging.Object) bool { return true }
	one := checked(t, tagging.New("e0000000-0000-4000-8000-000000000001", everything))
	two := checked(t, tagging.New("e0000000-0000-4000-8000-000000000002", everything))
	category := one.apiCategory("tier", "MULTIPLE")
	one.Link(two.Store, func() time.Time { return now }, time.Minute)
	if got := two.Categories(); len(got) != 1 || got[0].ID != category {
		t.Fatalf("after linking the partner has %v", got)
	}
	tag := one.apiTag(category, "gold")
	two.refused("GET", apiTag+"/"+tag, "", 404, "NOT_FOUND")
	// Both create the same name before either hears of the other.
	same := two.apiTag(category, "gold")
	now = now.Add(time.Minute)
	if a, b := one.Tags(), two.Tags(); len(a) != 2 || len(b) != 2 || same == tag {
		t.Errorf("after a minute the vCenters have %v and %v", a, b)
	}
	// Associations are those of one vCenter, but a deleted tag is gone on both.
	if err := two.Attach(tag, vm(1)); err != nil {
		t.Fatal(err)
	}
	if got := one.Objects(tag); len(got) > 0 {
		t.Errorf("the partner's association is listed: %v", got)
	}
	one.api("DELETE", apiTag+"/"+tag, "", 204, nil)
	if got := two.Objects(tag); len(got) != 1 {
		t.Errorf("the delete arrived at once: %v", got)
	}
	now = now.Add(time.Minute)
	if got := two.Associations(); len(got) > 0 || len(two.Tags()) != 1 {
		t.Errorf("a minute after the delete there are %v", got)
	}
}
