package vsphere_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/lab/fault"
	"terraform-provider-vsla/internal/dev/lab/tagging"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
	"terraform-provider-vsla/internal/vsphere"
)

const objectsOfTags = "POST tag-association:list-attached-objects-on-tags"

func TestObjectsByTag_batches(t *testing.T) {
	t.Parallel()
	e := newEstate(t, vcsim.Config{VMs: 2}, 1, 450)
	for _, tags := range e.tags {
		for _, tag := range tags {
			require.NoError(t, e.Tags().Attach(tag, tagging.Object(allVMs(e.VCenter)[0])))
		}
		read := func(what string, requests int) {
			t.Helper()
			e.Traffic().Reset()
			got, err := e.client.ObjectsByTag(t.Context(), tags)
			require.NoError(t, err, what)
			require.Len(t, got, 450, what)
			assert.Len(t, got[tags[449]], 1, what)
			assert.Equal(t, requests, e.Traffic().Count(objectsOfTags), what)
		}
		read("batches", 3)
		e.Traffic().Reset()
		for _, matchAny := range []bool{true, false} { // the VM has all tags
			got, err := e.client.ObjectsWithTags(t.Context(), tags, matchAny)
			require.NoError(t, err, "%+v", matchAny)
			assert.Len(t, got, 1, "%+v", matchAny)
		}
		assert.Equal(t, 2*3, e.Traffic().Total())
		// Each tag takes 137 bytes in the response, so a response for 100 tags is within the limit, but one for 200
		// tags is not. The last batch has 50 tags.
		e.Tags().SetAnswerLimit(20_000)
		read("too large", 2*3+1)
		e.Tags().SetAnswerLimit(0)
		e.Traffic().Break(fault.Rule{
			Kind:   objectsOfTags,
			Times:  1,
			Status: http.StatusBadRequest,
			Body:   "<html></html>",
		})
		read("a 400 without a reason", 3+2)
		assert.Empty(t, e.sleeps.sleeps)
		e.Tags().SetAnswerLimit(20)
		_, err := e.client.ObjectsByTag(t.Context(), tags[:2])
		assert.ErrorIs(t, err, vsphere.ErrUnavailable)
	}
}
