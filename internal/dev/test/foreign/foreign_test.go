//go:build clients

package foreign_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/dev/lab/tagging"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
)

// run runs a program with the given environment and returns its output.
func run(t *testing.T, env []string, name string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir()}, env...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", filepath.Base(name), strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

func TestGovc(t *testing.T) {
	t.Parallel()
	root, err := acctest.Root()
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(t.TempDir(), "govc")
	source := filepath.Join(root, "internal/dev/tools/govc")
	build := exec.CommandContext(t.Context(), "go", "build", "-C", source, "-o", program)
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, release := range []tagging.Release{tagging.Release70, tagging.Release80, tagging.Release91} {
		lab := acctest.Start(t, vcsim.Config{VMs: 2, Release: release})
		env := []string{
			"GOVC_URL=" + lab.URL(), "GOVC_USERNAME=" + lab.User(), "GOVC_PASSWORD=" + lab.Password(),
			"GOVC_TLS_CA_CERTS=" + lab.CAFile(), "GOVC_PERSIST_SESSION=false",
		}
		govc := func(args ...string) string { return run(t, env, program, args...) }
		if out := govc("about"); !strings.Contains(out, string(release)) {
			t.Errorf("govc about prints %s, want release %s", out, release)
		}
		vm := lab.VMs()[0]
		govc("tags.category.create", "-d", "what is promised", "-t", "VirtualMachine", "tier")
		govc("tags.create", "-c", "tier", "-d", "15 minutes", "gold")
		govc("tags.update", "-d", "fifteen minutes", "gold")
		govc("tags.attach", "gold", vm.Path)
		if out := govc("tags.attached.ls", "gold"); out != "VirtualMachine:"+vm.ID {
			t.Errorf("govc tags.attached.ls prints %q, want %s", out, vm.ID)
		}
		if out := govc("tags.attached.ls", "-r", vm.Path); out != "gold" {
			t.Errorf("govc tags.attached.ls -r prints %q, want gold", out)
		}
		govc("tags.detach", "gold", vm.Path)
		if out := govc("tags.info", "gold"); !strings.Contains(out, "fifteen minutes") {
			t.Errorf("govc tags.info prints %s", out)
		}
		govc("tags.rm", "gold")
		govc("tags.category.rm", "tier")
	}
}

func TestPythonSDK(t *testing.T) {
	t.Parallel()
	python := os.Getenv("VSLA_SDK_PYTHON")
	if python == "" {
		t.Fatal("VSLA_SDK_PYTHON must name a Python with the package vmware-vcenter; make test-clients installs one")
	}
	lab := acctest.Start(t, vcsim.Config{VMs: 2, Release: tagging.Release91})
	out := run(t, []string{
		"LAB_URL=" + lab.URL(), "LAB_USER=" + lab.User(), "LAB_PASSWORD=" + lab.Password(),
		"LAB_CA_FILE=" + lab.CAFile(), "LAB_VM=" + lab.VMs()[0].ID,
	}, python, "life.py")
	if !strings.HasSuffix(out, "as its description says") {
		t.Errorf("the SDK's program prints %s", out)
	}
}
