// Command packages selects the packages of the module for the targets of the makefile, and checks their coverage:
//
//	packages core|others|cli|unit
//	packages cover FILE
//
// The core is the planning core, whose tests run with coverage. The packages of cli have tests that run Terraform.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path"
	"slices"
	"strings"
)

func main() {
	if err := run(context.Background(), os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, stdout io.Writer) error {
	if len(args) == 2 && args[0] == "cover" {
		file, err := os.Open(args[1]) //nolint:gosec // the makefile names the file
		if err != nil {
			return err
		}
		defer file.Close() //nolint:errcheck // nothing was written
		return checkCoverage(file, stdout)
	}
	if len(args) != 1 || sets[args[0]] == nil {
		return errors.New("usage: packages core|others|cli|unit, or packages cover FILE")
	}
	all, err := list(ctx)
	if err != nil {
		return err
	}
	for _, one := range all {
		if sets[args[0]](one) {
			fmt.Fprintln(stdout, one.ImportPath)
		}
	}
	return nil
}

// listed is a package as `go list` describes it.
type listed struct {
	ImportPath   string   `json:"ImportPath"`
	TestImports  []string `json:"TestImports"`
	XTestImports []string `json:"XTestImports"`
}

var sets = map[string]func(listed) bool{
	"core":   listed.isCore,
	"others": func(p listed) bool { return !p.isCore() },
	"cli":    listed.needsCLI,
	"unit":   func(p listed) bool { return !p.needsCLI() },
}

func (p listed) isCore() bool {
	name := strings.TrimPrefix(p.ImportPath, "terraform-provider-vsla/internal/")
	return name == "plan" || name == "whatif" || strings.HasPrefix(name, "plan/")
}

// needsCLI reports whether the tests import acctest, which runs a CLI.
func (p listed) needsCLI() bool {
	return slices.Contains(append(p.TestImports, p.XTestImports...), "terraform-provider-vsla/internal/dev/acctest")
}

func list(ctx context.Context) ([]listed, error) {
	command := exec.CommandContext(ctx, "go", "list", "-json=ImportPath,TestImports,XTestImports", "./...")
	command.Stderr = os.Stderr
	out, err := command.Output()
	if err != nil {
		return nil, err
	}
	var all []listed
	for decoder := json.NewDecoder(strings.NewReader(string(out))); ; {
		var one listed
		switch err := decoder.Decode(&one); {
		case errors.Is(err, io.EOF):
			return all, nil
		case err != nil:
			return nil, err
		}
		all = append(all, one)
	}
}

// minCoverage is the minimum coverage of each package, in percent.
const minCoverage = 95

// checkCoverage writes the share of the statements of each package that a coverage profile reached. It returns an error
// if one is below minCoverage.
func checkCoverage(profile io.Reader, stdout io.Writer) error {
	text, err := io.ReadAll(profile)
	if err != nil {
		return err
	}
	type block struct {
		statements float64
		reached    bool
	}
	blocks := make(map[string]block)
	for line := range strings.Lines(string(text)) {
		var at string
		var statements float64
		var count int
		if n, _ := fmt.Sscan(line, &at, &statements, &count); n < 3 { //nolint:mnd // the first line has fewer
			continue
		}
		blocks[at] = block{statements, blocks[at].reached || count > 0}
	}
	sums, reached := make(map[string]float64), make(map[string]float64)
	for at, b := range blocks {
		sums[path.Dir(at)] += b.statements
		if b.reached {
			reached[path.Dir(at)] += b.statements
		}
	}
	low := false
	for _, name := range slices.Sorted(maps.Keys(sums)) {
		share := 100 * reached[name] / sums[name]
		fmt.Fprintf(stdout, "%5.1f %% %s\n", share, name)
		low = low || share < minCoverage
	}
	if low || len(sums) == 0 {
		return fmt.Errorf("a package is below %d%%", minCoverage)
	}
	return nil
}
