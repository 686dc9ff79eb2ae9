package doctor_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/cli/doctor"
	"terraform-provider-vsla/internal/dev/lab/fault"
	"terraform-provider-vsla/internal/dev/lab/tagging"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
)

func (l *lab) write(vm string) {
	l.options.Write, l.options.Prefix, l.options.VM = true, "test", vm
}

// TestWrite: the life cycle runs on every release, and leaves nothing.
func TestWrite(t *testing.T) {
	t.Parallel()
	for _, release := range []tagging.Release{
		tagging.Release70, tagging.Release80, tagging.Release90, tagging.Release91,
	} {
		for _, attach := range []bool{false, true} {
			l := start(t, vcsim.Config{Release: release})
			l.write("")
			wanted := doctor.Unknown
			if attach {
				l.write(l.VMs()[0].ID)
				wanted = doctor.OK
			}
			report, text := l.run(t.Context(), t)
			got := results(t, report)
			for _, id := range []string{"write-category", "write-tag", "write-change", "write-list", "write-delete"} {
				assert.Equal(t, doctor.OK, got[id], "%v, %v", release, text)
			}
			assert.True(t, got["write-attach"] == wanted && got["write-atomic"] == wanted && !report.WriteFailed(),
				"%s: %v\n%s", release, got, text)
			assert.Contains(t, text, "A tag's life cycle was run, and nothing of it is left.")
			attached := l.Traffic().Count("POST tag-association:attach-tag-to-multiple-objects")
			assert.Equal(t, attach, attached > 0)
			l.empty(t)
		}
	}
}

// steps are the requests of the life cycle that change something.
var steps = []string{
	"POST category", "POST tag", "PATCH tag/{id}", "POST tag-association:attach-tag-to-multiple-objects",
	"POST tag-association:detach-tag-from-multiple-objects", "PATCH /api/vcenter/tagging/associations",
	"DELETE tag/{id}", "DELETE category/{id}",
}

// TestWrite_failures: whatever step fails, and however, nothing is left, and the report has the failed step.
func TestWrite_failures(t *testing.T) {
	t.Parallel()
	for name, rule := range map[string]fault.Rule{
		"refused":     {Times: 1, Status: http.StatusForbidden},
		"broken":      {Times: 5, Status: http.StatusInternalServerError}, // a request is sent five times at most
		"cut":         {Times: 5, Cut: true},
		"answer lost": {Times: 5, Cut: true, Done: true},
	} {
		for _, kind := range steps {
			t.Run(name+" "+kind, func(t *testing.T) {
				t.Parallel()
				l := start(t, vcsim.Config{Release: tagging.Release91})
				l.write(l.VMs()[0].ID)
				rule.Kind = kind
				l.Traffic().Break(rule)
				report, text := l.run(t.Context(), t)
				l.empty(t)
				assert.Empty(t, report.Left)
				assert.NotEqual(t, 0, l.Traffic().Count(kind), "the fault did not strike")
				assert.True(t, name == "answer lost" && strings.HasPrefix(kind, "POST ") && !strings.Contains(kind, ":") ||
					report.WriteFailed(), "no step failed\n%s", text)
			})
		}
	}
}

// TestWrite_interrupted: Ctrl-C at any step of the life cycle leaves nothing.
func TestWrite_interrupted(t *testing.T) {
	t.Parallel()
	for _, kind := range steps {
		for _, after := range []bool{false, true} {
			t.Run(kind, func(t *testing.T) {
				t.Parallel()
				l := start(t, vcsim.Config{Release: tagging.Release91})
				l.write(l.VMs()[0].ID)
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				rule := fault.Rule{Kind: kind, Times: 1, Before: func(*http.Request) { cancel() }}
				if after {
					rule.Before, rule.After = nil, rule.Before
				}
				l.Traffic().Break(rule)
				report, text := l.run(ctx, t)
				l.empty(t)
				assert.True(t, len(report.Left) == 0 && report.Interrupted && strings.Contains(text, "The run was interrupted."),
					"left %q, interrupted %v", report.Left, report.Interrupted)
			})
		}
	}
}

// TestWrite_createdLate: an interrupted create that the server carries out after the first delete leaves nothing.
func TestWrite_createdLate(t *testing.T) {
	t.Parallel()
	l := start(t, vcsim.Config{Release: tagging.Release91})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	deleted, created := make(chan struct{}), make(chan struct{})
	l.Traffic().Break(fault.Rule{
		Kind: "POST category", Times: 1,
		Before: func(*http.Request) { cancel(); <-deleted },
		After:  func(*http.Request) { close(created) },
	})
	l.Traffic().Break(fault.Rule{
		Kind: "DELETE category/{id}", Times: 1, After: func(*http.Request) { close(deleted); <-created },
	})
	l.write("")
	report, _ := l.run(ctx, t)
	l.empty(t)
	assert.Empty(t, report.Left)
}

// TestWrite_left: what cannot be removed is named for the user, and counted in the report.
func TestWrite_left(t *testing.T) {
	t.Parallel()
	l := start(t, vcsim.Config{})
	l.write("")
	l.Tags().Deny(tagging.Delete, true)
	report, text := l.run(t.Context(), t)
	if len(report.Left) != 2 || !report.WriteFailed() || len(l.Tags().Categories()) != 1 || len(l.Tags().Tags()) != 1 {
		t.Fatalf("left %q of %v", report.Left, l.Tags().Leftovers())
	}
	name := l.Tags().Categories()[0].Name
	if !strings.HasPrefix(name, "test-doctor-") || report.Left[0] != "the tag "+name ||
		report.Left[1] != "the tag category "+name {
		t.Errorf("left %q, want those of %q", report.Left, name)
	}
	require.NotContains(t, text, name)
	assert.Contains(t, text, "2 objects that it created are left.")
}

// TestCheckWrite: what --write needs.
func TestCheckWrite(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		options doctor.Options
		want    string
	}{
		{doctor.Options{}, ""},
		{doctor.Options{Write: true, Prefix: "a-b_1"}, ""},
		{doctor.Options{Write: true, Prefix: "a", VM: "vm-42"}, ""},
		{doctor.Options{Write: true}, "--write needs --prefix"},
		{doctor.Options{Prefix: "a"}, "need --write"},
		{doctor.Options{VM: "vm-1"}, "need --write"},
		{doctor.Options{Write: true, Prefix: "a b"}, "--prefix must be"},
		{doctor.Options{Write: true, Prefix: strings.Repeat("a", 41)}, "--prefix must be"},
		{doctor.Options{Write: true, Prefix: "a", VM: "web"}, "--vm must be"},
	} {
		err := test.options.CheckWrite()
		require.Equal(t, test.want == "", err == nil)
		assert.False(t, err != nil && !strings.Contains(err.Error(), test.want),
			"%+v: got %v, want %q", test.options, err, test.want)
	}
}
