package cli_test

import (
	"context"
	"fmt"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/vmware/govmomi"
	"github.com/vmware/govmomi/object"
	"github.com/vmware/govmomi/view"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"

	"terraform-provider-vsla/internal/cli"
	"terraform-provider-vsla/internal/dev/hostile"
	"terraform-provider-vsla/internal/dev/lab/fault"
	"terraform-provider-vsla/internal/dev/lab/gateway"
	"terraform-provider-vsla/internal/dev/lab/tagging"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
)

// examination runs doctor with the given environment, without delays between retries.
func examination(t *testing.T, env map[string]string, args ...string) (code int, out, errs string) {
	t.Helper()
	return start(t, cli.Program{Getenv: environment(env), Sleep: atOnce}, append([]string{"doctor"}, args...)...)
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
		assert.LessOrEqual(t, rest+soap, 0)
		assert.NoError(t, v.Close())
	})
	ca := filepath.Join(t.TempDir(), "ca.pem")
	require.NoError(t, os.WriteFile(ca, v.CAPEM(), 0o600))
	return v, map[string]string{
		"VSPHERE_SERVER": v.URL(), "VSPHERE_USER": v.User(), "VSPHERE_PASSWORD": v.Password(), "VSLA_CA_FILE": ca,
	}
}

func TestDoctor_exitCodes(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		change func(*vcsim.VCenter, map[string]string)
		args   []string
		code   int
		errs   string
	}{
		"examined": {code: cli.ExitOK, errs: " ok, 0 differ, "},
		"wrong password": {
			change: func(_ *vcsim.VCenter, env map[string]string) { env["VSPHERE_PASSWORD"] = "wrong" },
			code:   cli.ExitError, errs: "vCenter: the user or password was rejected; not retried",
		},
		"certificate not trusted": {
			change: func(_ *vcsim.VCenter, env map[string]string) { delete(env, "VSLA_CA_FILE") },
			code:   cli.ExitError, errs: "vCenter: the certificate is not trusted",
		},
		"certificate not checked": {
			change: func(_ *vcsim.VCenter, env map[string]string) {
				delete(env, "VSLA_CA_FILE")
				env["VSPHERE_ALLOW_UNVERIFIED_SSL"] = "true"
			},
			code: cli.ExitOK, errs: " ok, ",
		},
		"no server": {
			change: func(_ *vcsim.VCenter, env map[string]string) { env["VSPHERE_SERVER"] = "https://127.0.0.1:1" },
			code:   cli.ExitError, errs: "vCenter: no usable response.",
		},
		"the report cannot be written": {
			args: []string{"-o", "/nowhere/report.md"}, code: cli.ExitError, errs: "The report cannot be written: ",
		},
		"a check differs": {
			change: func(v *vcsim.VCenter, _ map[string]string) {
				v.Traffic().Break(fault.Rule{Kind: "GET tag/{id}", Status: 200, Body: `{}`})
			},
			code: cli.ExitMiss, errs: ", 1 differs, ",
		},
		"written": {args: []string{"--write", "--prefix", "test"}, code: cli.ExitOK, errs: " ok, "},
		"written and left": {
			change: func(v *vcsim.VCenter, _ map[string]string) { v.Tags().Deny(tagging.Delete, true) },
			args:   []string{"--write", "--prefix", "test"}, code: cli.ExitWrite,
			errs: "Left behind: the tag test-doctor-",
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
			assert.NotEqual(t, strings.Contains(name, "cannot be written"), strings.HasPrefix(out, "# vsla doctor\n"))
		})
	}
}

func TestDoctor_usage(t *testing.T) {
	t.Parallel()
	full := map[string]string{"VSPHERE_SERVER": "vcenter.example.com", "VSPHERE_USER": "u", "VSPHERE_PASSWORD": "secret"}
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
		{nil, nil, "the environment must have VSPHERE_SERVER, VSPHERE_USER, VSPHERE_PASSWORD"},
		{with("VSLA_REPLICATION_SERVER", "vr"), nil, "the environment must have VSLA_REPLICATION_USER, VSLA_REPLICATION_PASSWORD"},
		{with("VSPHERE_ALLOW_UNVERIFIED_SSL", "perhaps"), nil, "VSPHERE_ALLOW_UNVERIFIED_SSL must be true or false"},
		{with("VSLA_API_TIMEOUT_SECONDS", "0"), nil, "VSLA_API_TIMEOUT_SECONDS must be"},
		{with("VSLA_REPLICATION_REQUESTS_PER_MINUTE", "-1"), nil, "VSLA_REPLICATION_REQUESTS_PER_MINUTE must be"},
		{with("VSPHERE_SERVER", "http://vcenter.example.com"), nil, "clear text"},
		{with("VSPHERE_SERVER", "https://u:secret@vcenter"), nil, "must not contain a user or password"},
		{full, []string{"--write"}, "--write requires --prefix"},
		{full, []string{"--prefix", "a"}, "require --write"},
		{full, []string{"--password", "secret"}, "unknown flag: --password"},
		{full, []string{"vcenter"}, "unknown command"},
	} {
		code, out, errs := examination(t, test.env, test.args...)
		assert.True(t, code == cli.ExitUsage && out == "" && strings.Contains(errs, test.want) &&
			!strings.Contains(strings.ReplaceAll(errs, "--password", ""), "secret"),
			"%v: exits with %d, prints %q and %q, want %q", test.args, code, out, errs, test.want)
	}
}

