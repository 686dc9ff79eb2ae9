package replication_test

import (
	"bytes"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/dev/lab/fault"
	"terraform-provider-vsla/internal/dev/lab/gateway"
)

// TestCLI_forceLocal verifies that a destroy without a refresh removes the local half if the remote site is lost, but
// only if force_local_destroy was applied before.
func TestCLI_forceLocal(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		allowed bool
		lose    func(*acctest.Sites)
		refusal string
	}{
		"site is down":            {true, func(s *acctest.Sites) { s.RemoteDown(true) }, "login at the remote site failed"},
		"login is refused":        {true, refuseRemote, "remote site rejected the user name or password"},
		"site is down, forbidden": {false, func(s *acctest.Sites) { s.RemoteDown(true) }, "login at the remote site failed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := acctest.StartSites(t, 40, gateway.Switches{})
			w, dir := workspace(t, s)
			if test.allowed {
				allow(t, filepath.Join(dir, "resource.tf"))
			}
			acctest.Terraform(t, w, 0, "apply", "-auto-approve", "-input=false")
			test.lose(s)
			said := words(acctest.Terraform(t, w, 1, "destroy", "-auto-approve", "-input=false", "-no-color"))
			assert.Contains(t, said, test.refusal)
			id := only(t, s).ID
			code, most := 0, 1
			if !test.allowed {
				code, most = 1, 0
			}
			said = words(
				acctest.Terraform(t, w, code, "destroy", "-refresh=false", "-auto-approve", "-input=false", "-no-color"),
			)
			assert.Equal(t, most, s.Traffic().Count("destroyReplication"))
			if !test.allowed {
				require.Contains(t, said, "force_local_destroy = true, applied before the site was lost")
				assert.Len(t, s.Replications(), 1)
				s.RemoteDown(false)
				s.Traffic().Mend()
				acctest.Terraform(t, w, 0, "destroy", "-auto-approve", "-input=false")
				return
			}
			for _, part := range []string{"Destroyed on One Site Only", id, "The other site keeps its half with " +
				"the disks of the replica"} {
				assert.Contains(t, said, part)
			}
			assert.Equal(t, 0, len(s.Replications()))
		})
	}
}

// refuseRemote makes the remote site reject every login.
func refuseRemote(s *acctest.Sites) {
	s.ExpireSessions()
	s.Traffic().Break(fault.Rule{Kind: "createRemoteSession", Status: http.StatusUnauthorized})
}

// allow sets force_local_destroy in a configuration.
func allow(t *testing.T, file string) {
	t.Helper()
	content, err := os.ReadFile(file)
	require.NoError(t, err)
	content = bytes.Replace(content, []byte("  rpo_minutes "), []byte("  force_local_destroy = true\n  rpo_minutes "), 1)
	require.NoError(t, os.WriteFile(file, content, 0o600))
}

// words removes the CLI's line breaks and frames from a text.
func words(text string) string {
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \n\t│╷╵", r) }), " ")
}
