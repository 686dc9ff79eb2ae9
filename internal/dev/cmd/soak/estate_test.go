//go:build unix

package main

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// drawn returns what a seed decides: configurations and faults.
func drawn(t *testing.T, seed uint64) string {
	t.Helper()
	r, with := rand.New(rand.NewPCG(seed, 0)), service(seed%3)
	vms := []string{"vm-1", "vm-2", "vm-3", "vm-4", "vm-5", "vm-6"}
	first := newEstate(r, vms, with)
	moved, changed := first.moved(r, vms), first.changed(r, vms)
	text, err := json.Marshal([]estate{first, moved, changed})
	require.NoError(t, err)
	for _, step := range []string{create, change, move, destroy} {
		text = append(text, draw(r, step, with).String()...)
	}
	for _, e := range []estate{first, moved, changed} {
		var tiered []string
		for _, tier := range e.Tiers {
			tiered = append(tiered, tier.VMs...)
		}
		slices.Sort(tiered)
		require.GreaterOrEqual(t, len(e.Tiers), 2, seed)
		assert.Len(t, slices.Compact(slices.Clone(tiered)), len(tiered), seed)
		for vm, o := range e.Objects {
			for _, label := range o.Labels {
				_, there := e.Labels[label]
				assert.True(t, there, "seed %d: %s has the label %s, which there is not", seed, vm, label)
			}
		}
	}
	return string(text)
}

// TestSeeds: a seed decides everything, and each another.
func TestSeeds(t *testing.T) {
	t.Parallel()
	all := map[string]bool{}
	for seed := range uint64(200) {
		once := drawn(t, seed)
		require.Equal(t, drawn(t, seed), once, seed)
		all[once] = true
	}
	assert.Len(t, all, 200)
	faults := strings.Join(slices.Collect(func(yield func(string) bool) {
		for text := range all {
			if !yield(text) {
				return
			}
		}
	}), "")
	for _, name := range faultNames[1:] {
		assert.Contains(t, faults, name+" at ")
	}
}

func TestRestoreState(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		state, backup, want string
	}{
		"whole":              {`{"serial": 2}`, `{"serial": 1}`, `{"serial": 2}`},
		"emptied":            {"", `{"serial": 1}`, `{"serial": 1}`},
		"cut off":            {`{"serial": 2, "reso`, `{"serial": 1}`, `{"serial": 1}`},
		"emptied, no backup": {"", "none", ""},
		"cut off, no backup": {`{"serial": 1, "reso`, "none", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			file := filepath.Join(dir, "terraform.tfstate")
			for path, text := range map[string]string{file: test.state, file + ".backup": test.backup} {
				if text == "none" {
					continue
				}
				require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
			}
			assert.NoError(t, restoreState(dir))
			got, _ := os.ReadFile(file)
			assert.Equal(t, test.want, string(got))
		})
	}
	assert.NoError(t, restoreState(t.TempDir()))
}
