// The trees of pipelines: the provider is installed once, and each branch is committed once and copied.

package policytest_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"sync"

	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/acctest"
)

// installCommand installs the provider in a clone of this repository.
const installCommand = "make -C vsla install"

// fromMirror stands for it where it ran before.
const fromMirror = `mkdir -p ~/.terraform.d/plugins && cp -R "$VSLA_MIRROR/." ~/.terraform.d/plugins/
`

// installed runs that command once for all tests, and returns the mirror that it writes.
var installed = sync.OnceValues(func() (string, error) {
	root, err := acctest.Root()
	if err != nil {
		return "", err
	}
	home := filepath.Join(root, "build", "policytest-home")
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

// trees are the branches that were committed already, by CLI and policies.
var trees = struct {
	sync.Mutex

	dirs map[string]string
}{dirs: map[string]string{}}

// tree is the content of a branch: the example, with the kit's Rego or other policies, and the lock file of `init`.
func (r *runner) tree(name string, rego map[string]string) string {
	r.t.Helper()
	trees.Lock()
	defer trees.Unlock()
	key := fmt.Sprint(r.cli, rego)
	if trees.dirs[key] == "" {
		trees.dirs[key] = r.commit(filepath.Join(r.mirror, "..", "..", "trees", strconv.Itoa(len(trees.dirs))), rego)
	}
	dir := filepath.Join(r.dir, name)
	r.copyTree(trees.dirs[key], dir)
	return dir
}

func (r *runner) commit(dir string, rego map[string]string) string {
	r.t.Helper()
	policies := filepath.Join(dir, "policy", "rego")
	require.NoError(r.t, os.CopyFS(dir, os.DirFS(filepath.Join(root(r.t), pipelines))))
	if rego == nil {
		require.NoError(r.t, os.CopyFS(policies, os.DirFS(filepath.Join(root(r.t), kit))))
	}
	for file, text := range rego {
		require.NoError(r.t, os.MkdirAll(policies, 0o700))
		require.NoError(r.t, os.WriteFile(filepath.Join(policies, file), []byte(text), 0o600))
	}
	r.must(dir, fromMirror+`terraform init -input=false && rm -rf .terraform
		git init --quiet --initial-branch=main && git add . && git -c user.name=x -c user.email=x@x commit --quiet -m x`)
	return dir
}

// copyTree copies a folder, .git too.
func (r *runner) copyTree(from, to string) {
	r.t.Helper()
	r.must(r.dir, "mkdir -p '"+to+"' && cp -a '"+from+"/.' '"+to+"/'")
}
