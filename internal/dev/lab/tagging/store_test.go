package tagging_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"terraform-provider-vsla/internal/dev/lab/tagcontract"
	"terraform-provider-vsla/internal/dev/lab/tagging"
)

// service is a store with 3,000 VMs and a host, and a way to call it.
type service struct {
	*tagging.Store
	t       *testing.T
	handler http.Handler
}

func newService(t *testing.T) service {
	t.Helper()
	known := map[tagging.Object]bool{{Type: "HostSystem", ID: "host-1"}: true}
	for _, o := range vms(3000) {
		known[o] = true
	}
	return checked(t, tagging.New("", func(o tagging.Object) bool { return known[o] }))
}

// checked checks every answer of a store against the contract.
func checked(t *testing.T, store *tagging.Store) service {
	t.Helper()
	return service{store, t, tagcontract.Load(t).Middleware(t, store)}
}

// serve answers a request with a session.
func (s service) serve(req *http.Request) *httptest.ResponseRecorder {
	req.Header.Set("Vmware-Api-Session-Id", "s")
	if req.ContentLength > 0 {
		req.Header.Set("Content-Type", "application/json")
	}
	w := httptest.NewRecorder()
	s.handler.ServeHTTP(w, req)
	return w
}

func vms(n int) []tagging.Object {
	list := make([]tagging.Object, n)
	for i := range list {
		list[i] = vm(i + 1)
	}
	return list
}

func vm(n int) tagging.Object {
	return tagging.Object{Type: "VirtualMachine", ID: "vm-" + string(rune('a'+n/900)) + strings.Repeat("i", n%900)}
}

// call returns status, body and the part of the body under "value".
func (s service) call(method, path, body string) (int, string, json.RawMessage) {
	s.t.Helper()
	req := httptest.NewRequestWithContext(context.Background(), method, path, strings.NewReader(body))
	w := s.serve(req)
	var envelope struct {
		Value json.RawMessage `json:"value"`
	}
	if err := json.Unmarshal(w.Body.Bytes(), &envelope); err != nil {
		s.t.Fatalf("%s %s answers %q: %v", method, path, w.Body, err)
	}
	return w.Code, w.Body.String(), envelope.Value
}

const (
	base        = "/rest/com/vmware/cis/tagging/"
	association = base + "tag-association"
)

func (s service) category(name, cardinality, types string) string {
	s.t.Helper()
	status, body, value := s.call("POST", base+"category",
		`{"create_spec":{"name":"`+name+`","description":"","cardinality":"`+cardinality+`","associable_types":[`+types+`]}}`)
	return s.id(status, body, value)
}

func (s service) tag(category, name string) string {
	s.t.Helper()
	status, body, value := s.call(
		"POST",
		base+"tag",
		`{"create_spec":{"name":"`+name+`","description":"d","category_id":"`+category+`"}}`,
	)
	return s.id(status, body, value)
}

func (s service) id(status int, body string, value json.RawMessage) string {
	s.t.Helper()
	var id string
	if status != http.StatusOK || json.Unmarshal(value, &id) != nil || id == "" {
		s.t.Fatalf("create answers %d %s", status, body)
	}
	return id
}

func objects(list []tagging.Object) string {
	text, err := json.Marshal(map[string]any{"object_ids": list})
	if err != nil {
		panic(err)
	}
	return string(text)
}

func one(o tagging.Object) string {
	return `{"object_id":{"type":"` + o.Type + `","id":"` + o.ID + `"}}`
}

func (s service) expect(method, path, body string, status int, parts ...string) {
	s.t.Helper()
	got, text, _ := s.call(method, path, body)
	if got != status {
		s.t.Errorf("%s %s %s answers %d %s, want %d", method, path, body, got, text, status)
	}
	for _, part := range parts {
		if !strings.Contains(text, part) {
			s.t.Errorf("%s %s answers %s, want %q in it", method, path, text, part)
		}
	}
}

func TestStore_cardinality(t *testing.T) {
	t.Parallel()
	s := newService(t)
	category := s.category("sla", "SINGLE", "")
	gold, silver := s.tag(category, "gold"), s.tag(category, "silver")
	attach := func(tag string) string { return association + "/id:" + tag + "?~action=attach" }
	s.expect("POST", attach(gold), one(vm(1)), 200)
	s.expect("POST", attach(gold), one(vm(1)), 200) // idempotent
	s.expect(
		"POST",
		attach(silver),
		one(vm(1)),
		400,
		"invalid_argument",
		"cis.tagging.attach.invalidArgument.cardinality.error",
	)
	// In a batch, only the one VM fails, and is named.
	s.expect(
		"POST",
		association+"/id:"+silver+"?~action=attach-tag-to-multiple-objects",
		objects(vms(3)),
		200,
		`"success":false`,
		vm(1).ID,
		"cardinality.error",
	)
	if got := s.Objects(silver); !slices.Equal(got, sorted(vm(2).ID, vm(3).ID)) {
		t.Errorf("silver is on %v", got)
	}
	// The swap: detach, then attach.
	s.expect("POST", association+"/id:"+gold+"?~action=detach", one(vm(1)), 200)
	s.expect("POST", attach(silver), one(vm(1)), 200)
}

