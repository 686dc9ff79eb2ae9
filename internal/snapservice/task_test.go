package snapservice_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/lab/fault"
	lab "terraform-provider-vsla/internal/dev/lab/snapservice"
	"terraform-provider-vsla/internal/snapservice"
)

func TestTask(t *testing.T) {
	t.Parallel()
	t.Run("blocked", func(t *testing.T) {
		t.Parallel()
		s := startSite(t, lab.Switches{}, nil)
		s.Block(time.Hour)
		long := snapservice.WaitOptions{TaskTimeout: 2 * time.Hour, ReadTimeout: time.Minute}
		_, err := s.client.Create(t.Context(), s.cluster, s.goldSpec(s.newTag(t, 0)), long)
		assert.NoError(t, err)
	})
	t.Run("too long", func(t *testing.T) {
		t.Parallel()
		s := startSite(t, lab.Switches{}, nil)
		s.Block(time.Hour)
		_, err := s.client.Create(t.Context(), s.cluster, s.goldSpec(s.newTag(t, 0)), waitOptions)
		assert.ErrorIs(t, err, snapservice.ErrTimeout)
	})
	t.Run("odd status", func(t *testing.T) {
		t.Parallel()
		s := startSite(t, lab.Switches{}, nil)
		s.Traffic().Break(fault.Rule{Kind: "tasks", Times: 3, Status: http.StatusOK, Body: `{"items":[]}`})
		s.Traffic().Break(fault.Rule{Kind: "task", Times: 3, Status: http.StatusOK, Body: `{"status":"QUEUED\u001b"}`})
		var statuses []string
		options := waitOptions
		options.Progress = func(status string) { statuses = append(statuses, status) }
		_, err := s.client.Create(t.Context(), s.cluster, s.goldSpec(s.newTag(t, 0)), options)
		require.NoError(t, err)
		assert.Equal(t, []string{snapservice.Printable("QUEUED\x1b"), "SUCCEEDED"}, statuses)
	})
	t.Run("purged", func(t *testing.T) {
		t.Parallel()
		s := startSite(t, lab.Switches{PurgeTasks: true}, nil)
		g, err := s.client.Create(t.Context(), s.cluster, s.goldSpec(s.newTag(t, 0)), waitOptions)
		require.NoError(t, err)
		assert.Equal(t, s.GroupByName("gold").ID, g.ID)
	})
	t.Run("failed half way", func(t *testing.T) {
		t.Parallel()
		s := startSite(t, lab.Switches{}, nil)
		s.FailCreates(true)
		g, err := s.client.Create(t.Context(), s.cluster, s.goldSpec(s.newTag(t, 0)), waitOptions)
		require.ErrorIs(t, err, snapservice.ErrTask)
		assert.NotEmpty(t, g.ID)
		assert.Equal(t, s.GroupByName("gold").ID, g.ID)
	})
}
