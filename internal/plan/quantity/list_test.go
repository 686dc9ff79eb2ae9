package quantity_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"terraform-provider-vsla/internal/plan/quantity"
)

func TestList(t *testing.T) {
	t.Parallel()
	for want, names := range map[string][]string{
		"":                    nil,
		"a":                   {"a"},
		"a, b":                {"a", "b"},
		"a, b and 1 more":     {"a", "b", "c"},
		"x, x and 1,234 more": slices.Repeat([]string{"x"}, 1236),
	} {
		assert.Equal(t, want, quantity.List(names, 2), "%+v", len(names))
	}
}

func TestNearest(t *testing.T) {
	t.Parallel()
	// "sla", "SLAs" and "SLA class" contain "SLA". The edit distances of the others from "SLA" include 3 for "f", 4 for
	// "tier" and 10 for "and another". The edit distances from "Tier" include 3 for "i", 4 for "f", 8 for "and another"
	// and 9 for "SLA class".
	names := []string{"k", "j", "i", "h", "g", "f", "tier", "SLA class", "tier", "sla", "SLAs", "and another"}
	for wanted, want := range map[string]string{
		"SLA":  `"sla", "SLAs", "SLA class", "f", "g", "h", "i", "j", "k", "tier" and 1 more`,
		"Tier": `"tier", "i", "SLAs", "f", "g", "h", "j", "k", "sla", "and another" and 1 more`,
	} {
		assert.Equal(t, want, quantity.Nearest(names, wanted), wanted)
	}
	assert.Empty(t, quantity.Nearest(nil, "a"))
}

type missing struct{ names []string }

func (m *missing) Error() string { return "missing" }

func (m *missing) Existing() (name string, names []string) { return "gld", m.names }

func TestExisting(t *testing.T) {
	t.Parallel()
	for want, err := range map[string]error{
		` Available: "gold", "silver".`: fmt.Errorf("a tag: %w", &missing{[]string{"silver", "gold"}}),
		" None are available.":          &missing{[]string{}},
		"":                              errors.Join(&missing{}, errors.New("another")),
	} {
		assert.Equal(t, want, quantity.Existing(err), "%+v", err)
	}
}
