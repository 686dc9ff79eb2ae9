package vsphere_test

import (
	"errors"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/lab/fault"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
	"terraform-provider-vsla/internal/vsphere"
)

// TestErrorType checks that the upper-case error type at the top level of an /api response takes precedence over the
// status.
func TestErrorType(t *testing.T) {
	t.Parallel()
	v, c, _ := startLab(t, vcsim.Config{})
	for body, want := range map[string]error{
		`{"error_type":"ALREADY_EXISTS","messages":[]}`:  vsphere.ErrConflict,
		`{"error_type":"UNAUTHORIZED","messages":[]}`:    vsphere.ErrPermission,
		`{"error_type":"NOT_FOUND","messages":[]}`:       vsphere.ErrNotFound,
		`{"error_type":"UNAUTHENTICATED","messages":[]}`: vsphere.ErrSession,
		`{"error_type":"SOMETHING_NEW","messages":[]}`:   vsphere.ErrInvalid,
	} {
		v.Traffic().Break(fault.Rule{Kind: "GET tag/{id}", Status: http.StatusBadRequest, Body: body})
		_, err := c.Tag(t.Context(), "x")
		require.ErrorIs(t, err, want, body)
		v.Traffic().Mend()
	}
}

// TestMissingField checks that a response that reports a missing field is retried once, because vCenter sometimes
// returns it although the field was sent.
func TestMissingField(t *testing.T) {
	t.Parallel()
	const body = `{"type":"com.vmware.vapi.std.errors.invalid_argument","value":{"messages":[{"args":[],` +
		`"default_message":"missing","id":"vapi.data.structure.field.missing"}]}}`
	v, c, sleeps := startLab(t, vcsim.Config{})
	v.Traffic().Break(fault.Rule{Kind: "POST category", Times: 1, Status: http.StatusBadRequest, Body: body})
	newTag(t, c)
	v.Traffic().Break(fault.Rule{Kind: "POST category", Status: http.StatusBadRequest, Body: body})
	v.Traffic().Reset()
	_, err := c.CreateCategory(t.Context(), vsphere.Category{Name: "b"})
	require.ErrorIs(t, err, vsphere.ErrInvalid)
	require.Equal(t, 2, v.Traffic().Count("POST category"))
	assert.Empty(t, sleeps.sleeps)
}

// TestErrors_visible verifies that the text of a server adds no line to a job's log.
func TestErrors_visible(t *testing.T) {
	t.Parallel()
	v, c, _ := startLab(t, vcsim.Config{})
	tag := newTag(t, c)
	v.Traffic().Break(fault.Rule{
		Kind:   "GET tag/{id}",
		Status: http.StatusBadRequest,
		Body: `{"messages":[
		{"id":"x","default_message":"no\n::error::x\u001b[2J"}]}`,
	})
	_, err := c.Tag(t.Context(), tag)
	assert.ErrorContains(t, err, `no\n::error::x\x1b[2J`)
}

// TestLists_null verifies that null in place of a list does not pass for an empty list.
func TestLists_null(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{
		"GET category", "POST tag-association:list-attached-objects-on-tags",
		"POST tag-association:list-attached-tags-on-objects",
	} {
		v, c, _ := startLab(t, vcsim.Config{})
		tag := newTag(t, c)
		v.Traffic().Break(fault.Rule{Kind: kind, Status: http.StatusOK, Body: "null"})
		_, err := c.Categories(t.Context(), func(vsphere.Category) bool { return true })
		_, listed := c.ObjectsByTag(t.Context(), []string{tag})
		_, attached := c.TagsOfObjects(t.Context(), []vsphere.Object{{Type: "VirtualMachine", ID: "vm-1"}})
		assert.ErrorContains(t, errors.Join(err, listed, attached), "a list is missing or null", kind)
	}
}
