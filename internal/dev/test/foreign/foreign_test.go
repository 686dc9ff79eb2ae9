//go:build clients

package foreign_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/dev/lab/snapservice"
	"terraform-provider-vsla/internal/dev/lab/tagging"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
)

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
	require.NoError(t, err)
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
	python := sdk(t)
	lab := acctest.Start(t, vcsim.Config{VMs: 2, Release: tagging.Release91})
	out := run(t, []string{
		"LAB_URL=" + lab.URL(), "LAB_USER=" + lab.User(), "LAB_PASSWORD=" + lab.Password(),
		"LAB_CA_FILE=" + lab.CAFile(), "LAB_VM=" + lab.VMs()[0].ID,
	}, python, "life.py")
	if !strings.HasSuffix(out, "as its description says") {
		t.Errorf("the SDK's program prints %s", out)
	}
}

// TestPyVmomi checks that SmartConnect of pyVmomi, which asks for the versions of the API before it logs in, connects
// to the lab.
func TestPyVmomi(t *testing.T) {
	t.Parallel()
	python := sdk(t)
	lab := acctest.Start(t, vcsim.Config{VMs: 2})
	ids := make([]string, 0, 2)
	for _, vm := range lab.VMs() {
		ids = append(ids, vm.ID)
	}
	slices.Sort(ids)
	require.Equal(t, strings.Join(ids, " "), run(t, []string{
		"LAB_URL=" + lab.URL(), "LAB_USER=" + lab.User(), "LAB_PASSWORD=" + lab.Password(),
		"LAB_CA_FILE=" + lab.CAFile(),
	}, python, "connect.py"))
}

// TestPythonSDK_groups checks that the lab's responses match the types and errors of the SDK. The SDK uses JSON-RPC, so
// the test program sends the SDK's calls over REST instead.
func TestPythonSDK_groups(t *testing.T) {
	t.Parallel()
	python := sdk(t)
	lab := acctest.StartProtection(t, acctest.ProtectionConfig{VCenter: vcsim.Config{VMs: 8}})
	tag := lab.Tag(t, "tier", "SINGLE", "gold", 0, 2)
	control := http.NewServeMux()
	control.HandleFunc("POST /tag", func(http.ResponseWriter, *http.Request) { lab.Attach(t, tag, 4) })
	control.HandleFunc("POST /cut", func(http.ResponseWriter, *http.Request) { lab.CutLink() })
	control.HandleFunc("POST /snapshot", func(http.ResponseWriter, *http.Request) {
		lab.AddSnapshots(lab.GroupByName("bronze").ID, 1)
	})
	control.HandleFunc("POST /advance/{time}", func(_ http.ResponseWriter, r *http.Request) {
		d, err := time.ParseDuration(r.PathValue("time"))
		if err != nil {
			t.Error(err)
		}
		lab.Advance(d)
	})
	server := httptest.NewServer(control)
	t.Cleanup(server.Close)
	authorities := map[string]string{}
	for name, pem := range map[string][]byte{"sts": lab.VCenter.CAPEM(), "appliance": lab.CAPEM()} {
		authorities[name] = filepath.Join(t.TempDir(), name+".pem")
		require.NoError(t, os.WriteFile(authorities[name], pem, 0o600))
	}
	out := run(t, []string{
		"LAB_STS_CA_FILE=" + authorities["sts"], "LAB_CA_FILE=" + authorities["appliance"],
		"LAB_URL=" + lab.URL(), "LAB_STS=" + lab.VCenter.URL() + "/sts/STSService",
		"LAB_USER=" + lab.VCenter.User(), "LAB_PASSWORD=" + lab.VCenter.Password(),
		"LAB_CLUSTER=" + lab.Cluster(0), "LAB_PAIR=" + snapservice.PairID(lab.Cluster(0)), "LAB_TAG=" + tag,
		"LAB_CONTRACT=../../lab/snapcontract/contract.json", "LAB_CONTROL=" + server.URL,
	}, python, "groups.py")
	if !strings.HasSuffix(out, "a group from its preview to its lock") {
		t.Errorf("the SDK's program prints %s", out)
	}
	lab.ExpireSessions()
}

func sdk(t *testing.T) string {
	t.Helper()
	python := os.Getenv("VSLA_SDK_PYTHON")
	if python == "" {
		t.Fatal("VSLA_SDK_PYTHON must name a Python with the vendor's SDKs; make test-clients installs one")
	}
	return python
}
