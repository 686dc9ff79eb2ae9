//go:build unix

package soak_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	framework "github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/dev/lab/gateway"
	"terraform-provider-vsla/internal/dev/lab/snapservice"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
	"terraform-provider-vsla/internal/dev/terraformcli"
	"terraform-provider-vsla/internal/provider"
	"terraform-provider-vsla/internal/provider/kit/connection"
	"terraform-provider-vsla/internal/transport"
)

var (
	runs = flag.Uint64("runs", 0, "number of runs")
	seed = flag.Uint64("seed", 1, "seed of the first run; each further run has the next one")
)

const (
	root      = "../../../.."
	callLimit = 3 * time.Minute
	// speedup is the factor by which the provider's waits are shortened.
	speedup = 50
	// idleTime is longer than a provider with shortened waits ever pauses between requests.
	idleTime = 250 * time.Millisecond
	// recoveryTime is the virtual time between a fault and its repair.
	recoveryTime = time.Minute
)

// TestMain serves the provider if Terraform starts the test binary as a plugin.
func TestMain(m *testing.M) {
	if os.Getenv("TF_PLUGIN_MAGIC_COOKIE") == "" {
		m.Run()
		return
	}
	sessions := &connection.Sessions{}
	start := time.Now() //nolint:forbidigo // the clock is accelerated like the waits, because cached lists expire
	options := provider.Options{
		Version:  "soak",
		Sessions: sessions,
		Now:      func() time.Time { return start.Add(speedup * time.Since(start)) }, //nolint:forbidigo // as above
		Sleep:    func(ctx context.Context, d time.Duration) error { return transport.Sleep(ctx, d/speedup) },
	}
	err := tf6server.Serve("registry.terraform.io/vsla/vsla", func() tfprotov6.ProviderServer {
		return provider.NewServer(resourcesOnly{provider.New(options)()})
	})
	_ = sessions.Close(context.Background()) // the test counts the remaining sessions
	if err != nil {
		log.Fatal(err)
	}
}

// resourcesOnly omits data sources, because returning their schemas takes longer than most calls.
type resourcesOnly struct{ framework.Provider }

func (resourcesOnly) DataSources(context.Context) []func() datasource.DataSource { return nil }

// TestSoak applies, changes and destroys random configurations with random faults. Each run depends only on its seed:
// `make soak RUNS=1 SEED=n` repeats the run with seed n.
func TestSoak(t *testing.T) {
	t.Parallel()
	if *runs == 0 {
		t.Skip("skipped: make soak runs it")
	}
	cli, err := terraformcli.Find(t.Context(), filepath.Join(root, "build"))
	require.NoError(t, err)
	self, err := os.Executable()
	require.NoError(t, err)
	plugins := t.TempDir()
	require.NoError(t, os.Symlink(self, filepath.Join(plugins, "terraform-provider-vsla")))
	var struck atomic.Int64
	t.Cleanup(func() { t.Logf("%d runs from seed %d: %d faults struck", *runs, *seed, struck.Load()) })
	for n := range *runs {
		t.Run(fmt.Sprintf("seed=%d", *seed+n), func(t *testing.T) {
			t.Parallel()
			s := newTrial(t, cli, plugins, *seed+n)
			s.run()
			struck.Add(s.triggeredCount)
		})
	}
}

type trial struct {
	*testing.T
	random         *rand.Rand
	lab            *acctest.Lab
	service        service
	gateway        *gateway.Gateway       // only with replication
	protection     *snapservice.Appliance // only with protection groups
	global         bool                   // the account has a global permission
	forced         bool                   // force_destroy
	destroys       bool                   // the step is a destroy
	hidden         []string               // VMs that a restricted account cannot read
	dir            string
	w              *terraformcli.Workspace
	vms            []string
	log            bytes.Buffer // output of all commands
	output         bytes.Buffer // output of the last command
	pid            atomic.Int64
	triggered      atomic.Bool // the fault of this step has occurred
	triggeredCount int64

	mu      sync.Mutex
	foreign map[association]bool
}

