package docstest_test

import (
	"bytes"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/acctest"
)

func TestReviewGuide(t *testing.T) {
	t.Parallel()
	guide, _, _ := bytes.Cut(read(t, "templates", "guides", "capacity-review.md"), []byte("\n## What if\n"))
	config := regexp.MustCompile("(?s)```terraform\n(.*?)```").FindSubmatch(guide)
	require.NotNil(t, config)
	w, dir := acctest.Workspace(t, nil, "examples/readme")
	write(t, dir, "main.tf", string(config[1]))
	follow(t, guide, dir, w, 8)
	begin(t, dir, map[string]string{
		"review.html": "<!DOCTYPE html>",
		"review.md":   "# Capacity review\n\n**1 of 2 promises holds. Silver is at risk.**",
	})
}
