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

// TestCLI_forceLocal destroys a replication after the remote site has become unavailable. It verifies that a destroy
// without a refresh removes the replication from the local site, but only if force_local_destroy was applied before.
func TestCLI_forceLocal(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		allowed bool
		lose    func(*acctest.Sites)
		refusal string
	}{
		"site is down": {
			true,
			func(s *acctest.Sites) { s.RemoteDown(true) },
			"login at the remote site failed",
		},
		"login is refused": {true, refuseRemote, "remote site rejected the user name or password"},
		"site is down, forbidden": {
			false,
			func(s *acctest.Sites) { s.RemoteDown(true) },
			"login at the remote site failed",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := acctest.StartSites(t, 40, gateway.Switches{})
			w, dir := workspace(t, s)
			if test.allowed {
				allow(t, filepath.Join(dir, "resource.tf"))
			}
			acctest.RunTerraform(t, w, 0, "apply", "-auto-approve", "-input=false")
			test.lose(s)
			said := words(acctest.RunTerraform(t, w, 1, "destroy", "-auto-approve", "-input=false", "-no-color"))
			assert.Contains(t, said, test.refusal)
			id := only(t, s).ID
			code := 0
			most := 1
			if !test.allowed {
				code = 1
				most = 0
			}
			said = words(
				acctest.RunTerraform(t, w, code, "destroy", "-refresh=false", "-auto-approve", "-input=false",
					"-no-color"),
			)
			assert.Equal(t, most, s.Traffic().Count("destroyReplication"))
			if !test.allowed {
				require.Contains(t, said,
					"force_local_destroy = true must be applied while the remote site is available")
				assert.Len(t, s.Replications(), 1)
				s.RemoteDown(false)
				s.Traffic().Mend()
				acctest.RunTerraform(t, w, 0, "destroy", "-auto-approve", "-input=false")
				return
			}
			for _, part := range []string{
				"Destroyed on One Site Only",
				id,
				"Remove the remaining part at the other site, " +
					"including the replica disks, manually",
			} {
				assert.Contains(t, said, part)
			}
			assert.Empty(t, s.Replications())
		})
	}
}

func refuseRemote(s *acctest.Sites) {
	s.ExpireSessions()
	s.Traffic().Break(fault.Rule{Kind: "createRemoteSession", Status: http.StatusUnauthorized})
}

func allow(t *testing.T, file string) {
	t.Helper()
	content, err := os.ReadFile(file)
	require.NoError(t, err)
	content = bytes.Replace(content, []byte("  rpo_minutes "), []byte("  force_local_destroy = true\n  rpo_minutes "),
		1)
	require.NoError(t, os.WriteFile(file, content, 0o600))
}

func words(text string) string {
	words := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \n\t│╷╵", r) })
	return strings.Join(words, " ")
}
