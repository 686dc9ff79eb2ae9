package assignment_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/provider/tagging/assignment"
	"terraform-provider-vsla/internal/transport"
	"terraform-provider-vsla/internal/vsphere"
)

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// TestAttach_interrupted simulates an unresponsive vCenter after a detach, followed by Ctrl-C. Restoring the tags is
// retried only for the grace time, and the error lists the affected object.
func TestAttach_interrupted(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, interrupt := context.WithCancel(t.Context())
		server := roundTripper(func(r *http.Request) (*http.Response, error) {
			answer := `{"success":true}`
			switch {
			case strings.HasSuffix(r.URL.Path, "/session"):
				answer = `"session"`
			case strings.HasPrefix(r.URL.Query().Get("action"), "attach"):
				interrupt()
				<-r.Context().Done()
				return nil, r.Context().Err()
			}
			return &http.Response{
				StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(answer)), Request: r,
			}, nil
		})
		c, err := vsphere.New(vsphere.Config{
			Server: "vc.example.com", User: "u", Password: "p",
			Settings: transport.Settings{Wrap: func(http.RoundTripper) http.RoundTripper { return server }},
		})
		require.NoError(t, err)
		vm := vsphere.Object{Type: "VirtualMachine", ID: "vm-1"}
		gold := assignment.Tag{NamedTag: vsphere.NamedTag{Tag: vsphere.Tag{ID: "gold"}}, Single: true}
		began := time.Now() //nolint:forbidigo // the bubble's clock
		_, errs := new(assignment.Ledger).Attach(ctx, c, gold, []vsphere.Object{vm}, map[vsphere.Object]string{vm: "silver"})
		if took := time.Since(began); took > transport.GraceTime { //nolint:forbidigo // the bubble's clock
			t.Errorf("got an end after %s, want one within %s", took, transport.GraceTime)
		}
		var bare *assignment.BareError
		assert.True(t, errors.As(errors.Join(errs...), &bare) && !bare.Certain && len(bare.Objects) == 1,
			"got %v, want that it is not known whether a tag is left on %s", errs, vm)
	})
}
