package privilege_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/vsphere/privilege"
)

func TestGuide(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../../templates/guides/adopt.md")
	require.NoError(t, err)
	id := regexp.MustCompile(`\(((?:InventoryService\.Tagging|System)\.[A-Za-z]+)\)`)
	named := make(map[string]bool)
	for _, message := range []string{
		privilege.Read, privilege.CreateCategory, privilege.EditCategory, privilege.DeleteCategory, privilege.CreateTag,
		privilege.EditTag, privilege.DeleteTag, privilege.Assign,
	} {
		for _, match := range id.FindAllStringSubmatch(message, -1) {
			named[match[1]] = true
			assert.Contains(t, string(text), match[0])
		}
	}
	assert.Len(t, named, 9)
	for _, match := range id.FindAllStringSubmatch(string(text), -1) {
		assert.True(t, named[match[1]], "no message names %s", match[1])
	}
	// Attaching a tag requires one privilege on the tag and another on the object.
	assert.Contains(t, privilege.Assign, "ObjectAttachable) on each object")
}

func TestNeeds_index(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../../templates/index.md.tmpl")
	require.NoError(t, err)
	ids := regexp.MustCompile(`\b(?:Host|VirtualMachine|Datastore|StorageProfile)\.[A-Za-z.]+[A-Za-z]`)
	rows := make(map[string]string)
	for line := range strings.Lines(string(text)) {
		if first, rest, ok := strings.Cut(strings.TrimPrefix(line, "| "), " | "); ok && strings.HasPrefix(line, "| ") {
			rows[strings.ReplaceAll(first, "`", "")] = rest
		}
	}
	for _, need := range privilege.Needs() {
		row, ok := rows[need.Feature]
		assert.True(t, ok, "the page has no row for %q", need.Feature)
		for _, id := range need.IDs {
			if ids.MatchString(id) {
				assert.Contains(t, row, id)
			}
		}
		for _, id := range ids.FindAllString(row, -1) {
			assert.Contains(t, need.IDs, id)
		}
	}
}

func TestAccountsGuide(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../../templates/guides/accounts.md")
	require.NoError(t, err)
	_, list, _ := strings.Cut(string(text), "```text\n")
	list, _, _ = strings.Cut(list, "```")
	listed := map[string]bool{}
	for word := range strings.FieldsSeq(list) {
		listed[word] = strings.Contains(word, ".")
	}
	needed := map[string]bool{}
	for _, need := range privilege.Needs() {
		for _, id := range need.IDs {
			needed[id] = true
			assert.True(t, listed[id], "got no %s in the roles of the guide, want it for %s", id, need.Feature)
		}
	}
	delete(listed, "System.Anonymous") // included in every vCenter role
	for id, isPrivilege := range listed {
		if isPrivilege {
			assert.True(t, needed[id], "got %s in the roles of the guide, want only what vsla needs", id)
		}
	}
}
