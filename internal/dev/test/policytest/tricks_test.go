// Inputs that flatter a verdict: each trick makes a bad result good, and the bounds of the settings refuse it.

package policytest_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"terraform-provider-vsla/internal/dev/terraformcli"
)

// source is a data source with its arguments in HCL, and the bounds of the settings for it.
type source struct {
	Kind, Bad string
	Link      bool
	Args      map[string]string
	Bounds    document
}

// block writes a data source in HCL; an empty argument is left out.
func (s source) block(name string, changed map[string]string) string {
	args := maps.Clone(s.Args)
	maps.Copy(args, changed)
	var text strings.Builder
	fmt.Fprintf(&text, "\ndata %q %q {\n", s.Kind, name)
	for _, arg := range slices.Sorted(maps.Keys(args)) {
		if args[arg] != "" {
			fmt.Fprintf(&text, "  %s = %s\n", arg, args[arg])
		}
	}
	return text.String() + "}\n"
}

// TestGate_tricks plans all honest results and all tricks at once. Without bounds the honest ones are denied and every
// trick passes; with bounds no trick does.
func TestGate_tricks(t *testing.T) {
	t.Parallel()
	table := load[struct {
		Honest map[string]source
		Tricks []struct {
			Name, Of, Code string
			Args           map[string]string
		}
	}](t, testdata, "tricks.yaml")
	var links, bare, bounded []any
	hcl, honest, tricks := "", map[string]string{}, map[string]string{}
	add := func(s source, name string, changed map[string]string) string {
		name = strings.ReplaceAll(name, " ", "_")
		address := "data." + s.Kind + "." + name
		hcl += s.block(name, changed)
		item := maps.Clone(s.Bounds)
		item["address"] = address
		bare, bounded = append(bare, document{"address": address}), append(bounded, item)
		if s.Link {
			links = append(links, document{"address": address, "concurrent_migrations": 4})
		}
		return address
	}
	for name, s := range table.Honest {
		honest[add(s, name, nil)] = s.Bad
	}
	for _, c := range table.Tricks {
		tricks[add(table.Honest[c.Of], c.Name, c.Args)] = c.Code
	}
	gate := func(expected []any) document {
		return document{"gate": document{"expected": expected, "vmotion_links": links}}
	}
	each(t, func(t *testing.T, cli terraformcli.CLI) {
		t.Helper()
		plan := open(t, cli, testdata+"/tricks").add(t, "tricks.tf", hcl).plan(t, 0)
		both := judge(t, plan, map[string]document{"bare": gate(bare), "bounded": gate(bounded)})
		denied := both["bare"]
		for address, code := range honest {
			if !slices.Contains(denied[address], code) {
				t.Errorf("honest %s: denied %q, want %s", address, denied[address], code)
			}
		}
		for address := range tricks {
			if len(denied[address]) > 0 {
				t.Errorf("%s does not flatter its verdict: %q", address, denied[address])
			}
		}
		denied = both["bounded"]
		for address := range honest {
			if slices.ContainsFunc(denied[address], func(c string) bool { return strings.HasPrefix(c, "input_") }) {
				t.Errorf("honest %s: denied %q, want it within its bounds", address, denied[address])
			}
		}
		for address, code := range tricks {
			if !slices.Contains(denied[address], code) {
				t.Errorf("%s: denied %q, want %s", address, denied[address], code)
			}
		}
	})
}
