//go:build unix

// Command soak runs Terraform with the provider against simulated servers while things break, and compares server,
// state and configuration after each step: one more apply must heal every kill, cut, loss and refusal.
//
// Each run draws its configuration, its changes and its faults from a seed: `make soak RUNS=1 SEED=n` repeats the run
// that a line of the output names.
package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"terraform-provider-vsla/internal/dev/terraformcli"
)

const (
	buildDir = "build/soak"
	parallel = 2
	progress = 50
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

type options struct {
	runs int
	seed uint64
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	var o options
	flags := flag.NewFlagSet("soak", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.IntVar(&o.runs, "runs", 20, "number of runs")
	flags.Uint64Var(&o.seed, "seed", 1, "seed of the first run; each further run has the next one")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	if o.runs < 1 || flags.NArg() > 0 {
		fmt.Fprintln(stderr, "soak: -runs must be at least 1, and there are no other arguments")
		return 2
	}
	s, err := prepare(ctx, stdout)
	if err != nil {
		fmt.Fprintln(stderr, "soak:", err)
		return 1
	}
	begin := time.Now() //nolint:forbidigo // reports how long it takes
	s.all(ctx, o)
	took := time.Since(begin) //nolint:forbidigo // reports how long it takes
	fmt.Fprintf(stdout, "%d runs from seed %d in %s: %d faults struck, %d runs with differences\n",
		s.finished, o.seed, took.Round(time.Second), s.struck, s.failed)
	if s.failed > 0 || s.finished < o.runs {
		return 1
	}
	return 0
}

type soak struct {
	cli      terraformcli.CLI
	provider string
	out      io.Writer

	mu sync.Mutex

	finished, failed, struck int
}

func prepare(ctx context.Context, out io.Writer) (*soak, error) {
	cli, err := terraformcli.FindOrBuild(ctx, "build", out)
	if err != nil {
		return nil, err
	}
	fmt.Fprintln(out, "Using", cli)
	if err := terraformcli.BuildVariant(ctx, ".", "./internal/dev/cmd/soak/provider", buildDir, out); err != nil {
		return nil, fmt.Errorf("build the provider: %w", err)
	}
	return &soak{cli: cli, provider: buildDir, out: out}, nil
}

func (s *soak) all(ctx context.Context, o options) {
	seeds := make(chan uint64)
	var workers sync.WaitGroup
	for range parallel {
		workers.Go(func() {
			for seed := range seeds {
				s.one(ctx, seed)
			}
		})
	}
	for i := range o.runs {
		if ctx.Err() != nil {
			break
		}
		seeds <- o.seed + uint64(i)
	}
	close(seeds)
	workers.Wait()
}

func (s *soak) one(ctx context.Context, seed uint64) {
	struck, log, err := s.try(ctx, seed)
	if ctx.Err() != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.finished++
	s.struck += struck
	if s.finished%progress == 0 {
		fmt.Fprintf(s.out, "%d runs, %d with differences\n", s.finished, s.failed)
	}
	if err == nil {
		return
	}
	s.failed++
	fmt.Fprintf(s.out, "seed %d: %v\n", seed, err)
	file := filepath.Join(buildDir, fmt.Sprintf("seed-%d.log", seed))
	if err := os.WriteFile(file, []byte(strings.ReplaceAll(log, "\x00", "")), 0o600); err == nil {
		fmt.Fprintf(s.out, "seed %d: the output of the CLI is in %s\n", seed, file)
	}
}

func (s *soak) try(ctx context.Context, seed uint64) (struck int, log string, err error) {
	dir, err := os.MkdirTemp("", "vsla-soak-")
	if err != nil {
		return 0, "", err
	}
	defer func() { err = cmp.Or(err, os.RemoveAll(dir)) }()
	t, err := newTrial(ctx, s.cli, s.provider, dir, seed)
	if err != nil {
		return 0, "", err
	}
	defer t.close()
	struck, err = t.run(ctx)
	return struck, t.log.String(), err
}
