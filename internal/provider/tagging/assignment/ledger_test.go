package assignment_test

import (
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/lab/tagging"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
	"terraform-provider-vsla/internal/provider/tagging/assignment"
	"terraform-provider-vsla/internal/transport"
	"terraform-provider-vsla/internal/vsphere"
)

// start returns a lab with the tags bronze and silver of a SINGLE category, and a client.
func start(t *testing.T) (lab *vcsim.VCenter, c *vsphere.Client, bronze, silver string) {
	t.Helper()
	lab, err := vcsim.Start(t.Context(), vcsim.Config{VMs: 2})
	require.NoError(t, err)
	t.Cleanup(func() {
		assert.NoError(t, lab.Close())
	})
	ca := filepath.Join(t.TempDir(), "ca.pem")
	require.NoError(t, os.WriteFile(ca, lab.CAPEM(), 0o600))
	c, err = vsphere.New(vsphere.Config{
		Server: lab.URL(), User: lab.User(), Password: lab.Password(), Settings: transport.Settings{CAFile: ca},
	})
	require.NoError(t, err)
	category, err := lab.Tags().AddCategory(tagging.Category{Name: "tier", Cardinality: "SINGLE"})
	require.NoError(t, err)
	for name, id := range map[string]*string{"bronze": &bronze, "silver": &silver} {
		*id, err = lab.Tags().AddTag(tagging.Tag{Name: name, CategoryID: category})
		require.NoError(t, err)
	}
	return lab, c, bronze, silver
}

// TestDetach_notCarried destroys an association whose object lost the tag after the refresh. Plans made afterwards
// must equal the earlier plans.
func TestDetach_notCarried(t *testing.T) {
	t.Parallel()
	lab, c, bronze, silver := start(t)
	carrier := vsphere.Object{Type: "VirtualMachine", ID: lab.VMs()[0].ID}
	inState := []vsphere.Object{carrier, {Type: "VirtualMachine", ID: lab.VMs()[1].ID}}
	require.NoError(t, lab.Tags().Attach(bronze, tagging.Object(carrier)))
	l := new(assignment.Ledger)
	tags, err := l.Tags(t.Context(), c, []string{bronze, silver})
	require.NoError(t, err)
	_, _, err = l.Detach(t.Context(), c, tags[bronze], inState)
	require.NoError(t, err)
	assert.Empty(t, lab.Tags().Objects(bronze))
	former, err := l.Former(t.Context(), c, tags[silver], inState)
	assert.True(t, err == nil && len(former) == 1 && former[carrier] == bronze,
		"got former tags %v (%v), want bronze (%s) on %s only", former, err, bronze, carrier)
	carriers, err := l.Carriers(t.Context(), c, bronze)
	require.NoError(t, err)
	assert.Equal(t, []vsphere.Object{carrier}, carriers)
}

// TestLedger_concurrent verifies that concurrent plans are recorded.
func TestLedger_concurrent(t *testing.T) {
	t.Parallel()
	var ledger assignment.Ledger
	const resources = 1000
	var all sync.WaitGroup
	for i := range resources {
		all.Go(func() { ledger.PlanMove(strconv.Itoa(i)) })
	}
	all.Wait()
	for i := range resources {
		assert.True(t, ledger.Moves(strconv.Itoa(i)), "got no move of tag %d, want one", i)
	}
}
