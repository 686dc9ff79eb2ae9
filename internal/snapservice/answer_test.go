package snapservice_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/lab/fault"
	lab "terraform-provider-vsla/internal/dev/lab/snapservice"
	"terraform-provider-vsla/internal/snapservice"
)

// TestLists_null verifies that null in place of a list does not pass for an empty list.
func TestLists_null(t *testing.T) {
	t.Parallel()
	s := startSite(t, lab.Switches{}, nil)
	s.Traffic().Break(fault.Rule{Kind: "list", Status: http.StatusOK, Body: `{"items": null}`})
	_, err := s.client.Groups(t.Context(), s.cluster, snapservice.Shared)
	assert.ErrorContains(t, err, "a list is missing or null")
}

// TestErrors_scrubbed checks that the text of the appliance is shortened and contains no secrets or control characters.
func TestErrors_scrubbed(t *testing.T) {
	t.Parallel()
	s := startSite(t, lab.Switches{}, nil)
	_, err := s.client.Groups(t.Context(), s.cluster, snapservice.Shared)
	require.NoError(t, err)
	text := "session secret-session-0001 of " + s.vc.Password() + `\u001b[31m` + strings.Repeat("x", 64<<10)
	s.Traffic().Break(fault.Rule{
		Kind:   "list",
		Status: http.StatusBadRequest,
		Body:   `{"error_type":"INVALID_ARGUMENT","messages":[{"id":"x","default_message":"` + text + `","args":[]}]}`,
	})
	_, err = s.client.Groups(t.Context(), s.cluster, snapservice.Fresh)
	require.Error(t, err)
	assert.LessOrEqual(t, len(err.Error()), 1500)
	assert.NotContains(t, err.Error(), "\x1b")
	assert.NotContains(t, err.Error(), "secret-session")
	assert.NotContains(t, err.Error(), s.vc.Password())
}
