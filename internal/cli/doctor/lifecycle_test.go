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

func (l *lab) write(vm string) { l.options.Write, l.options.Prefix, l.options.VM = true, "test", vm }

func TestWrite(t *testing.T) {
	t.Parallel()
	for _, release := range []tagging.Release{
		tagging.Release70,
		tagging.Release80,
		tagging.Release90,
		tagging.Release91,
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
			assert.Equal(t, wanted, got["write-attach"], "%+v", release)
			assert.Equal(t, wanted, got["write-atomic"], "%+v", release)
			assert.False(t, report.WriteFailed(), "%s: %v\n%s", release, got, text)
			assert.Contains(t, text, "The life cycle of a tag was run and left no objects behind.")
			attached := l.Traffic().Count("POST tag-association:attach-tag-to-multiple-objects")
			assert.Equal(t, attach, attached > 0)
			l.empty(t)
		}
	}
}

var steps = []string{
	"POST category", "POST tag", "PATCH tag/{id}", "POST tag-association:attach-tag-to-multiple-objects",
	"POST tag-association:detach-tag-from-multiple-objects", "PATCH /api/vcenter/tagging/associations",
	"DELETE tag/{id}", "DELETE category/{id}",
}

func TestWrite_failures(t *testing.T) {
	t.Parallel()
	for name, rule := range map[string]fault.Rule{
		"refused":     {Times: 1, Status: http.StatusForbidden},
		"broken":      {Times: 5, Status: http.StatusInternalServerError}, // the maximum number of attempts per request
		"cut":         {Times: 5, CloseConnection: true},
		"answer lost": {Times: 5, CloseConnection: true, HandleFirst: true},
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
				assert.Empty(t, report.Remaining)
				assert.NotEqual(t, 0, l.Traffic().Count(kind), "the fault did not strike")
				if name != "answer lost" || !strings.HasPrefix(kind, "POST ") || strings.Contains(kind, ":") {
					assert.True(t, report.WriteFailed(), "no step failed\n%s", text)
				}
			})
		}
	}
}

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
				assert.Empty(t, report.Remaining)
				assert.True(t, report.Interrupted, "left %q, interrupted %v", report.Remaining, report.Interrupted)
				assert.Contains(t, text, "The run was interrupted.")
			})
		}
	}
}

// TestWrite_createdLate verifies that no object is left behind if an interrupted create succeeds after the first
// delete.
func TestWrite_createdLate(t *testing.T) {
	t.Parallel()
	l := start(t, vcsim.Config{Release: tagging.Release91})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	deleted, created := make(chan struct{}), make(chan struct{})
	l.Traffic().Break(fault.Rule{
		Kind: "POST category", Times: 1, Before: func(*http.Request) { cancel(); <-deleted },
		After: func(*http.Request) { close(created) },
	})
	l.Traffic().Break(fault.Rule{
		Kind: "DELETE category/{id}", Times: 1, After: func(*http.Request) { close(deleted); <-created },
	})
	l.write("")
	report, _ := l.run(ctx, t)
	l.empty(t)
	assert.Empty(t, report.Remaining)
}

func TestWrite_left(t *testing.T) {
	t.Parallel()
	l := start(t, vcsim.Config{})
	l.write("")
	l.Tags().Deny(tagging.Delete, true)
	report, text := l.run(t.Context(), t)
	require.Len(t, report.Remaining, 2)
	require.True(t, report.WriteFailed(), "left %q of %v", report.Remaining, l.Tags().Leftovers())
	require.Len(t, l.Tags().Categories(), 1)
	require.Len(t, l.Tags().Tags(), 1)
	name := l.Tags().Categories()[0].Name
	assert.True(t, strings.HasPrefix(name, "test-doctor-"), "left %q, want those of %q", report.Remaining, name)
	assert.Equal(t, "the tag "+name, report.Remaining[0])
	assert.Equal(t, "the tag category "+name, report.Remaining[1])
	require.NotContains(t, text, name)
	assert.Contains(t, text, "left 2 objects behind.")
}

func TestCheckWrite(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		options doctor.Options
		want    string
	}{
		{doctor.Options{}, ""},
		{doctor.Options{Write: true, Prefix: "a-b_1"}, ""},
		{doctor.Options{Write: true, Prefix: "a", VM: "vm-42"}, ""},
		{doctor.Options{Write: true}, "--write requires --prefix"},
		{doctor.Options{Prefix: "a"}, "require --write"},
		{doctor.Options{VM: "vm-1"}, "require --write"},
		{doctor.Options{Write: true, Prefix: "a b"}, "--prefix must be"},
		{doctor.Options{Write: true, Prefix: strings.Repeat("a", 41)}, "--prefix must be"},
		{doctor.Options{Write: true, Prefix: "a", VM: "web"}, "--vm must be"},
	} {
		err := test.options.CheckWrite()
		require.Equal(t, test.want == "", err == nil)
		if err != nil {
			assert.Contains(t, err.Error(), test.want, "%+v", test.options)
		}
	}
}
