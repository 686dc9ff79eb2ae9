package estate_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/estate"
	"terraform-provider-vsla/internal/estate/inventoryfile"
)

func TestWriteTiers(t *testing.T) {
	t.Parallel()
	for _, cluster := range []string{"C0", "", "a: b\n- c", `"quoted" # & *`} {
		found, err := inventoryfile.Read(strings.NewReader(vms), inventoryfile.Options{})
		require.NoError(t, err)
		for i := range found.VMs {
			found.VMs[i].Cluster = fmt.Sprint(cluster, i)
		}
		var text strings.Builder
		require.NoError(t, estate.WriteTiers(&text, "a \"b\".csv", "t.yaml", found, nil))
		r, err := newReview(t, text.String())
		require.NoError(t, err, "%v, %v", cluster, text.String())
		// Two names contain db; vCLS-1 is excluded.
		gold, bronze := len(tierSizes(r, "gold")), len(tierSizes(r, "bronze"))
		require.Equal(t, 2, gold)
		assert.Equal(t, 5, bronze)
	}
}
