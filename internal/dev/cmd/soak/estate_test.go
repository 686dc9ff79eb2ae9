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

func TestTable(t *testing.T) {
	t.Parallel()
	all := table{}
	all.count(outcome{fault: noFault, absorbed: true}, false)
	all.count(outcome{fault: cut, struck: true, absorbed: true}, false)
	all.count(outcome{fault: cut, struck: true}, false)
	all.count(outcome{fault: cut}, false)
	all.count(outcome{fault: killBoth, struck: true}, true)
	var out strings.Builder
	all.print(&out)
	var got []string
	for line := range strings.Lines(out.String()) {
		got = append(got, strings.Join(strings.Fields(line), " "))
	}
	want := []string{
		"fault steps struck apply succeeded next apply healed differ",
		"none 1 0 0 0 0",
		"kill -9 of both 1 1 0 0 1",
		"connection cut 3 2 1 1 0",
		"all 5 3 1 1 1",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestRestoreState(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		state, backup, want string
		restored            bool
	}{
		"whole":              {`{"serial": 2}`, `{"serial": 1}`, `{"serial": 2}`, false},
		"emptied":            {"", `{"serial": 1}`, `{"serial": 1}`, true},
		"cut off":            {`{"serial": 2, "reso`, `{"serial": 1}`, `{"serial": 1}`, true},
		"emptied, no backup": {"", "none", "", false},
		"cut off, no backup": {`{"serial": 1, "reso`, "none", "", true},
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
			restored, err := restoreState(dir)
			if err != nil || restored != test.restored {
				t.Errorf("restored %t, %v", restored, err)
			}
			if got, _ := os.ReadFile(file); string(got) != test.want {
				t.Errorf("state is %q, want %q", got, test.want)
			}
		})
	}
	if restored, err := restoreState(t.TempDir()); err != nil || restored {
		t.Errorf("no state: restored %t, %v", restored, err)
	}
}
