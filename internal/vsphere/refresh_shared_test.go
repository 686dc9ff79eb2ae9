package vsphere_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/transport"
	"terraform-provider-vsla/internal/vsphere"
)

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// TestRefresh_answersBelongToTheCaller checks that callers that share a request receive sorted copies that they can
// modify. vCenter does not guarantee an order.
func TestRefresh_answersBelongToTheCaller(t *testing.T) {
	t.Parallel()
	vm := vsphere.Object{Type: "VirtualMachine", ID: "vm-1"}
	tags := func(ctx context.Context, c *vsphere.Client) ([]string, error) { return c.RefreshTagsOfObject(ctx, vm) }
	objects := func(ctx context.Context, c *vsphere.Client) (ids []string, err error) {
		list, err := c.RefreshObjectsWithTag(ctx, "a")
		for _, o := range list {
			ids = append(ids, o.ID)
		}
		if len(list) > 0 {
			list[0].ID = "changed"
		}
		return ids, err
	}
	for name, read := range map[string]func(context.Context, *vsphere.Client) ([]string, error){
		"tags":    tags,
		"objects": objects,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { shareAnswer(t, read) })
		})
	}
}

func shareAnswer(t *testing.T, read func(context.Context, *vsphere.Client) ([]string, error)) {
	t.Helper()
	release, batches := make(chan struct{}), 0
	server := roundTripper(func(r *http.Request) (*http.Response, error) {
		result := `["b","a"]`
		switch action := r.URL.Query().Get("action"); {
		case strings.HasSuffix(r.URL.Path, "/session"):
			result = `"session"`
		case strings.HasSuffix(action, "-on-objects"), strings.HasSuffix(action, "-on-tags"):
			if batches++; batches == 1 {
				<-release // make later callers wait and share the next request
			}
			result = `[{"object_id":{"type":"VirtualMachine","id":"vm-1"},"tag_ids":["b","a"],"tag_id":"a",` +
				`"object_ids":[{"type":"VirtualMachine","id":"b"},{"type":"VirtualMachine","id":"a"}]}]`
		case action == "list-attached-objects":
			result = `[]`
		}
		return &http.Response{
			StatusCode: http.StatusOK,
			Header:     http.Header{},
			Body:       io.NopCloser(strings.NewReader(result)),
			Request:    r,
		}, nil
	})
	c, err := vsphere.New(vsphere.Config{
		Server:   "vc.example.com",
		User:     "u",
		Password: "p",
		Settings: transport.Settings{Wrap: func(http.RoundTripper) http.RoundTripper { return server }},
	})
	require.NoError(t, err)
	_, err = read(t.Context(), c) // the first read is not shared
	require.NoError(t, err)
	answers := make([][]string, 3)
	var group sync.WaitGroup
	for i := range answers {
		group.Go(func() {
			var err error
			answers[i], err = read(t.Context(), c)
			assert.NoError(t, err)
		})
		synctest.Wait() // the first read must be in flight before the others start
	}
	close(release)
	group.Wait()
	for i, got := range answers {
		require.Equal(t, []string{"a", "b"}, got, "%+v", i)
		got[0] = "changed" // modifies the caller's copy
	}
	assert.Equal(t, 2, batches)
}
