package assignment_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/lab/tagging"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
	"terraform-provider-vsla/internal/provider/tagging/assignment"
	"terraform-provider-vsla/internal/transport"
	"terraform-provider-vsla/internal/vsphere"
)

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
		Server:   lab.URL(),
		User:     lab.User(),
		Password: lab.Password(),
		Settings: transport.Settings{
			CAFile: ca,
			Sleep:  func(ctx context.Context, _ time.Duration) error { return ctx.Err() },
		},
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

// TestDetach_notCarried detaches a tag from two objects in state, although only one of them still has it.
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
	former, err := l.PriorTagByObject(t.Context(), c, tags[silver], inState)
	require.NoError(t, err)
	require.Len(t, former, 1)
	assert.Equal(t, bronze, former[carrier])
	carriers, err := l.PriorObjects(t.Context(), c, bronze)
	require.NoError(t, err)
	assert.Equal(t, []vsphere.Object{carrier}, carriers)
}

// TestDetach_notReplaced rejects the new tag of an object in the apply in which another resource detaches the former.
func TestDetach_notReplaced(t *testing.T) {
	t.Parallel()
	lab, c, bronze, silver := start(t)
	vm := vsphere.Object{Type: "VirtualMachine", ID: lab.VMs()[0].ID}
	require.NoError(t, lab.Tags().Attach(bronze, tagging.Object(vm)))
	lab.Tags().RefuseAttach(silver, vm.ID, true)
	l := new(assignment.Ledger)
	tags, err := l.Tags(t.Context(), c, []string{bronze, silver})
	require.NoError(t, err)
	_, errs := l.Attach(t.Context(), c, tags[silver], []vsphere.Object{vm}, map[vsphere.Object]string{vm: bronze})
	require.NotEmpty(t, errs)
	_, kept, err := l.Detach(t.Context(), c, tags[bronze], []vsphere.Object{vm})
	require.NoError(t, err)
	require.NotNil(t, kept)
	assert.Equal(t, []vsphere.Object{vm}, kept.Objects)
	assert.Equal(t, []string{vm.ID}, lab.Tags().Objects(bronze))
}

// TestPriorObjects_attachedAndDetached attaches a tag that another resource detaches in the same apply.
func TestPriorObjects_attachedAndDetached(t *testing.T) {
	t.Parallel()
	lab, c, _, silver := start(t)
	vms := []vsphere.Object{{Type: "VirtualMachine", ID: lab.VMs()[0].ID}}
	l := new(assignment.Ledger)
	tags, err := l.Tags(t.Context(), c, []string{silver})
	require.NoError(t, err)
	_, errs := l.Attach(t.Context(), c, tags[silver], vms, nil)
	require.Empty(t, errs)
	_, _, err = l.Detach(t.Context(), c, tags[silver], vms)
	require.NoError(t, err)
	prior, err := l.PriorObjects(t.Context(), c, silver)
	require.NoError(t, err)
	assert.Empty(t, prior)
}

// TestLedger_lockOfCategory locks two tags of a category. Only an object of a SINGLE category loses a tag to another.
func TestLedger_lockOfCategory(t *testing.T) {
	t.Parallel()
	for _, single := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			tag := func(id string) []assignment.Tag {
				named := vsphere.NamedTag{Tag: vsphere.Tag{ID: id, CategoryID: "tier"}}
				return []assignment.Tag{{NamedTag: named, Single: single}}
			}
			l := new(assignment.Ledger)
			unlock, err := l.Lock(t.Context(), false, tag("bronze"))
			require.NoError(t, err)
			defer unlock()
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			_, err = l.Lock(ctx, false, tag("silver"))
			assert.Equal(t, single, err != nil)
		})
	}
}

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
		assert.True(t, ledger.HasPlannedMove(strconv.Itoa(i)), "got no move of tag %d, want one", i)
	}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// TestAttach_interrupted simulates Ctrl-C during the attach, after the former tag was detached. Restoring the former
// tag stops after the grace period, and the error lists the object.
func TestAttach_interrupted(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, interrupt := context.WithCancel(t.Context())
		server := roundTripper(func(r *http.Request) (*http.Response, error) {
			answer := `{"success":true}`
			switch {
			case strings.HasSuffix(r.URL.Path, "/session"):
				answer = `"session"`
			case strings.HasPrefix(r.URL.Query().Get("action"), "attach"):
				interrupt()
				<-r.Context().Done()
				return nil, r.Context().Err()
			}
			return &http.Response{
				StatusCode: http.StatusOK,
				Header:     http.Header{},
				Body:       io.NopCloser(strings.NewReader(answer)),
				Request:    r,
			}, nil
		})
		c, err := vsphere.New(vsphere.Config{
			Server:   "vc.example.com",
			User:     "u",
			Password: "p",
			Settings: transport.Settings{Wrap: func(http.RoundTripper) http.RoundTripper { return server }},
		})
		require.NoError(t, err)
		vm := vsphere.Object{Type: "VirtualMachine", ID: "vm-1"}
		gold := assignment.Tag{NamedTag: vsphere.NamedTag{Tag: vsphere.Tag{ID: "gold"}}, Single: true}
		began := time.Now() //nolint:forbidigo // the fake clock of synctest
		_, errs := new(assignment.Ledger).Attach(ctx, c, gold, []vsphere.Object{vm},
			map[vsphere.Object]string{vm: "silver"})
		took := time.Since(began) //nolint:forbidigo // the fake clock of synctest
		assert.LessOrEqual(t, took, transport.GracePeriod)
		assert.Positive(t, took, "the former tag was not restored after the interrupt")
		var bare *assignment.TagLostError
		require.ErrorAs(t, errors.Join(errs...), &bare)
		assert.False(t, bare.Certain, "got %v, want that it is unknown whether %s has a tag", errs, vm)
		assert.Len(t, bare.Objects, 1)
	})
}