func newTrial(t *testing.T, cli terraformcli.CLI, plugins string, seed uint64) *trial {
	t.Helper()
	s := &trial{
		T:       t,
		dir:     t.TempDir(),
		foreign: map[association]bool{},
		random:  rand.New(rand.NewPCG(seed, 0)),
		lab:     acctest.Start(t, vcsim.Config{VMs: 10}),
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Log(s.log.String())
		}
	})
	if s.random.IntN(2) == 0 {
		s.lab.StoreOnVSAN(2)
		s.lab.AddFiles(14)
	}
	s.global = s.random.IntN(2) == 0
	s.hideLibraries()
	for _, vm := range s.lab.VMs() {
		s.vms = append(s.vms, vm.ID)
	}
	sites := map[string]string{"pairing": "", "vcenter": "", "datastore": "", "cluster": "", "pair": ""}
	switch s.service = pick(s.random, tagsOnly, replicates, replicates, groups); s.service {
	case replicates:
		s.replicate(sites)
	case groups:
		s.protect(sites)
	case tagsOnly:
	}
	require.NoError(t, terraformcli.CopyFiles("testdata", s.dir))
	s.set("sites", sites)
	var err error
	s.w, err = terraformcli.NewWorkspace(cli, s.dir, plugins, append(s.lab.Environment(),
		"VSLA_REPLICATION_REQUESTS_PER_MINUTE=0", "GOGC=400")...) // processes start faster with less garbage collection
	require.NoError(t, err)
	return s
}

func (s *trial) set(name string, value any) {
	text, err := json.Marshal(map[string]any{name: value})
	require.NoError(s, err)
	require.NoError(s, os.WriteFile(filepath.Join(s.dir, name+".auto.tfvars.json"), text, 0o600))
}

func (s *trial) run() {
	r := s.random
	names := []string{create, pick(r, change, move), destroy}
	faults := make([]stepFault, len(names))
	certain := r.IntN(len(names))
	s.forced = r.IntN(2) == 0
	for i, name := range names {
		if faults[i] = drawFault(r, name, s.service); i != certain && r.IntN(3) == 0 {
			faults[i] = stepFault{name: noFault}
		}
		// Tags attached by another client prevent a destroy unless force_destroy is set.
		s.forced = s.forced || faults[i].name == secondWriter
	}
	s.set("forced", s.forced)
	e := newEstate(r, s.vms, s.service)
	s.step(create, e, faults[0])
	if names[1] == move {
		e.move(r, s.vms)
	} else {
		e.change(r, s.vms)
	}
	s.step(names[1], e, faults[1])
	s.step(destroy, nil, faults[2])
}

// step applies the configuration want with a fault, repairs the result as a user would, and compares it with want. If
// want is nil, it runs a destroy instead.
func (s *trial) step(name string, want *estate, f stepFault) {
	if s.destroys = want == nil; !s.destroys {
		s.set("estate", want)
	}
	s.triggered.Store(false)
	s.inject(f)
	code := s.terraform(s.apply()...)
	s.checkForeignTags(f)
	s.cleanUp(f)
	triggered := s.triggered.Load()
	if triggered {
		s.triggeredCount++
	}
	s.Logf("%s, %s at %q after %d, %d times, handled %t: struck %t, exit code %d",
		name, f.name, f.kind, f.skip, f.times, f.handled, triggered, code)
	if !triggered {
		require.Zero(s, code, "the step failed without a fault")
	}
	if code != 0 || (triggered && f.name == secondWriter) {
		s.repair()
	}
	if triggered && want != nil {
		require.Equal(s, 0, s.runHealthy("plan", "-detailed-exitcode"), "the plan is empty")
	}
	s.compare(want)
}

