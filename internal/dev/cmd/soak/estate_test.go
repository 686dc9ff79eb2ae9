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
)

// drawn returns what a seed decides: configurations and faults.
func drawn(t *testing.T, seed uint64) string {
	t.Helper()
	r, with := rand.New(rand.NewPCG(seed, 0)), service(seed%3)
	vms := []string{"vm-1", "vm-2", "vm-3", "vm-4", "vm-5", "vm-6"}
	first := newEstate(r, vms, with)
	moved, changed := first.moved(r, vms), first.changed(r, vms)
	text, err := json.Marshal([]estate{first, moved, changed})
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range []string{create, change, move, destroy} {
		text = append(text, draw(r, step, with).String()...)
	}
	for _, e := range []estate{first, moved, changed} {
		var tiered []string
		for _, tier := range e.Tiers {
			tiered = append(tiered, tier.VMs...)
		}
		slices.Sort(tiered)
		if len(e.Tiers) < 2 || len(slices.Compact(slices.Clone(tiered))) != len(tiered) {
			t.Errorf("seed %d: %d tiers, in which VMs occur twice: %v", seed, len(e.Tiers), tiered)
		}
		for vm, o := range e.Objects {
			for _, label := range o.Labels {
				if _, there := e.Labels[label]; !there {
					t.Errorf("seed %d: %s has the label %s, which there is not", seed, vm, label)
				}
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
		if again := drawn(t, seed); once != again {
			t.Fatalf("seed %d draws\n%s\nand then\n%s", seed, once, again)
		}
		all[once] = true
	}
	if len(all) != 200 {
		t.Errorf("200 seeds draw %d different runs", len(all))
	}
	faults := strings.Join(slices.Collect(func(yield func(string) bool) {
		for text := range all {
			if !yield(text) {
				return
			}
		}
	}), "")
	for _, name := range faultNames[1:] {
		if !strings.Contains(faults, name+" at ") {
			t.Errorf("200 seeds never draw %s", name)
		}
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
				if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if err := restoreState(dir); err != nil {
				t.Error(err)
			}
			if got, _ := os.ReadFile(file); string(got) != test.want {
				t.Errorf("state is %q, want %q", got, test.want)
			}
		})
	}
	if err := restoreState(t.TempDir()); err != nil {
		t.Errorf("no state: %v", err)
	}
}
