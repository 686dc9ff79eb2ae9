package terraformcli

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestParse(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		path, version string
		want          CLI
		problem       string
	}{
		{"/bin/terraform", "1.11.4", CLI{Path: "/bin/terraform", Version: "1.11.4"}, ""},
		{"/bin/terraform", "1.8.0", CLI{Path: "/bin/terraform", Version: "1.8.0"}, ""},
		{"/bin/terraform", "1.7.5", CLI{}, "need 1.8.0 or later"},
		{"/bin/terraform", "1.15.0-beta1", CLI{Path: "/bin/terraform", Version: "1.15.0-beta1"}, ""},
		{"/bin/tofu", "1.10.0", CLI{Path: "/bin/tofu", Version: "1.10.0", OpenTofu: true}, ""},
		{"/bin/tofu", "1.9.4", CLI{}, "need 1.10.0 or later"},
		{"/bin/terraform", "", CLI{}, "cannot read its version"},
	} {
		got, err := parse(test.path, []byte(`{"terraform_version":"`+test.version+`"}`))
		if test.problem == "" {
			require.NoError(t, err)
			assert.Equal(t, test.want, got)
		}
		if test.problem != "" {
			require.Error(t, err)
			assert.Contains(t, err.Error(), test.problem)
		}
	}
	_, err := parse("/bin/terraform", []byte("Terraform v1.11.4"))
	assert.Error(t, err, "plain text is accepted")
}

func TestTestEnvironment(t *testing.T) {
	t.Parallel()
	assert.Equal(t, map[string]string{"TF_ACC_TERRAFORM_PATH": "/bin/terraform"},
		(CLI{Path: "/bin/terraform"}).TestEnvironment())
	want := map[string]string{
		"TF_ACC_TERRAFORM_PATH":     "/bin/tofu",
		"TF_ACC_PROVIDER_HOST":      "registry.opentofu.org",
		"TF_ACC_PROVIDER_NAMESPACE": "hashicorp",
	}
	assert.Equal(t, want, (CLI{Path: "/bin/tofu", OpenTofu: true}).TestEnvironment())
}

func script(t *testing.T, dir, name, version string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	text := "#!/bin/sh\necho '{\"terraform_version\":\"" + version + "\"}'\n"
	require.NoError(t, os.WriteFile(path, []byte(text), 0o700))
	return path
}

func TestFind(t *testing.T) {
	path, build := t.TempDir(), t.TempDir()
	t.Setenv("PATH", path+string(os.PathListSeparator)+"/bin")
	t.Setenv(Variable, "")
	_, err := Find(t.Context(), build)
	require.ErrorIs(t, err, ErrNone)
	_, err = FindAll(t.Context(), build)
	require.ErrorIs(t, err, ErrNone)
	require.NoError(t, os.MkdirAll(filepath.Dir(openTofuPath(build)), 0o700))
	script(t, filepath.Dir(openTofuPath(build)), filepath.Base(openTofuPath(build)), "1.12.6")
	got, err := Find(t.Context(), build)
	require.NoError(t, err, "built before")
	assert.Equal(t, openTofuPath(build), got.Path, "built before")
	assert.True(t, got.OpenTofu, "built before: %+v, %v", got, err)
	script(t, path, "terraform", "1.5.7")
	script(t, path, "tofu", "1.11.0")
	got, err = Find(t.Context(), build)
	require.NoError(t, err, "tofu on PATH")
	assert.Equal(t, "1.11.0", got.Version)
	script(t, path, "terraform", "1.9.9")
	got, err = Find(t.Context(), build)
	require.NoError(t, err, "terraform on PATH")
	assert.False(t, got.OpenTofu)
	assert.Equal(t, "1.9.9", got.Version)
	t.Setenv(Variable, script(t, t.TempDir(), "tofu-next", "1.13.0"))
	got, err = Find(t.Context(), build)
	require.NoError(t, err, "named")
	assert.Equal(t, "1.13.0", got.Version)
	assert.True(t, got.OpenTofu)
	all, err := FindAll(t.Context(), build)
	require.NoError(t, err, "all")
	require.Len(t, all, 1, "all")
	assert.Equal(t, "1.13.0", all[0].Version, "all")
	t.Setenv(Variable, "")
	if all, err := FindAll(t.Context(), build); err != nil || len(all) != 3 || all[0].OpenTofu ||
		all[2].Path != openTofuPath(build) {
		t.Errorf("all: %+v, %v, want terraform and tofu on PATH and the one that was built", all, err)
	}
	// CLIs run in other folders, so the path must be absolute.
	t.Chdir(build)
	t.Setenv(Variable, "")
	t.Setenv("PATH", "/bin")
	got, err = Find(t.Context(), ".")
	require.NoError(t, err, "found by a relative path")
	assert.True(t, filepath.IsAbs(got.Path), got.Path)
	t.Setenv(Variable, filepath.Join(path, "none"))
	_, err = Find(t.Context(), build)
	require.Error(t, err)
	assert.NotErrorIs(t, err, ErrNone)
}

func TestProbe_ownConfiguration(t *testing.T) {
	t.Setenv("TF_CLI_CONFIG_FILE", "/home/me/missing.tfrc")
	path := filepath.Join(t.TempDir(), "tofu")
	script := `#!/bin/sh
[ -z "$TF_CLI_CONFIG_FILE" ] || echo "Warning: Unable to open CLI configuration file"
echo '{"terraform_version": "1.12.6"}'
`
	require.NoError(t, os.WriteFile(path, []byte(script), 0o700))
	cli, err := probe(t.Context(), path)
	require.NoError(t, err)
	assert.Equal(t, path, cli.Path)
}
