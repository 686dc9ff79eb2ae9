//go:build unix

package main

import (
	"bytes"
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"terraform-provider-vsla/internal/dev/lab/gateway"
	"terraform-provider-vsla/internal/dev/lab/snapservice"
	"terraform-provider-vsla/internal/dev/lab/tagging"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
	"terraform-provider-vsla/internal/dev/terraformcli"
)

//go:embed estate.tf
var configuration []byte

const (
	vmCount = 10
	passes  = time.Minute
)

type trial struct {
	random     *rand.Rand
	dir        string
	lab        *vcsim.VCenter
	recovery   *vcsim.VCenter
	with       service
	gateway    *gateway.Gateway       // of a run with replication
	protection *snapservice.Appliance // of a run with groups
	global     bool                   // the account has a global permission
	forced     bool                   // force_destroy
	destroys   bool                   // the step does
	hidden     []string               // VMs that a restricted account cannot read
	w          *terraformcli.Workspace
	vms        []string
	log        bytes.Buffer

	mu      sync.Mutex
	pid     int
	struck  bool // the fault of the step
	foreign map[string]bool
}

func newTrial(ctx context.Context, cli terraformcli.CLI, provider, dir string, seed uint64) (t *trial, err error) {
	t = &trial{
		random: rand.New(rand.NewPCG(seed, 0)), //nolint:gosec // repeatable by its seed
		dir:    dir, foreign: map[string]bool{},
	}
	defer func() {
		if err != nil {
			t.close()
		}
	}()
	if t.lab, err = vcsim.Start(ctx, vcsim.Config{VMs: vmCount}); err != nil {
		return t, err
	}
	if t.random.IntN(2) == 0 {
		t.lab.StoreOnVSAN(2)
		t.lab.AddFiles(14)
	}
	t.global = t.random.IntN(2) == 0
	t.hideLibraries()
	for _, vm := range t.lab.VMs() {
		t.vms = append(t.vms, vm.ID)
	}
	ca := filepath.Join(dir, "ca.pem")
	certificates := t.lab.CAPEM()
	env := []string{
		"VSPHERE_SERVER=" + t.lab.URL(), "VSPHERE_USER=" + t.lab.User(), "VSPHERE_PASSWORD=" + t.lab.Password(),
		"VSLA_CA_FILE=" + ca, "VSLA_REPLICATION_REQUESTS_PER_MINUTE=0",
		"GOGC=400", // most of a run's time is the start of programs
	}
	sites := map[string]string{"pairing": "", "vcenter": "", "datastore": "", "cluster": "", "pair": ""}
	switch t.with = pick(t.random, tagsOnly, replicates, replicates, groups); t.with {
	case replicates:
		if env, err = t.replicate(ctx, env, sites); err != nil {
			return t, err
		}
		certificates = slices.Concat(certificates, t.gateway.CAPEM())
	case groups:
		if err = t.protect(ctx, sites); err != nil {
			return t, err
		}
		env = append(env, "VSLA_DATA_PROTECTION_SERVER="+t.protection.URL())
		certificates = slices.Concat(certificates, t.protection.CAPEM())
	case tagsOnly:
	}
	if err = os.WriteFile(ca, certificates, 0o600); err != nil {
		return t, err
	}
	if err = os.WriteFile(filepath.Join(dir, "estate.tf"), configuration, 0o600); err != nil {
		return t, err
	}
	if err = t.set("sites", sites); err != nil {
		return t, err
	}
	t.w, err = terraformcli.NewWorkspace(cli, dir, provider, env...)
	return t, err
}

func (t *trial) set(name string, value any) error {
	text, err := json.Marshal(map[string]any{name: value})
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(t.dir, name+".auto.tfvars.json"), text, 0o600)
}