// mark is part of every hostile name and must not appear in any output.
const mark = "zqx"

// forms are format strings for hostile names. Their argument is mark followed by a number.
var forms = append([]string{
	`%s "quoted" 'twice' ` + "`thrice`", "%s line\nbreak\ttab", `%s.*[a-z]+(\d{2})$^|\`, `/api/cis/tagging/tag/%s`,
	`../../%s/..%%2f`, `{"name": "%s", "id": [1]}`, `urn:vmomi:InventoryServiceTag:%s:GLOBAL`, `vm-%s`,
}, corpus()...)

// corpus converts the known hostile names to format strings with the argument at the start and the end.
func corpus() []string {
	names := hostile.Names()
	for i, name := range names {
		names[i] = "%[1]s" + strings.ReplaceAll(name, "%", "%%") + "%[1]s"
	}
	return names
}

// nameOf returns the nth hostile name. All names are distinct.
func nameOf(n int) string { return fmt.Sprintf(forms[n%len(forms)], fmt.Sprintf("%s%d", mark, n)) }

// identifying matches IDs and addresses. Only the beginning of an IP address is matched, because versions can also have
// four parts.
var identifying = regexp.MustCompile(`(?i)[0-9a-f]{8}-[0-9a-f]{4}-|127\.0\.0|\b(?:vm|host|datastore|group)-[a-z]?\d|` +
	`urn:vmomi:|\.lab\b|vsphere\.local|Authorization:|Basic `)

func reveals(t *testing.T, what, output string, secrets []string) {
	t.Helper()
	assert.Less(t, strings.Index(output, mark), 0, what)
	assert.Equal(t, "", identifying.FindString(output), what)
	for _, secret := range secrets {
		assert.NotContains(t, output, secret, what)
	}
}

func rename(t *testing.T, v *vcsim.VCenter) {
	t.Helper()
	u, err := soap.ParseURL(v.URL())
	require.NoError(t, err)
	u.User = url.UserPassword(v.User(), v.Password())
	ctx := t.Context()
	client, err := govmomi.NewClient(ctx, u, true)
	require.NoError(t, err)
	kinds := []string{"VirtualMachine", "Datacenter", "Folder", "Datastore"}
	all, err := view.NewManager(client.Client).CreateContainerView(ctx, client.ServiceContent.RootFolder, kinds, true)
	require.NoError(t, err)
	refs, err := all.Find(ctx, kinds, nil)
	require.NoError(t, err)
	renamed := map[string]int{}
	slices.SortFunc(refs, func(a, b types.ManagedObjectReference) int { return strings.Compare(a.String(), b.String()) })
	for n, ref := range refs {
		task, err := object.NewCommon(client.Client, ref).Rename(ctx, nameOf(n))
		if err == nil && task.Wait(ctx) == nil {
			renamed[ref.Type]++
		}
	}
	require.NotEqual(t, 0, renamed["VirtualMachine"])
	assert.NotEqual(t, 0, renamed["Datacenter"])
	require.NoError(t, client.Logout(ctx))
}

func fillHostile(t *testing.T, v *vcsim.VCenter) {
	t.Helper()
	for n := range forms {
		category, err := v.Tags().AddCategory(tagging.Category{
			Name: nameOf(1000 + n), Description: nameOf(2000 + n), Cardinality: "MULTIPLE",
		})
		require.NoError(t, err)
		tag, err := v.Tags().AddTag(tagging.Tag{Name: nameOf(3000 + n), Description: nameOf(4000 + n), CategoryID: category})
		require.NoError(t, err)
		require.NoError(t, v.Tags().Attach(tag, tagging.Object{Type: "VirtualMachine", ID: v.VMs()[0].ID}))
	}
}

// hostileKeys makes the servers return unknown fields, and errors whose messages and types contain hostile names.
func hostileKeys(v *vcsim.VCenter, g *gateway.Gateway) {
	key := `"` + mark + `key": {"` + mark + `inner": ["` + mark + `"]}`
	v.Traffic().Break(fault.Rule{
		Kind: "GET /api/vcenter/topology/nodes", Status: 200, Body: `[{"node": "` + mark + `", ` + key + `}]`,
	})
	v.Traffic().Break(fault.Rule{
		Kind: "GET tag/{id}", Status: 400, Header: map[string]string{"Retry-After": mark},
		Body: `{"error_type": "` + mark + `", "messages": [{"id": "` + mark + `", "default_message": "` + mark + `"}]}`,
	})
	v.Traffic().Break(fault.Rule{
		Kind: "soap:QueryOptions", Status: 500, Header: map[string]string{"Content-Type": "text/xml"},
		Body: `<Envelope><Body><Fault><faultstring>` + mark + `</faultstring>` +
			`<` + mark + `>1</` + mark + `></Fault></Body></Envelope>`,
	})
	v.Traffic().
		Break(fault.Rule{Kind: "GET /api/vcenter/tagging/associations", Status: 502, Body: "<h1>" + mark + "</h1>"})
	g.ChangeAnswers("getVrPairings", 0, func(answer map[string]any) { answer[mark] = map[string]any{mark: mark} })
}

func TestDoctor_secrets(t *testing.T) {
	t.Parallel()
	const user, password = mark + "user\"'\\.*{}@", mark + "pass \"'`\\.*[x]{\"a\":1}/../\n|$"
	for name, test := range map[string]struct {
		release tagging.Release
		change  func(*vcsim.VCenter, *gateway.Gateway, map[string]string)
		write   bool
		code    int
		written string
	}{
		"7.0":  {release: tagging.Release70, write: true, code: cli.ExitOK, written: "left no objects behind"},
		"9.1":  {release: tagging.Release91, write: true, code: cli.ExitOK, written: "left no objects behind"},
		"keys": {release: tagging.Release90, change: hostileKeysOnly, code: cli.ExitMiss, written: "node, {2 other names}"},
		"left": {
			release: tagging.Release91, write: true, code: cli.ExitWrite, written: "Left behind: the tag test-doctor-",
			change: func(v *vcsim.VCenter, _ *gateway.Gateway, _ map[string]string) { v.Tags().Deny(tagging.Delete, true) },
		},
		"no privileges": {
			release: tagging.Release91, write: true, code: cli.ExitWrite, written: "permission denied",
			change: func(v *vcsim.VCenter, g *gateway.Gateway, _ map[string]string) {
				v.LackPrivileges()
				v.Tags().Deny(tagging.Read, true)
				v.Tags().Deny(tagging.Create, true)
				g.Deny("getVrPairings")
			},
		},
		"wrong password": {
			code: cli.ExitError, written: "rejected the same user",
			change: func(_ *vcsim.VCenter, _ *gateway.Gateway, env map[string]string) {
				env["VSPHERE_PASSWORD"] = password + "x"
				env["VSLA_REPLICATION_USER"] = env["VSPHERE_USER"]
			},
		},
		"wrong passwords of the appliance": {
			code: cli.ExitError, written: "vSphere Replication: the user or password was rejected",
			change: func(_ *vcsim.VCenter, _ *gateway.Gateway, env map[string]string) {
				env["VSLA_REPLICATION_PASSWORD"] = password + "x"
			},
		},
		"host that does not exist": {
			code: cli.ExitError, written: "vCenter: ",
			change: func(_ *vcsim.VCenter, _ *gateway.Gateway, env map[string]string) {
				env["VSPHERE_SERVER"] = mark + ".invalid"
			},
		},
		"not a host": {
			code: cli.ExitUsage, written: "must be a host, host:port or URL",
			change: func(_ *vcsim.VCenter, _ *gateway.Gateway, env map[string]string) {
				env["VSPHERE_SERVER"] = "https://" + mark + ":" + password
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v, env := vcenter(t, vcsim.Config{Release: test.release, User: user, Password: password})
			rename(t, v)
			fillHostile(t, v)
			g := appliance(t, v, env, password)
			if test.change != nil {
				test.change(v, g, env)
			}
			var args []string
			if test.write {
				args = []string{"--write", "--prefix", "test", "--vm", v.VMs()[0].ID}
			}
			code, out, errs := examination(t, env, args...)
			require.Equal(t, test.code, code)
			assert.Contains(t, out+errs, test.written)
			secrets := slices.Concat(v.SessionIDs(), g.SessionIDs(), []string{user, password, g.RemotePassword()})
			reveals(t, "standard output", out, secrets)
			reveals(t, "standard error", errs, secrets)
		})
	}
}

func hostileKeysOnly(v *vcsim.VCenter, g *gateway.Gateway, _ map[string]string) { hostileKeys(v, g) }

// appliance starts an appliance that has one replication and whose account has a hostile name.
func appliance(t *testing.T, v *vcsim.VCenter, env map[string]string, password string) *gateway.Gateway {
	t.Helper()
	other, err := vcsim.Start(t.Context(), vcsim.Config{Site: 1})
	require.NoError(t, err)
	t.Cleanup(func() { _ = other.Close() })
	g, err := gateway.Start(t.Context(), gateway.Config{
		Protected: v, Recovery: other, Plain: true,
		User: mark + "local\"{}", Password: password, RemoteUser: mark + "remote\n", RemotePassword: password + "remote",
	})
	require.NoError(t, err)
	t.Cleanup(func() {
		assert.Equal(t, 0, g.Sessions())
		g.Close()
	})
	require.NoError(t, g.AddReplications(15, v.VMs()[0].ID))
	env["VSLA_REPLICATION_SERVER"] = g.URL()
	env["VSLA_REPLICATION_USER"], env["VSLA_REPLICATION_PASSWORD"] = g.User(), g.Password()
	env["VSLA_REPLICATION_REMOTE_USER"], env["VSLA_REPLICATION_REMOTE_PASSWORD"] = g.RemoteUser(), g.RemotePassword()
	return g
}
