package vr_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"terraform-provider-vsla/internal/vr"
)

func TestHasObject(t *testing.T) {
	t.Parallel()
	const id = "ClusterComputeResource:domain-c9:5f0c"
	for wanted, want := range map[string]bool{
		"":                  true,
		id:                  true,
		strings.ToUpper(id): true,
		"domain-c9":         true,
		"domain-c90":        false,
	} {
		assert.Equal(t, want, vr.HasObject(id, wanted), wanted)
	}
}
