package base

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestOwnImportID(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]string{
		`{"category_name": "sla", "tag_name": "gold"}`: "sla/gold",
		`{"category_name": "sla"}`:                     "sla",
		`{}`:                                           "",
		"sla/gold":                                     "",
	} {
		assert.Equal(t, want, ownImportID(id), id)
	}
}
