package docstest_test

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/acctest"
)

const (
	repository = "https://github.com/vsla/terraform-provider-vsla/"
	pictures   = "https://raw.githubusercontent.com/vsla/terraform-provider-vsla/main/"
)

var (
	link    = regexp.MustCompile(`(!?)\[[^\]]*\]\(([^)\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#+ (.*)$`)
	fenced  = regexp.MustCompile("(?ms)^ *```.*?^ *```")
	road    = regexp.MustCompile(`(?m)^## I have .*\n(?:[^#\n].*\n|\n)*`)
	command = regexp.MustCompile("(?m)^- \\[?`[a-z_ -]+`")
)

// registryPages returns the pages that a registry publishes, by their path in docs.
func registryPages(t *testing.T) map[string]string {
	t.Helper()
	root, err := acctest.Root()
	require.NoError(t, err)
	pages := map[string]string{}
	for _, pattern := range []string{
		"index.md", "guides/*", "resources/*", "data-sources/*", "functions/*", "actions/*", "list-resources/*",
	} {
		found, err := fs.Glob(os.DirFS(filepath.Join(root, "docs")), pattern)
		require.NoError(t, err)
		for _, name := range found {
			pages[name] = string(read(t, "docs", name))
		}
	}
	return pages
}

func anchors(page string) []string {
	var all []string
	for _, id := range regexp.MustCompile(`<a id="([^"]+)">`).FindAllStringSubmatch(page, -1) {
		all = append(all, id[1])
	}
	for _, title := range heading.FindAllStringSubmatch(fenced.ReplaceAllString(page, ""), -1) {
		anchor := strings.ToLower(regexp.MustCompile(`[^\w -]`).ReplaceAllString(title[1], ""))
		all = append(all, strings.ReplaceAll(anchor, " ", "-"))
	}
	return all
}

// TestPages_links checks that links lead to a page that a registry publishes, or to an absolute address. Pictures need
// an absolute address, because a registry publishes only pages.
func TestPages_links(t *testing.T) {
	t.Parallel()
	root, err := acctest.Root()
	require.NoError(t, err)
	pages, links := registryPages(t), 0
	for name, page := range pages {
		for _, match := range link.FindAllStringSubmatch(fenced.ReplaceAllString(page, ""), -1) {
			links++
			picture, to := match[1] != "", match[2]
			to, anchor, anchored := strings.Cut(to, "#")
			file, ours := strings.CutPrefix(to, repository)
			if raw, ok := strings.CutPrefix(to, pictures); ok {
				file, ours = "blob/main/"+raw, true
			}
			switch {
			case ours && file != "":
				file = regexp.MustCompile(`^(?:blob|tree)/main/`).ReplaceAllString(file, "")
				_, err := os.Stat(filepath.Join(root, filepath.FromSlash(file)))
				require.NoError(t, err, "%s: %s", name, to)
			case strings.HasPrefix(to, "https://"):
			case picture:
				assert.Fail(t, "a picture needs an absolute address", "%s: %s", name, to)
			default:
				target := name
				if to != "" {
					target = path.Join(path.Dir(name), to)
				}
				require.Contains(t, pages, target, "%s: %s", name, to)
				if anchored {
					assert.Contains(t, anchors(pages[target]), anchor, "%s: %s", name, match[2])
				}
			}
		}
	}
	assert.GreaterOrEqual(t, links, 200)
}

func TestPages_guides(t *testing.T) {
	t.Parallel()
	index := string(read(t, "docs", "index.md"))
	guides := 0
	for name, page := range registryPages(t) {
		if !strings.HasPrefix(name, "guides/") {
			continue
		}
		guides++
		assert.Contains(t, index, "]("+name+")")
		group := regexp.MustCompile(`(?m)^subcategory: "(.*)"$`).FindStringSubmatch(page)
		require.NotNil(t, group, name)
		assert.Contains(t, []string{"Get started", "Plan capacity", "Operate", "Pipelines"}, group[1])
	}
	assert.LessOrEqual(t, guides, 14)
}

// TestRoads runs the commands of the first screen. Those for a vCenter have tests of their own.
func TestRoads(t *testing.T) {
	t.Parallel()
	for _, page := range []string{"README.md", "docs/index.md"} {
		roads := road.FindAllString(string(read(t, page)), -1)
		require.Len(t, roads, 3, page)
		for _, r := range roads {
			r = strings.TrimSpace(r)
			assert.LessOrEqual(t, strings.Count(r, "\n"), 11, r)
			assert.Len(t, command.FindAllString(r, -1), 3, r)
		}
		dir := t.TempDir()
		write(t, dir, "RVTools_tabvInfo.csv", string(read(t, "examples", "from-a-file", "RVTools_tabvInfo.csv")))
		file := strings.ReplaceAll(roads[0], "rvtools.xlsx", "RVTools_tabvInfo.csv --tiers tiers.yaml")
		follow(t, []byte(file), dir, nil, 2)
		begin(t, dir, map[string]string{"review.html": "<!DOCTYPE html>"})

		w, dir := acctest.Workspace(t, nil, "examples/policy/plan")
		acctest.RunTerraform(t, w, 0, "plan", "-out=tfplan", "-input=false", "-no-color")
		show := "```shell\nterraform show -json tfplan > tfplan.json\n```\n"
		follow(t, []byte(show+roads[2]), dir, w, 3)
	}
}
