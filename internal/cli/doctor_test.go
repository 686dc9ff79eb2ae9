package cli_test

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/cli"
	"terraform-provider-vsla/internal/dev/lab/fault"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
)

// examination runs doctor with the given environment, without delays between retries.
func examination(t *testing.T, env map[string]string, args ...string) (code int, out, errs string) {
	t.Helper()
	return start(t, cli.Program{Getenv: environment(env), Sleep: atOnce},
		append([]string{"doctor", "--full"}, args...)...)
}

func atOnce(ctx context.Context, _ time.Duration) error { return ctx.Err() }

// vcenter starts a vCenter and returns the environment variables for it. At the end of the test, it verifies that no
// session is open.
func vcenter(t *testing.T, config vcsim.Config) (*vcsim.VCenter, map[string]string) {
	t.Helper()
	v, err := vcsim.Start(t.Context(), config)
	require.NoError(t, err)
	t.Cleanup(func() {
		rest, soap := v.Sessions()
		assert.Zero(t, rest+soap)
		assert.NoError(t, v.Close())
	})
	ca := filepath.Join(t.TempDir(), "ca.pem")
	require.NoError(t, os.WriteFile(ca, v.CAPEM(), 0o600))
	return v, map[string]string{
		"VSPHERE_SERVER":   v.URL(),
		"VSPHERE_USER":     v.User(),
		"VSPHERE_PASSWORD": v.Password(),
		"VSLA_CA_FILE":     ca,
	}
}

func TestDoctor_exitCodes(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		change   func(*vcsim.VCenter, map[string]string)
		args     []string
		code     int
		errs     string
		noReport bool
	}{
		"examined": {code: cli.ExitOK, errs: " ok, 0 differ, "},
		"wrong password": {
			change: func(_ *vcsim.VCenter, env map[string]string) { env["VSPHERE_PASSWORD"] = "wrong" },
			code:   cli.ExitError,
			errs:   "vCenter: the user or password was rejected; not retried",
		},
		"certificate not trusted": {
			change: func(_ *vcsim.VCenter, env map[string]string) { delete(env, "VSLA_CA_FILE") },
			code:   cli.ExitError,
			errs:   "vCenter: the certificate is not trusted",
		},
		"certificate not checked": {
			change: func(_ *vcsim.VCenter, env map[string]string) {
				delete(env, "VSLA_CA_FILE")
				env["VSPHERE_ALLOW_UNVERIFIED_SSL"] = "true"
			},
			code: cli.ExitOK,
			errs: " ok, ",
		},
		"no server": {
			change: func(_ *vcsim.VCenter, env map[string]string) { env["VSPHERE_SERVER"] = "https://127.0.0.1:1" },
			code:   cli.ExitError,
			errs:   "vCenter: nothing listens at the address",
		},
		"the report cannot be written": {
			args:     []string{"-o", "/nowhere/report.md"},
			code:     cli.ExitError,
			errs:     "The report cannot be written: ",
			noReport: true,
		},
		"a check differs": {
			change: func(v *vcsim.VCenter, _ map[string]string) {
				v.Traffic().Break(fault.Rule{Kind: "GET tag/{id}", Status: 200, Body: `{}`})
			},
			code: cli.ExitMiss,
			errs: ", 1 differs, ",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v, env := vcenter(t, vcsim.Config{})
			if test.change != nil {
				test.change(v, env)
			}
			code, out, errs := examination(t, env, test.args...)
			require.Equal(t, test.code, code)
			assert.Contains(t, errs, test.errs)
			assert.NotEqual(t, test.noReport, strings.Contains(out, "\n# vsla doctor\n"))
		})
	}
}

func TestDoctor_usage(t *testing.T) {
	t.Parallel()
	full := map[string]string{
		"VSPHERE_SERVER":   "vcenter.example.com",
		"VSPHERE_USER":     "u",
		"VSPHERE_PASSWORD": "secret",
	}
	with := func(pairs ...string) map[string]string {
		env := maps.Clone(full)
		for i := 0; i < len(pairs); i += 2 {
			env[pairs[i]] = pairs[i+1]
		}
		return env
	}
	for _, test := range []struct {
		env  map[string]string
		args []string
		want string
	}{
		{
			want: "the environment must have VSPHERE_SERVER, VSPHERE_USER, VSPHERE_PASSWORD; for replication, also " +
				"VSLA_REPLICATION_SERVER, VSLA_REPLICATION_USER, VSLA_REPLICATION_PASSWORD, ",
		},
		{
			env:  with("VSLA_REPLICATION_SERVER", "vr"),
			want: "the environment must have VSLA_REPLICATION_USER, VSLA_REPLICATION_PASSWORD",
		},
		{
			env:  with("VSPHERE_ALLOW_UNVERIFIED_SSL", "perhaps"),
			want: "VSPHERE_ALLOW_UNVERIFIED_SSL must be true or false",
		},
		{env: with("VSLA_API_TIMEOUT_SECONDS", "0"), want: "VSLA_API_TIMEOUT_SECONDS must be"},
		{env: with("VSLA_REPLICATION_REQUESTS_PER_MINUTE", "-1"), want: "VSLA_REPLICATION_REQUESTS_PER_MINUTE must be"},
		{env: with("VSPHERE_SERVER", "http://vcenter.example.com"), want: "clear text"},
		{env: with("VSPHERE_SERVER", "https://u:secret@vcenter"), want: "must not contain a user or password"},
		{env: full, args: []string{"--password", "secret"}, want: "unknown flag: --password"},
		{env: full, args: []string{"vcenter"}, want: "unknown command"},
	} {
		code, out, errs := examination(t, test.env, test.args...)
		assert.Equal(t, cli.ExitUsage, code, "%+v", test.args)
		assert.Empty(t, out, "%+v", test.args)
		assert.Contains(t, errs, test.want, "%+v", test.args)
		assert.NotContains(t, strings.ReplaceAll(errs, "--password", ""), "secret", "%+v", test.args)
	}
}
