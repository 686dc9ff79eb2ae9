package destroying

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestIsDestroy(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]bool{
		"terraform destroy -auto-approve":           true,
		"terraform -chdir=x destroy":                true,
		"tofu plan -destroy -out=plan":              true,
		"terraform apply --destroy=true":            true,
		"terraform plan":                            false,
		"terraform apply destroy":                   false,
		"terraform plan -destroy=false":             false,
		"terraform plan -var=destroy":               false,
		"":                                          false,
		"TF_CLI_ARGS_plan=-destroy|terraform plan":  true,
		"TF_CLI_ARGS_plan=-no-color|terraform plan": false,
	} {
		variable, args, ok := strings.Cut(line, "|")
		if !ok {
			variable = ""
			args = line
		}
		assert.Equal(t, want, isDestroy(strings.Fields(args), []string{variable}), line)
	}
}