func sorted(ids ...string) []string {
	slices.Sort(ids)
	return ids
}

func TestStore_associableTypes(t *testing.T) {
	t.Parallel()
	s := newService(t)
	tag := s.tag(s.category("hosts", "SINGLE", `"urn:vim25:HostSystem"`), "blue")
	s.expect("POST", association+"/id:"+tag+"?~action=attach", one(vm(1)), 400, "associable_types")
	s.expect("POST", association+"/id:"+tag+"?~action=attach", one(tagging.Object{Type: "HostSystem", ID: "host-1"}), 200)
	category := s.Categories()[0]
	path := base + "category/id:" + category.ID
	s.expect("GET", path, "", 200, `"associable_types":["HostSystem"]`) // bare names
	s.expect("PATCH", path, `{"update_spec":{"associable_types":["VirtualMachine","HostSystem"]}}`, 200)
	s.expect("PATCH", path, `{"update_spec":{"associable_types":["VirtualMachine"]}}`, 400, "added only")
	s.expect("PATCH", path, `{"update_spec":{"cardinality":"MULTIPLE"}}`, 200)
	s.expect("PATCH", path, `{"update_spec":{"cardinality":"SINGLE"}}`, 400, "SINGLE to MULTIPLE only")
	open := s.category("all", "SINGLE", "")
	s.expect("PATCH", base+"category/id:"+open, `{"update_spec":{"associable_types":["VirtualMachine"]}}`, 400)
}

func TestStore_batches(t *testing.T) {
	t.Parallel()
	s := newService(t)
	tag := s.tag(s.category("sla", "MULTIPLE", ""), "gold")
	attach := association + "/id:" + tag + "?~action=attach-tag-to-multiple-objects"
	detach := association + "/id:" + tag + "?~action=detach-tag-from-multiple-objects"
	s.expect("POST", attach, objects(vms(2001)), 400, "2,000")
	s.expect("POST", attach, objects(vms(2000)), 200, `"success":true`, `"error_messages":[]`)
	if got := len(s.Objects(tag)); got != 2000 {
		t.Errorf("%d carry the tag", got)
	}
	s.Refuse(vm(7).ID, true)
	s.expect("POST", detach, objects(vms(10)), 200, `"success":false`, vm(7).ID)
	if got := len(s.Objects(tag)); got != 1991 {
		t.Errorf("%d carry the tag after all but one of ten were detached", got)
	}
	s.Refuse(vm(7).ID, false)
	s.expect(
		"POST",
		attach,
		objects([]tagging.Object{{Type: "VirtualMachine", ID: "vm-none"}}),
		200,
		`"success":false`,
		"vm-none",
	)
	s.expect("POST", association+"/id:none?~action=attach-tag-to-multiple-objects", objects(vms(1)), 404, "not_found")
	// A batch detach is seen from both sides.
	multi := association + "?~action=detach-multiple-tags-from-object"
	s.expect(
		"POST",
		multi,
		`{"object_id":{"type":"VirtualMachine","id":"`+vm(20).ID+`"},"tag_ids":["`+tag+`"]}`,
		200,
		`"success":true`,
	)
	s.expect("POST", association+"?~action=list-attached-tags", one(vm(20)), 200, `"value":[]`)
	if slices.Contains(s.Objects(tag), vm(20).ID) {
		t.Error("the detached VM is still listed")
	}
}

func TestStore_unknownObjects(t *testing.T) {
	t.Parallel()
	s := newService(t)
	tag := s.tag(s.category("sla", "MULTIPLE", ""), "gold")
	s.expect(
		"POST",
		association+"/id:"+tag+"?~action=attach",
		one(tagging.Object{Type: "VirtualMachine", ID: "vm-none"}),
		403,
		"unauthorized",
	)
	s.expect("POST", association+"/id:"+tag+"?~action=attach", `{}`, 400, "object_id")
	s.expect("POST", base+"tag", `{"create_spec":{"name":"x","description":"","category_id":"none"}}`, 404)
	s.expect("POST", base+"tag/id:none?~action=list-tags-for-category", "", 404)
	s.expect("GET", base+"tag/id:none", "", 404, `"type":"com.vmware.vapi.std.errors.not_found"`)
	s.expect("POST", association+"?~action=list-attached-objects-on-tags", `{"tag_ids":["none"]}`, 404)
	s.expect("POST", base+"tag?~action=list-used-tags", "{}", 400)
	s.expect("POST", base+"tag", "no JSON", 400)
}