// run takes all steps and counts faults. It stops at the first difference.
func (t *trial) run(ctx context.Context) (struck int, err error) {
	r := t.random
	first := newEstate(r, t.vms, t.with)
	second, step := first, pick(r, change, move)
	if step == change {
		second = first.changed(r, t.vms)
	} else {
		second = first.moved(r, t.vms)
	}
	faulty := []bool{r.IntN(3) > 0, r.IntN(3) > 0, r.IntN(3) > 0}
	faulty[r.IntN(3)] = true
	steps := []struct {
		name string
		want *estate
		plan plan
	}{{name: create, want: &first}, {name: step, want: &second}, {name: destroy}}
	t.forced = r.IntN(2) == 0
	for i := range steps {
		steps[i].plan = plan{name: noFault}
		if drawn := draw(r, steps[i].name, t.with); faulty[i] {
			steps[i].plan = drawn
		}
		// Tags of another client would prevent the destroy.
		t.forced = t.forced || steps[i].plan.name == secondWriter
	}
	if err := t.set("forced", t.forced); err != nil {
		return 0, err
	}
	for _, s := range steps {
		t.destroys = s.want == nil
		t.struck = false
		err := t.step(ctx, s.name, s.want, s.plan)
		if t.struck {
			struck++
		}
		if err != nil {
			return struck, fmt.Errorf("%s, %s: %w", s.name, s.plan, err)
		}
	}
	return struck, nil
}

func (p plan) String() string {
	if p.name == noFault {
		return "no fault"
	}
	return fmt.Sprintf("%s at %q after %d of them, %d times, handled %t", p.name, p.kind, p.skip, p.times, p.handled)
}

// step applies a configuration with a fault, nil to destroy, repairs it like a user and compares.
func (t *trial) step(ctx context.Context, name string, want *estate, p plan) error {
	if want != nil {
		if err := t.set("estate", want); err != nil {
			return err
		}
	}
	t.arm(p, func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.struck = true
	})
	code, err := t.terraform(ctx, apply(want)...)
	if err != nil {
		return err
	}
	if err := cmp.Or(t.untouched(p), t.settle(ctx, p)); err != nil {
		return err
	}
	if !t.struck && code != 0 {
		return fmt.Errorf("%s failed without a fault: %s", name, t.firstError())
	}
	if code != 0 || (t.struck && p.name == secondWriter) {
		if err := t.heal(ctx, want); err != nil {
			return err
		}
	}
	if t.struck && want != nil {
		if err := t.planned(ctx); err != nil {
			return err
		}
	}
	return t.compare(want)
}

// untouched checks that a destroy with a restricted account kept the tags of another client. Then it detaches all tags
// from hidden VMs, as the error message advises.
func (t *trial) untouched(p plan) error {
	if p.name != restricted || !t.destroys || t.forced {
		return nil
	}
	t.lab.LimitAccess(vcsim.AccessPropagates)
	t.mu.Lock()
	defer t.mu.Unlock()
	for name := range t.foreign {
		if _, there := served(t.lab.Tags(), nil, nil).things[name]; !there {
			return fmt.Errorf("destroy with a restricted account has removed %s, which it cannot see", name)
		}
	}
	for _, tag := range t.lab.Tags().Tags() {
		for _, vm := range t.hidden {
			t.detach(tag, tagging.Object{Type: "VirtualMachine", ID: vm})
		}
	}
	return nil
}

// settle removes the fault, repairs a truncated state file and counts sessions.
func (t *trial) settle(ctx context.Context, p plan) error {
	if p.name == killCLI {
		t.endOrphans(ctx)
	}
	t.mend()
	if err := restoreState(t.dir); err != nil {
		return err
	}
	if open := t.sessions(); open > 0 && (!t.struck || !p.leaves()) {
		return fmt.Errorf("%d sessions are left open", open)
	}
	t.endSessions()
	if t.gateway != nil {
		t.gateway.Advance(passes)
	}
	if t.protection != nil {
		t.protection.Advance(passes)
	}
	return nil
}

// planned requires an empty plan.
func (t *trial) planned(ctx context.Context) error {
	switch code, err := t.healthy(ctx, "plan", "-detailed-exitcode", "-input=false", "-no-color"); {
	case err != nil:
		return err
	case code == 2:
		return errors.New("the plan is not empty")
	case code != 0:
		return fmt.Errorf("plan failed: %s", t.firstError())
	}
	return nil
}

