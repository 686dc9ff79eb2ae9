package privilege_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"terraform-provider-vsla/internal/provider/kit/privilege"
)

// TestGuide: messages and the guide name the same privileges, and the guide says what each has to be granted on.
func TestGuide(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../../../templates/guides/adopt.md")
	if err != nil {
		t.Fatal(err)
	}
	id := regexp.MustCompile(`\(((?:InventoryService\.Tagging|System)\.[A-Za-z]+)\)`)
	named := make(map[string]bool)
	for _, message := range []string{
		privilege.Read, privilege.CreateCategory, privilege.EditCategory, privilege.DeleteCategory, privilege.CreateTag,
		privilege.EditTag, privilege.DeleteTag, privilege.Assign,
	} {
		for _, match := range id.FindAllStringSubmatch(message, -1) {
			named[match[1]] = true
			if !strings.Contains(string(text), match[0]) {
				t.Errorf("the guide does not name %s", match[1])
			}
		}
	}
	if len(named) != 9 {
		t.Errorf("messages name %d privileges, want 9", len(named))
	}
	for _, match := range id.FindAllStringSubmatch(string(text), -1) {
		if !named[match[1]] {
			t.Errorf("no message names %s", match[1])
		}
	}
	// Attaching needs a privilege of the tag and another one of the object.
	if !strings.Contains(privilege.Assign, "ObjectAttachable) on each object") {
		t.Errorf("the privilege to assign is %s", privilege.Assign)
	}
}
