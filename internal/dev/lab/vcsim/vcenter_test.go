package vcsim_test

import (
	"net/url"
	"testing"

	"github.com/vmware/govmomi"
	"github.com/vmware/govmomi/find"
	"github.com/vmware/govmomi/vapi/rest"
	"github.com/vmware/govmomi/vapi/tags"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"

	"terraform-provider-vsla/internal/dev/lab/vcsim"
)

func start(t *testing.T, config vcsim.Config) *vcsim.VCenter {
	t.Helper()
	v, err := vcsim.Start(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := v.Close(); err != nil {
			t.Error(err)
		}
	})
	return v
}

// connect logs in with govmomi.
func connect(t *testing.T, v *vcsim.VCenter) *govmomi.Client {
	t.Helper()
	u, err := url.Parse(v.URL() + "/sdk")
	if err != nil {
		t.Fatal(err)
	}
	u.User = url.UserPassword(v.User(), v.Password())
	c, err := govmomi.NewClient(t.Context(), u, true)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestTags_throughGovmomi uses the tagging service with govmomi's client.
func TestTags_throughGovmomi(t *testing.T) {
	t.Parallel()
	v := start(t, vcsim.Config{})
	c := connect(t, v)
	r := rest.NewClient(c.Client)
	if err := r.Login(t.Context(), url.UserPassword(v.User(), v.Password())); err != nil {
		t.Fatal(err)
	}
	m := tags.NewManager(r)
	category, err := m.CreateCategory(
		t.Context(),
		&tags.Category{Name: "sla", Cardinality: "SINGLE", AssociableTypes: []string{"VirtualMachine"}},
	)
	if err != nil {
		t.Fatal(err)
	}
	gold, err := m.CreateTag(t.Context(), &tags.Tag{Name: "gold", CategoryID: category})
	if err != nil {
		t.Fatal(err)
	}
	var refs []mo.Reference
	for _, vm := range v.VMs() {
		refs = append(refs, types.ManagedObjectReference{Type: "VirtualMachine", Value: vm.ID})
	}
	if err := m.AttachTagToMultipleObjects(t.Context(), gold, refs); err != nil {
		t.Fatal(err)
	}
	on, err := m.GetAttachedObjectsOnTags(t.Context(), []string{gold})
	if err != nil || len(on[0].ObjectIDs) != len(refs) || on[0].Tag.Name != "gold" {
		t.Errorf("got %+v, %v", on, err)
	}
	if err := m.DetachMultipleTagsFromObject(t.Context(), []string{gold}, refs[0]); err != nil {
		t.Error(err)
	}
	if err := v.DestroyVM(v.VMs()[1].ID); err != nil {
		t.Fatal(err)
	}
	if left, err := m.ListAttachedObjects(t.Context(), gold); err != nil || len(left) != len(refs)-2 {
		t.Errorf("%d objects carry the tag after one was detached and one destroyed: %v", len(left), err)
	}
	if err := v.DestroyVM(v.VMs()[1].ID); err == nil {
		t.Error("a VM was destroyed twice")
	}
	if restCount, soapCount := v.Sessions(); restCount != 1 || soapCount != 1 {
		t.Errorf("%d REST and %d SOAP sessions", restCount, soapCount)
	}
	v.ExpireSessions()
	if _, err := m.GetTag(t.Context(), gold); err == nil {
		t.Error("an expired session is accepted")
	}
	if _, err := find.NewFinder(c.Client).DefaultDatacenter(t.Context()); err == nil {
		t.Error("an expired SOAP session is accepted")
	}
}
