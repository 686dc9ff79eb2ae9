package report_test

import (
	"fmt"
	"testing"

	"terraform-provider-vsla/internal/wording"
)

// TestCount: instances stand in the order of their numbers.
func TestCount(t *testing.T) {
	t.Parallel()
	w := inline(t, `
data "vsla_link_throughput" "path" {
  count          = 11
  bandwidth_mbps = 1000 + count.index
}
`)
	r := build(t, planned(t, w, 0))
	if len(r.Sections) != 1 || len(r.Sections[0].Subjects) != 11 {
		t.Fatalf("%+v", r.Sections)
	}
	for i, s := range r.Sections[0].Subjects {
		if s.Name != fmt.Sprintf("path %d", i) {
			t.Errorf("%s is number %d", s.Name, i)
		}
	}
	if r.Headline != "No result in the file has a verdict." || r.Fails(wording.Unknown) {
		t.Errorf("headline %q, want no verdict and no failure", r.Headline)
	}
}