func TestStore_names(t *testing.T) {
	t.Parallel()
	s := newService(t)
	category := s.category("sla", "SINGLE", "")
	gold := s.tag(category, "gold")
	s.tag(category, "silver")
	s.tag(s.category("other", "SINGLE", ""), "gold") // the same name in another category
	create := func(name string) string {
		return `{"create_spec":{"name":"` + name + `","description":"","category_id":"` + category + `"}}`
	}
	s.expect("POST", base+"tag", create("gold"), 400, "already_exists")
	s.expect("POST", base+"tag", create(""), 400)
	s.expect("POST", base+"tag", create(strings.Repeat("x", 257)), 400)
	s.expect("POST", base+"tag", create(strings.Repeat("x", 256)), 200)
	s.expect("POST", base+"tag", `{"create_spec":{"name":"x","category_id":"`+category+`"}}`, 400, "missing")
	s.expect(
		"POST",
		base+"category",
		`{"create_spec":{"name":"x","description":"","cardinality":"SOME","associable_types":[]}}`,
		400,
	)
	s.expect(
		"POST",
		base+"category",
		`{"create_spec":{"name":"sla","description":"","cardinality":"SINGLE","associable_types":[]}}`,
		400,
		"already_exists",
	)
	s.expect("PATCH", base+"tag/id:"+gold, `{"update_spec":{"name":"silver"}}`, 400, "already_exists")
	s.expect("PATCH", base+"category/id:"+category, `{"update_spec":{"name":"other"}}`, 400, "already_exists")
	s.expect("PATCH", base+"tag/id:"+gold, `{"update_spec":{"name":"platinum","description":""}}`, 200)
	s.expect("GET", base+"tag/id:"+gold, "", 200, `"name":"platinum"`, `"description":""`, `"used_by":[]`)
	s.expect("POST", base+"tag", create("gold"), 200) // the old name is free again
	// A client may choose the id; the same id again is refused.
	chosen := `{"create_spec":{"tag_id":"urn:vmomi:InventoryServiceTag:mine:GLOBAL","name":"mine","description":"",` +
		`"category_id":"` + category + `"}}`
	s.expect("POST", base+"tag", chosen, 200, "mine")
	s.expect("POST", base+"tag", chosen, 400, "already_exists")
}

func TestStore_deleting(t *testing.T) {
	t.Parallel()
	s := newService(t)
	category := s.category("sla", "MULTIPLE", "")
	gold, silver := s.tag(category, "gold"), s.tag(category, "silver")
	for _, tag := range []string{gold, silver} {
		if err := s.Attach(tag, vm(1)); err != nil {
			t.Fatal(err)
		}
	}
	s.expect("DELETE", base+"tag/id:"+gold, "", 200)
	s.expect("DELETE", base+"tag/id:"+gold, "", 404)
	s.expect("POST", association+"?~action=list-attached-tags", one(vm(1)), 200, silver)
	if got := len(s.Leftovers()); got != 3 { // category, silver, its association
		t.Errorf("left: %v", s.Leftovers())
	}
	s.expect("DELETE", base+"category/id:"+category, "", 200)
	if left := s.Leftovers(); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
}

func TestStore_privileges(t *testing.T) {
	t.Parallel()
	s := newService(t)
	category := s.category("sla", "MULTIPLE", "")
	tag := s.tag(category, "gold")
	for op, call := range map[tagging.Operation][2]string{
		tagging.Read:   {"GET", base + "tag"},
		tagging.Create: {"POST", base + "tag"},
		tagging.Edit:   {"PATCH", base + "tag/id:" + tag},
		tagging.Delete: {"DELETE", base + "tag/id:" + tag},
		tagging.Assign: {"POST", association + "/id:" + tag + "?~action=attach"},
	} {
		s.Deny(op, true)
		s.expect(call[0], call[1], one(vm(1)), 403, "unauthorized")
		s.Deny(op, false)
		if status, _, _ := s.call(call[0], call[1], one(vm(1))); status == 403 {
			t.Errorf("%s stays denied", op)
		}
		if op == tagging.Delete {
			if _, err := s.AddTag(tagging.Tag{ID: tag, Name: "gold", CategoryID: category}); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func TestStore_allAssociations(t *testing.T) {
	t.Parallel()
	s := newService(t)
	category := s.category("sla", "MULTIPLE", "")
	for _, name := range []string{"gold", "silver"} {
		tag := s.tag(category, name)
		s.expect(
			"POST",
			association+"/id:"+tag+"?~action=attach-tag-to-multiple-objects",
			objects(vms(1500)),
			200,
			`"success":true`,
		)
	}
	var got int
	marker := ""
	for page := 0; ; page++ {
		w := httptest.NewRecorder()
		s.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, tagging.AssociationsPath+marker, nil))
		var answer struct {
			Associations []tagging.Association `json:"associations"`
			Marker       string                `json:"marker"`
			Status       string                `json:"status"`
		}
		if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil {
			t.Fatal(err)
		}
		got += len(answer.Associations)
		if answer.Status == "END_OF_DATA" {
			if page != 1 {
				t.Errorf("%d pages", page+1)
			}
			break
		}
		marker = "?marker=" + answer.Marker
	}
	if got != 3000 {
		t.Errorf("%d associations, want 3,000", got)
	}
	s.expect("GET", tagging.AssociationsPath+"?marker=x", "", 400)
	s.Older()
	s.expect("GET", tagging.AssociationsPath, "", 404)
}
