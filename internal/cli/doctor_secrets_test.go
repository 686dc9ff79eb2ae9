package cli_test

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

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
	assert.Negative(t, strings.Index(output, mark), what)
	assert.Empty(t, identifying.FindString(output), what)
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
	slices.SortFunc(refs,
		func(a, b types.ManagedObjectReference) int { return strings.Compare(a.String(), b.String()) })
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
			Name:        nameOf(1000 + n),
			Description: nameOf(2000 + n),
			Cardinality: "MULTIPLE",
		})
		require.NoError(t, err)
		tag, err := v.Tags().AddTag(tagging.Tag{
			Name:        nameOf(3000 + n),
			Description: nameOf(4000 + n),
			CategoryID:  category,
		})
		require.NoError(t, err)
		require.NoError(t, v.Tags().Attach(tag, tagging.Object{Type: "VirtualMachine", ID: v.VMs()[0].ID}))
	}
}

// hostileKeys makes the servers return unknown fields, and errors whose messages and types contain hostile names.
func hostileKeys(v *vcsim.VCenter, g *gateway.Gateway) {
	key := `"` + mark + `key": {"` + mark + `inner": ["` + mark + `"]}`
	v.Traffic().Break(fault.Rule{
		Kind:   "GET /api/vcenter/topology/nodes",
		Status: 200,
		Body:   `[{"node": "` + mark + `", ` + key + `}]`,
	})
	v.Traffic().Break(fault.Rule{
		Kind:   "GET tag/{id}",
		Status: 400,
		Header: map[string]string{"Retry-After": mark},
		Body: `{"error_type": "` + mark + `", "messages": ` +
			`[{"id": "` + mark + `", "default_message": "` + mark + `"}]}`,
	})
	v.Traffic().Break(fault.Rule{
		Kind:   "soap:QueryOptions",
		Status: 500,
		Header: map[string]string{"Content-Type": "text/xml"},
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
		code    int
		written string
	}{
		"7.0": {release: tagging.Release70, code: cli.ExitOK, written: "Nothing was changed."},
		"9.1": {release: tagging.Release91, code: cli.ExitOK, written: "Nothing was changed."},
		"keys": {
			release: tagging.Release90,
			change:  hostileKeysOnly,
			code:    cli.ExitMiss,
			written: "node, {2 other names}",
		},
		"no privileges": {
			release: tagging.Release91,
			code:    cli.ExitError,
			written: "permission denied",
			change: func(v *vcsim.VCenter, g *gateway.Gateway, _ map[string]string) {
				v.LackPrivileges()
				v.Tags().Deny(tagging.Read, true)
				g.Deny("getVrPairings")
			},
		},
		"wrong password": {
			code:    cli.ExitError,
			written: "rejected the same user",
			change: func(_ *vcsim.VCenter, _ *gateway.Gateway, env map[string]string) {
				env["VSPHERE_PASSWORD"] = password + "x"
				env["VSLA_REPLICATION_USER"] = env["VSPHERE_USER"]
			},
		},
		"wrong passwords of the appliance": {
			code:    cli.ExitError,
			written: "vSphere Replication: the user or password was rejected",
			change: func(_ *vcsim.VCenter, _ *gateway.Gateway, env map[string]string) {
				env["VSLA_REPLICATION_PASSWORD"] = password + "x"
			},
		},
		"host that does not exist": {
			code:    cli.ExitError,
			written: "vCenter: ",
			change: func(_ *vcsim.VCenter, _ *gateway.Gateway, env map[string]string) {
				env["VSPHERE_SERVER"] = mark + ".invalid"
			},
		},
		"not a host": {
			code:    cli.ExitUsage,
			written: "must be a host, host:port or URL",
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
			code, out, errs := examination(t, env)
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
		Protected:      v,
		Recovery:       other,
		Plain:          true,
		User:           mark + "local\"{}",
		Password:       password,
		RemoteUser:     mark + "remote\n",
		RemotePassword: password + "remote",
	})
	require.NoError(t, err)
	t.Cleanup(func() {
		assert.Equal(t, 0, g.Sessions())
		g.Close()
	})
	require.NoError(t, g.AddReplications(15, v.VMs()[0].ID))
	env["VSLA_REPLICATION_SERVER"] = g.URL()
	env["VSLA_REPLICATION_USER"], env["VSLA_REPLICATION_PASSWORD"] = g.User(), g.Password()
	env["VSLA_REPLICATION_REMOTE_USER"] = g.RemoteUser()
	env["VSLA_REPLICATION_REMOTE_PASSWORD"] = g.RemotePassword()
	return g
}
