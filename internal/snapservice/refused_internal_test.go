package snapservice

import (
	"net/http"
	"os"
	"reflect"
	"regexp"
	"testing"
)

// TestRefusedOperations: the client has neither a method nor a path for what fails over, restores, labels, or deletes
// single snapshots, and none that writes to sites and pairs.
func TestRefusedOperations(t *testing.T) {
	t.Parallel()
	never := regexp.MustCompile(
		`(?i)promote|demote|activate|ransomware|revert|restore|clone|label|protection-configuration`,
	)
	client := reflect.TypeFor[*Client]()
	for method := range client.Methods() {
		if never.MatchString(method.Name) {
			t.Errorf("Client has the method %s", method.Name)
		}
	}
	source, err := os.ReadFile("request.go")
	if err != nil {
		t.Fatal(err)
	}
	form := regexp.MustCompile(`= operation\{http\.Method(\w+), ([^,]+), "([^"]*)"`)
	declared := form.FindAllStringSubmatch(string(source), -1)
	if len(declared) != 20 {
		t.Errorf("found %d operations, want 20", len(declared))
	}
	for _, o := range declared {
		if never.MatchString(o[2] + o[3]) {
			t.Errorf("there is the operation %v", o[1:])
		}
		if writes := o[1] != "Get"; writes && regexp.MustCompile(`sites|pairs|virtual-machines|labels`).MatchString(o[2]) {
			t.Errorf("the operation %v writes to what is only read", o[1:])
		}
		if o[1] == "Delete" && regexp.MustCompile(`snapshots`).MatchString(o[2]) {
			t.Errorf("the operation %v deletes snapshots", o[1:])
		}
	}
	if deleteGroup.method != http.MethodDelete {
		t.Errorf("got %s, want DELETE", deleteGroup.method)
	}
}