// restoreState restores the backup of a truncated state file, which Terraform rewrites in place. Without a backup it
// removes the file.
func restoreState(dir string) error {
	file := filepath.Join(dir, "terraform.tfstate")
	content, err := os.ReadFile(file) //nolint:gosec // of a folder of this run
	if errors.Is(err, fs.ErrNotExist) || json.Valid(content) {
		return nil
	}
	if err != nil {
		return err
	}
	backup, err := os.ReadFile(file + ".backup") //nolint:gosec // of a folder of this run
	if errors.Is(err, fs.ErrNotExist) && len(content) == 0 {
		return nil // the first apply has locked the file, and has written nothing yet
	}
	if err != nil || !json.Valid(backup) {
		return os.Remove(file)
	}
	return os.WriteFile(file, backup, 0o600) //nolint:gosec // in a folder of this run
}

func apply(want *estate) []string {
	command := "apply"
	if want == nil {
		command = "destroy"
	}
	return []string{command, "-auto-approve", "-input=false", "-no-color"}
}

// reordered matches errors about the order of ids.
var reordered = regexp.MustCompile(`inconsistent final plan .* \.(tag|object)_ids\[`)

// reapply applies, and again after an error about the order of ids: an id that is unknown in the plan may already be in
// state, in another order. Nothing is changed then, and the next plan knows the id.
func (t *trial) reapply(ctx context.Context, want *estate) (int, error) {
	code, err := t.healthy(ctx, apply(want)...)
	if err == nil && code != 0 && reordered.MatchString(t.firstError()) {
		return t.healthy(ctx, apply(want)...)
	}
	return code, err
}

// heal applies again, if necessary after the imports that the error advises.
func (t *trial) heal(ctx context.Context, want *estate) error {
	code, err := t.reapply(ctx, want)
	if err != nil || code == 0 {
		return err
	}
	blocks := t.imports()
	if blocks == "" {
		return fmt.Errorf("one more apply failed: %s", t.firstError())
	}
	file := filepath.Join(t.dir, "import.tf")
	if err := os.WriteFile(file, []byte(blocks), 0o600); err != nil {
		return err
	}
	code, err = t.reapply(ctx, want)
	if err != nil {
		return err
	}
	if code != 0 {
		return fmt.Errorf("the apply with import blocks failed: %s", t.firstError())
	}
	return os.Remove(file)
}

var importID = regexp.MustCompile(`id = "([^"]+)"`)

// imports returns import blocks for the ids in the last output.
func (t *trial) imports() string {
	addresses := map[string]string{} // by id
	if t.gateway != nil {
		for _, r := range t.gateway.Replications() {
			addresses[r.ID] = fmt.Sprintf("vsla_replication.vm[%q]", moid(r.VM))
		}
	}
	if t.protection != nil {
		for _, g := range t.protection.Groups() {
			addresses[g.ID] = fmt.Sprintf("vsla_protection_group.group[%q]", g.Info.Name)
		}
	}
	var blocks strings.Builder
	for _, found := range importID.FindAllStringSubmatch(t.last(), -1) {
		to := addresses[path.Base(found[1])]
		if to != "" && !strings.Contains(blocks.String(), found[1]) {
			fmt.Fprintf(&blocks, "import {\n  to = %s\n  id = %q\n}\n", to, found[1])
		}
	}
	return blocks.String()
}

// compare returns differences between server, state and configuration as an error.
func (t *trial) compare(want *estate) error {
	content, err := os.ReadFile(filepath.Join(t.dir, "terraform.tfstate"))
	if err != nil {
		return err
	}
	state, err := recorded(content)
	if err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.foreign = kept(want, t.foreign)
	found := differences(configured(want), t.foreign, served(t.lab.Tags(), t.gateway, t.protection), state)
	if len(found) > 0 {
		return errors.New(strings.Join(found, "; "))
	}
	return nil
}
