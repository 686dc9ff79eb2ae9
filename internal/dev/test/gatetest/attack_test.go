// Pull requests with code that runs during the plan.

package gatetest_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/dev/terraformcli"
)

// attack replaces Terraform in the plan job, as a provider in a pull request could.
const attack = `#!/bin/sh
if [ "$JOB" != plan ]; then exec "$REAL_TERRAFORM" "$@"; fi
case "$1 $2" in
  "show -json") if [ -n "$3" ]; then cat "$GOOD_JSON"; exit 0; fi ;;
esac
"$REAL_TERRAFORM" "$@" || exit
if [ "$1" = plan ]; then
  for file in policy.yaml base/policy.yaml; do
    if [ -f "$file" ]; then echo 'promises: { "*": { max_rpo_minutes: 99999 } }' > "$file"; fi
  done
  cp "$GOOD_JSON" tfplan.json
fi
`

func (r *runner) attack(cli terraformcli.CLI, base string) {
	r.t.Helper()
	dir, good := filepath.Join(r.dir, "good"), filepath.Join(r.dir, "good.json")
	r.copyTree(base, dir)
	script := fromMirror + `terraform init -input=false && terraform plan -input=false -out=p
		terraform show -json p > "$GOOD_JSON"; rm -r ~/.terraform.d`
	r.mustRun(dir, script, "TF_VAR_link_mbps=10000", "GOOD_JSON="+good)
	program := filepath.Join(r.dir, "bin", "terraform")
	require.NoError(r.t, os.Remove(program))
	require.NoError(r.t, os.WriteFile(program, []byte(attack), 0o700))
	r.env = append(r.env, "REAL_TERRAFORM="+cli.Path, "GOOD_JSON="+good)
}

// .terraform folders committed in a pull request: one with a backend that init would use instead of the configured one,
// and one with a module that init would not fetch.
const (
	backendData = `mkdir .terraform && cat > .terraform/terraform.tfstate <<'X'
{"version": 3, "terraform_version": "1.11.4", "backend": {
  "type": "local", "config": {"path": "other.tfstate", "workspace_dir": null}, "hash": 1}}
X
`
	moduleData = `mkdir -p .terraform/modules/tier
printf 'output "x" {\n  value = 1\n}\n' > .terraform/modules/tier/main.tf
cat > .terraform/modules/modules.json <<'X'
{"Modules": [{"Key": "", "Source": "", "Dir": "."},
  {"Key": "tier", "Source": "git::file:///none/tier.git", "Dir": ".terraform/modules/tier"}]}
X
printf 'module "tier" {\n  source = "git::file:///none/tier.git"\n}\n' > modules.tf
`
)

// settingsOfItsOwn changes the settings in a pull request.
const settingsOfItsOwn = `echo 'promises: { "*": { max_rpo_minutes: 99999 } }' > policy.yaml
`

func (r *runner) add(head, script string) {
	r.t.Helper()
	r.mustRun(head, script+"git add --all --force && git -c user.name=x -c user.email=x@x commit --quiet -m x")
}

// plantProvider adds a program to a pull request, in a folder where init would find it as the provider.
func (r *runner) plantProvider(head, dir string) {
	r.t.Helper()
	script := `mkdir ` + filepath.Dir(dir) + ` && cp -R "$VSLA_MIRROR" ` + dir + ` && rm .terraform.lock.hcl
		printf '#!/bin/sh\ntouch "$HOME/../ran"\n' > program && chmod +x program
		find ` + dir + ` -name 'terraform-provider-vsla*' -type f -exec cp program {} \;
`
	r.add(head, script)
}

// The provider is installed once. Each branch is committed once and then copied.

const installCommand = "make -C vsla install"

// fromMirror links the mirror instead of copying its large files.
const fromMirror = `mkdir -p ~/.terraform.d && ln -sfn "$VSLA_MIRROR" ~/.terraform.d/plugins
`

var installOnce = sync.OnceValues(func() (string, error) {
	root, err := acctest.Root()
	if err != nil {
		return "", err
	}
	home := filepath.Join(root, "build", "gatetest-home")
	if err := errors.Join(os.RemoveAll(home), os.MkdirAll(home, 0o700)); err != nil {
		return "", err
	}
	if err := os.Symlink(root, filepath.Join(home, "vsla")); err != nil {
		return "", err
	}
	goEnv, err := goEnvironment(filepath.Join(home, "go"))
	if err != nil {
		return "", err
	}
	cmd := exec.Command("sh", "-c", installCommand)
	cmd.Dir = home
	own := []string{"HOME=" + home, "GOBIN=" + filepath.Join(home, "bin"), "MAKEFLAGS=", "MAKELEVEL=0"}
	cmd.Env = slices.Concat(os.Environ(), goEnv, own)
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%s: %w\n%s", installCommand, err, out)
	}
	return filepath.Join(home, ".terraform.d", "plugins"), nil
})

// trees contains the committed branches, by CLI.
var trees = struct {
	sync.Mutex

	dirs map[string]string
}{dirs: map[string]string{}}

// tree returns a copy of a committed branch that contains the example and the lock file written by `init`.
func (r *runner) tree(name string) string {
	r.t.Helper()
	trees.Lock()
	defer trees.Unlock()
	if trees.dirs[r.cli] == "" {
		trees.dirs[r.cli] = r.commit(filepath.Join(r.mirror, "..", "..", "trees", strconv.Itoa(len(trees.dirs))))
	}
	dir := filepath.Join(r.dir, name)
	r.copyTree(trees.dirs[r.cli], dir)
	return dir
}

func (r *runner) commit(dir string) string {
	r.t.Helper()
	require.NoError(r.t, os.CopyFS(dir, os.DirFS(filepath.Join(root(r.t), pipelines))))
	r.mustRun(dir, fromMirror+`terraform init -input=false && rm -rf .terraform ~/.terraform.d
		git init --quiet --initial-branch=main && git add . &&
		git -c user.name=x -c user.email=x@x commit --quiet -m x`)
	return dir
}

func (r *runner) copyTree(from, to string) {
	r.t.Helper()
	r.mustRun(r.dir, "mkdir -p '"+to+"' && cp -a '"+from+"/.' '"+to+"/'")
}

// The following tests use terraform test instead of a policy engine. testdata/planned.yaml covers preconditions.

func flat(text string) string { return strings.Join(strings.Fields(text), " ") }

// See testdata/planned.yaml for the calculation.
var (
	missesRPO = []string{"-var=link_mbps=900", "-var=concurrent_migrations=1"}
	isAtRisk  = []string{"-var=link_mbps=4000", "-var=concurrent_migrations=1"}
)

func TestConditions_terraformTest(t *testing.T) {
	t.Parallel()
	// Keep only the first run block. With bad inputs, it must fail even if the configuration has no conditions.
	run, _, _ := strings.Cut(read(t, example, "promises.tftest.hcl"), "\n}\n")
	require.Contains(t, run, `run "promises_hold"`)
	acctest.ForEachCLI(t, func(t *testing.T, cli terraformcli.CLI) {
		t.Helper()
		assert.Contains(t, openConfig(t, cli, example).run(t, 0, "test", "-no-color"), "10 passed, 0 failed")
		for _, bad := range [][]string{missesRPO, isAtRisk, {"-var=concurrent_migrations=29"}} {
			f := openConfig(t, cli, example, "preconditions.tf", "checks.tf").add(t, "promises.tftest.hcl", run+"\n}\n")
			f.run(t, 1, append([]string{"test", "-no-color"}, bad...)...)
		}
	})
}
