package assess

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTitleOf(t *testing.T) {
	t.Parallel()
	const estimate, link = "vsla_replication_estimate", "vsla_link_throughput"
	for _, test := range []struct{ address, kind, want string }{
		{`data.vsla_replication_estimate.tier["gold"]`, estimate, "tier gold"},
		{`data.vsla_replication_estimate.all["gold"]`, estimate, "gold"},
		{`data.vsla_replication_estimate.x["a.b\"c]"]`, estimate, `a.b"c]`},
		{`data.vsla_link_throughput.l`, link, "link l"},
		{`data.vsla_link_throughput.main`, link, "link main"},
		{`data.vsla_link_throughput.site_to_site`, link, "site to site"},
		{`module.branch.data.vsla_replication_estimate.site[1]`, estimate, "site 1, branch"},
		{`module.eu.module.branch_office["north"].data.vsla_link_throughput.wan`, link, "wan, branch office north, eu"},
		{`output.what_if_the_link_doubles`, estimate, "what if the link doubles"},
		{`output.tiers["gold"]`, estimate, "tiers gold"},
		{`data.vsla_brand_new.this`, "vsla_brand_new", "brand new this"},
	} {
		assert.Equal(t, test.want, titleOf(test.address, test.kind))
	}
}

func TestSetTitles(t *testing.T) {
	t.Parallel()
	const kind = "vsla_link_throughput"
	all := []*Assessment{
		newAssessment(Raw{Type: kind, Address: "data." + kind + ".a_b"}),
		newAssessment(Raw{Type: kind, Address: "data." + kind + `.a["b"]`}),
		newAssessment(Raw{Type: kind, Address: "data." + kind + ".a_b_c"}),
		newAssessment(Raw{Type: kind, Address: "data." + kind + ".x", Title: "x.y"}),
		newAssessment(Raw{Type: kind, Address: "data." + kind + `.all["b"]`}),
		newAssessment(Raw{Type: kind, Address: "data." + kind + `.main["b"]`}),
	}
	setTitles(all)
	// A one-letter name is generic, like all and main, so three of the results would have the title "b".
	for i, want := range []string{"a b", `a["b"]`, "a b c", "x.y", `all["b"]`, `main["b"]`} {
		assert.Equal(t, want, all[i].Title)
	}
}

func TestKinds(t *testing.T) {
	t.Parallel()
	pages, err := filepath.Glob("../../docs/data-sources/*.md")
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(pages), 25)
	argument := regexp.MustCompile("(?m)^- `(\\w+)`")
	for _, page := range pages {
		text, err := os.ReadFile(page)
		require.NoError(t, err)
		name := "vsla_" + strings.TrimSuffix(filepath.Base(page), ".md")
		_, schema, _ := strings.Cut(string(text), "## Schema")
		arguments, _, _ := strings.Cut(schema, "### Read-Only")
		var want []string
		for _, found := range argument.FindAllStringSubmatch(arguments, -1) {
			want = append(want, found[1])
		}
		slices.Sort(want)
		assert.Equal(t, want, slices.Sorted(slices.Values(KindOf(name).Arguments)), name)
	}
}
