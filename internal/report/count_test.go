package report_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/plan"
)

func TestCount(t *testing.T) {
	t.Parallel()
	w := inline(t, `
data "vsla_link_throughput" "path" {
  count          = 11
  bandwidth_mbps = 1000 + count.index
}
`)
	r := build(t, planned(t, w, 0))
	require.Len(t, r.Sections, 1)
	require.Len(t, r.Sections[0].Subjects, 11)
	for i, s := range r.Sections[0].Subjects {
		assert.Equal(t, fmt.Sprintf("path %d", i), s.Name)
	}
	require.Equal(t, "No result in the file has a verdict.", r.Headline)
	assert.False(t, r.Fails(plan.Unknown), "headline %q, want no verdict and no failure", r.Headline)
}