// checkForeignTags checks that a destroy with a restricted account kept the tags of another client. It then detaches
// all tags from hidden VMs, as recommended by the error message.
func (s *trial) checkForeignTags(f stepFault) {
	if f.name != restricted || !s.destroys || s.forced {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lab.LimitAccess(vcsim.AccessPropagates)
	served, _ := s.serverLines()
	for a := range s.foreign {
		require.Contains(s, served, a.String(), "a destroy with a restricted account removes what it cannot see")
	}
	for _, tag := range s.lab.Tags().Tags() {
		for _, id := range s.hidden {
			s.detach(tag, id)
		}
	}
}

func (s *trial) cleanUp(f stepFault) {
	if f.name == killCLI {
		s.endOrphans()
	}
	s.clearFaults()
	file := filepath.Join(s.dir, "terraform.tfstate")
	// Terraform rewrites the state file in place, so killing it can truncate the file. If there is no backup, no write
	// has ever completed.
	if content, err := os.ReadFile(file); err == nil && !json.Valid(content) && os.Rename(file+".backup", file) != nil {
		require.NoError(s, os.Remove(file))
	}
	if !s.triggered.Load() || !f.mayLeakSession() {
		assert.Equal(s, 0, s.sessions(), "sessions are left open")
	}
	s.endSessions()
	if s.gateway != nil {
		s.gateway.Advance(recoveryTime)
	}
	if s.protection != nil {
		s.protection.Advance(recoveryTime)
	}
}

func (s *trial) apply() []string {
	if s.destroys {
		return []string{"destroy", "-auto-approve"}
	}
	return []string{"apply", "-auto-approve"}
}

var reorderedIDs = acctest.ErrorPattern(`inconsistent final plan .* \.(tag|object)_ids\[`)

// reapply runs an apply, and runs it again if it fails because of the order of IDs: an ID that is unknown in the plan
// can already be in the state at a different position. The failed apply changes nothing, and the next plan contains the
// ID.
func (s *trial) reapply() int {
	code := s.runHealthy(s.apply()...)
	if code != 0 && reorderedIDs.Match(s.output.Bytes()) {
		code = s.runHealthy(s.apply()...)
	}
	return code
}

// repair runs another apply. If a request of a killed provider took effect only after its plan, it runs one more. All
// resources adopt what exists, so no object has to be imported.
func (s *trial) repair() {
	if s.reapply() != 0 {
		require.Equal(s, 0, s.reapply(), "one more apply succeeds without imports")
	}
}

func (s *trial) runHealthy(args ...string) int {
	code := s.terraform(args...)
	assert.Equal(s, 0, s.sessions(), "sessions are left open")
	return code
}

// terraform runs the CLI in a process group with its provider and returns its exit code, or -1 if it was killed.
func (s *trial) terraform(args ...string) int {
	ctx, cancel := context.WithTimeout(s.Context(), callLimit)
	defer cancel()
	s.output.Reset()
	cmd := s.w.Command(ctx, append(args, "-input=false", "-no-color")...)
	cmd.Stdout, cmd.Stderr = &s.output, &s.output
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	require.NoError(s, cmd.Start())
	s.pid.Store(int64(cmd.Process.Pid))
	_ = cmd.Wait() // ProcessState contains the exit code
	fmt.Fprintf(&s.log, "$ terraform %s\n%s", strings.Join(args, " "), &s.output)
	require.NoError(s, ctx.Err())
	return cmd.ProcessState.ExitCode()
}

// endOrphans waits until the provider of a killed Terraform process is idle, then kills it.
func (s *trial) endOrphans() {
	for seen := -1; seen != s.requests(); time.Sleep(idleTime) {
		seen = s.requests()
	}
	s.signal(killBoth)
}

func (s *trial) requests() int {
	n := s.lab.Traffic().Total()
	if s.gateway != nil {
		n += s.gateway.Traffic().Total()
	}
	return n
}

func (s *trial) signal(name string) {
	pid := int(s.pid.Load())
	switch name {
	case interrupt:
		_ = syscall.Kill(-pid, syscall.SIGINT) // Ctrl-C in a terminal also signals the whole process group
	case killBoth:
		_ = syscall.Kill(-pid, syscall.SIGKILL)
	case killCLI:
		_ = syscall.Kill(pid, syscall.SIGKILL)
	case killProvider:
		_ = exec.Command("pkill", "-KILL", "-P", strconv.Itoa(pid)).Run() //nolint:noctx // ends immediately
	}
}
