package contract_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"terraform-provider-vsla/internal/dev/lab/contract"
)

func TestCheck_refused(t *testing.T) {
	t.Parallel()
	for _, phrase := range []string{
		"", "required ", "nullable Task", "Task 1..2", "int32 5", "int32 a..b", "list of ", "set of nullable Task", "map of ",
	} {
		assert.Error(t, contract.Check(phrase))
	}
}
