package docstest_test

import (
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/acctest"
)

func TestReviewGuide(t *testing.T) {
	t.Parallel()
	guide := read(t, "templates", "guides", "capacity-review.md")
	config := regexp.MustCompile("(?s)```terraform\n(.*?)```").FindSubmatch(guide)
	require.NotNil(t, config)
	w, dir := acctest.Workspace(t, nil, "examples/readme")
	write(t, dir, "main.tf", string(config[1]))
	follow(t, guide, dir, w, 9)
	begin(t, dir, map[string]string{
		"review.html": "<!DOCTYPE html>",
		"review.md":   "# Capacity review\n\n**1 of 2 promises holds. Silver is at risk",
	})
}
