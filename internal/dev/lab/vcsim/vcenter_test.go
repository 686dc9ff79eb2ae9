package vcsim_test

import (
	"crypto/tls"
	"crypto/x509"
	"io"
	"net/http"
	"net/url"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
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
	require.NoError(t, err)
	t.Cleanup(func() {
		assert.NoError(t, v.Close())
	})
	return v
}

func connect(t *testing.T, v *vcsim.VCenter) *govmomi.Client {
	t.Helper()
	u, err := url.Parse(v.URL() + "/sdk")
	require.NoError(t, err)
	u.User = url.UserPassword(v.User(), v.Password())
	c, err := govmomi.NewClient(t.Context(), u, true)
	require.NoError(t, err)
	return c
}

// TestServiceVersions verifies that clients can read the versions of the API before they log in.
func TestServiceVersions(t *testing.T) {
	t.Parallel()
	v, err := vcsim.Start(t.Context(), vcsim.Config{VMs: -1})
	require.NoError(t, err)
	t.Cleanup(func() { _ = v.Close() })
	roots := x509.NewCertPool()
	require.True(t, roots.AppendCertsFromPEM(v.CAPEM()))
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}}}
	defer client.CloseIdleConnections()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, v.URL()+"/sdk/vimServiceVersions.xml", nil)
	require.NoError(t, err)
	resp, err := client.Do(r)
	require.NoError(t, err)
	defer func() { require.NoError(t, resp.Body.Close()) }()
	body, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	assert.Contains(t, string(body), "<name>urn:vim25</name>")
}

func TestTags_throughGovmomi(t *testing.T) {
	t.Parallel()
	v := start(t, vcsim.Config{})
	c := connect(t, v)
	r := rest.NewClient(c.Client)
	require.NoError(t, r.Login(t.Context(), url.UserPassword(v.User(), v.Password())))
	m := tags.NewManager(r)
	category, err := m.CreateCategory(
		t.Context(),
		&tags.Category{Name: "sla", Cardinality: "SINGLE", AssociableTypes: []string{"VirtualMachine"}},
	)
	require.NoError(t, err)
	gold, err := m.CreateTag(t.Context(), &tags.Tag{Name: "gold", CategoryID: category})
	require.NoError(t, err)
	var refs []mo.Reference
	for _, vm := range v.VMs() {
		refs = append(refs, types.ManagedObjectReference{Type: "VirtualMachine", Value: vm.ID})
	}
	require.NoError(t, m.AttachTagToMultipleObjects(t.Context(), gold, refs))
	on, err := m.GetAttachedObjectsOnTags(t.Context(), []string{gold})
	require.NoError(t, err)
	assert.Len(t, on[0].ObjectIDs, len(refs))
	assert.Equal(t, "gold", on[0].Tag.Name)
	assert.NoError(t, m.DetachMultipleTagsFromObject(t.Context(), []string{gold}, refs[0]))
	require.NoError(t, v.DestroyVM(v.VMs()[1].ID))
	left, err := m.ListAttachedObjects(t.Context(), gold)
	require.NoError(t, err)
	assert.Len(t, left, len(refs)-2)
	require.Error(t, v.DestroyVM(v.VMs()[1].ID), "a VM was destroyed twice")
	restCount, soapCount := v.Sessions()
	require.Equal(t, 1, restCount)
	assert.Equal(t, 1, soapCount)
	v.ExpireSessions()
	_, err = m.GetTag(t.Context(), gold)
	require.Error(t, err, "an expired session is accepted")
	_, err = find.NewFinder(c.Client).DefaultDatacenter(t.Context())
	assert.Error(t, err, "an expired SOAP session is accepted")
}
