package acctest

import (
	"regexp"
	"strings"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
)

// Fails is a step that ends with an error that matches a pattern, as Says reads it.
func Fails(config, pattern string) resource.TestStep {
	return resource.TestStep{Config: config, ExpectError: Says(pattern)}
}

// Says compiles a pattern for what Terraform prints: a space in it is any white space with the frame of a message,
// because lines are wrapped, and a dot may be a line break.
func Says(pattern string) *regexp.Regexp {
	return regexp.MustCompile("(?s)" + strings.Join(strings.Fields(pattern), `[\s│╷╵]+`))
}
