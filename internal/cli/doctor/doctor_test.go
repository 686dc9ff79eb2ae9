package doctor_test

import (
	"fmt"
	"maps"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/cli/doctor"
	"terraform-provider-vsla/internal/dev/lab/fault"
	"terraform-provider-vsla/internal/dev/lab/gateway"
	"terraform-provider-vsla/internal/dev/lab/tagging"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
)

func TestRun_releases(t *testing.T) {
	t.Parallel()
	const ok, unknown = doctor.OK, doctor.Unknown
	common := map[string]doctor.Result{
		"privilege-names":   ok,
		"linked-vcenters":   ok,
		"tag-not-found":     ok,
		"no-such-operation": ok,
		"gone-object":       ok,
		"all-object-types":  unknown,
		"library-types":     unknown,
		"stale-marker":      ok,
		"ended-session":     ok,
		"event-types":       ok,
		"event-order":       unknown,
		"event-vm":          unknown,
		"violation-repeats": unknown,
	}
	// Listings that contain the names of tags were introduced in vCenter 9.0. vCenter 7.0 before Update 2 does not
	// report linked vCenters.
	for release, differences := range map[tagging.Release][]string{
		tagging.Release70: {"linked-vcenters", "stale-marker"},
		tagging.Release80: {"stale-marker"},
		tagging.Release90: nil,
		tagging.Release91: nil,
	} {
		t.Run(string(release), func(t *testing.T) {
			t.Parallel()
			l := start(t, vcsim.Config{Release: release})
			_, err := l.Tags().AddCategory(tagging.Category{Name: "tier", Cardinality: "SINGLE"})
			require.NoError(t, err)
			report, text := l.run(t.Context(), t)
			want := maps.Clone(common)
			for _, id := range differences {
				want[id] = unknown
			}
			assert.Equal(t, want, results(t, report), text)
			below := "/api"
			if release == tagging.Release70 {
				below = "/rest"
			}
			for _, sentence := range []string{
				"Release " + string(release) + ".0, ", "Tagging uses " + below + " and lists 1 category.",
				"Nothing was changed.",
				"Not checked, because these variables are not set: VSLA_REPLICATION_SERVER, VSLA_REPLICATION_USER",
				"| config.vpxd.stats.maxQueryMetrics | not set, so the default applies |",
			} {
				assert.Contains(t, text, sentence)
			}
			assert.Empty(t, report.Failed, "failed")
			assert.False(t, report.Interrupted, "failed: %q, %v", report.Failed, report.Interrupted)
			assert.Less(t, l.Traffic().Total(), 60, "%+v", l.Traffic().Counts())
			for kind := range l.Traffic().Counts() {
				method, _, _ := strings.Cut(kind, " ")
				read := strings.HasPrefix(kind, "soap:") || method == "GET" || strings.Contains(kind, ":list-") ||
					strings.HasSuffix(kind, " session")
				assert.True(t, read, "sends %s", kind)
			}
		})
	}
}

// TestRun_login verifies that a rejected login is not retried over the other protocol, because that could lock the
// account.
func TestRun_login(t *testing.T) {
	t.Parallel()
	l := start(t, vcsim.Config{})
	l.settings.Password = "wrong"
	report, text := l.run(t.Context(), t)
	logins := l.Traffic().Count("soap:Login") + l.Traffic().Count("POST session")
	require.Equal(t, 1, logins)
	assert.False(t, l.Locked(), "%d logins, locked: %v", logins, l.Locked())
	const want = "vCenter: the user or password was rejected; not retried, to avoid locking the account."
	assert.EqualValues(t, []string{want}, report.Failed)
	assert.Empty(t, report.Checks)
	assert.Contains(t, text, want)
}

func TestRun_certificate(t *testing.T) {
	t.Parallel()
	l := start(t, vcsim.Config{})
	l.settings.CAFile = ""
	report, text := l.run(t.Context(), t)
	want := []string{"vCenter: the certificate is not trusted, because its authority is unknown: set VSLA_CA_FILE to " +
		"the root certificates."}
	require.EqualValues(t, want, report.Failed)
	assert.Equal(t, 0, l.Traffic().Total())
	assert.Contains(t, text, "no response: the certificate is not trusted")
	l.settings.Insecure = true
	report, _ = l.run(t.Context(), t)
	assert.Empty(t, report.Failed, "with certificates not checked")
}

func TestRun_noPrivileges(t *testing.T) {
	t.Parallel()
	l := start(t, vcsim.Config{Release: tagging.Release91})
	l.LackPrivileges()
	l.Tags().Deny(tagging.Read, true)
	report, text := l.run(t.Context(), t)
	require.Empty(t, report.Failed)
	rows := regexp.MustCompile(`(?m)^\| [^|]+ \| - \| \w[^|]+ \| - \|$`).FindAllString(text, -1)
	assert.Len(t, rows, 7) // rows without any granted privilege
	assert.Contains(t, text, "permission denied (HTTP 403 UNAUTHORIZED)")
}

func TestRun_somePrivileges(t *testing.T) {
	t.Parallel()
	l := start(t, vcsim.Config{MaxQueryMetrics: 64})
	l.LackPrivileges("InventoryService.Tagging.ObjectAttachable", "InventoryService.Tagging.DeleteTag")
	_, text := l.run(t.Context(), t)
	for _, row := range []string{
		"| vsla_tag_association, vsla_object_tags | InventoryService.Tagging.AttachTag | " +
			"InventoryService.Tagging.ObjectAttachable | - |",
		"| vsla_tag, vsla_tags | InventoryService.Tagging.CreateTag, InventoryService.Tagging.EditTag | " +
			"InventoryService.Tagging.DeleteTag | - |",
		"| config.vpxd.stats.maxQueryMetrics | 64 |",
	} {
		assert.Contains(t, text, row)
	}
}

func TestRun_differences(t *testing.T) {
	t.Parallel()
	for id, rule := range map[string]fault.Rule{
		"tag-not-found": {Kind: "GET tag/{id}", Status: 400, Body: `{"error_type":"INVALID_ARGUMENT"}`},
		"no-such-operation": {
			Kind:   "GET /api/vcenter/tagging/vsla-doctor",
			Status: 404,
			Body:   `{"error_type":"NOT_FOUND"}`,
		},
		"gone-object":   {Kind: "POST tag-association:list-attached-tags", Status: 400},
		"stale-marker":  {Kind: "GET /api/vcenter/tagging/tags", Times: 1, Status: 400},
		"ended-session": {Kind: "GET category", Skip: 1, Status: 200, Body: `[]`},
	} {
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			l := start(t, vcsim.Config{Release: tagging.Release91})
			l.Traffic().Break(rule)
			report, text := l.run(t.Context(), t)
			assert.Equal(t, doctor.Differs, results(t, report)[id], text)
		})
	}
}

func TestRun_recognises(t *testing.T) {
	t.Parallel()
	l := start(t, vcsim.Config{})
	l.Tags().ForbidGone(true)
	l.WrapSessionEnds(true)
	report, text := l.run(t.Context(), t)
	got := results(t, report)
	require.Equal(t, doctor.OK, got["gone-object"])
	assert.Equal(t, doctor.OK, got["ended-session"])
	for _, sentence := range []string{
		"The inventory confirms that the VM does not exist",
		"(HTTP 400 INVALID_ARGUMENT)",
	} {
		assert.Contains(t, text, sentence)
	}
}

func TestRun_libraryTypes(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"com.vmware.content.Library": "| ok | Content libraries are named com.vmware.content.Library. |",
		"ContentLibrary":             "| differs | Content libraries are named ContentLibrary. ",
	} {
		l := start(t, vcsim.Config{})
		_, err := l.Tags().AddCategory(tagging.Category{
			Name:            "x",
			Cardinality:     "SINGLE",
			AssociableTypes: []string{"VirtualMachine", name},
		})
		require.NoError(t, err)
		_, text := l.run(t.Context(), t)
		assert.Contains(t, text, "| `library-types` "+want)
	}
}

func TestRun_operationSucceeds(t *testing.T) {
	t.Parallel()
	l := start(t, vcsim.Config{})
	l.Traffic().Break(fault.Rule{Kind: "GET /api/vcenter/tagging/vsla-doctor", Status: 200, Body: `{}`})
	_, text := l.run(t.Context(), t)
	assert.Contains(t, text, "| `no-such-operation` | differs | A nonexistent operation succeeds. |")
}

func TestRun_count(t *testing.T) {
	t.Parallel()
	l := start(t, vcsim.Config{})
	var counts []int
	l.options.Count = func(done, all int) {
		counts = append(counts, done)
		assert.Equal(t, 13, all) // 7 vCenter checks, 4 replication reads and 2 appliances
	}
	l.run(t.Context(), t)
	require.Len(t, counts, 13)
	assert.IsIncreasing(t, counts)
}

func TestAppliance_totals(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		meta map[string]any
		want doctor.Result
	}{
		"text":              {map[string]any{"total": "1"}, doctor.Differs},
		"text, with links":  {map[string]any{"total": "1", "links": map[string]any{}}, doctor.Differs},
		"fraction":          {map[string]any{"total": 1.5}, doctor.Differs},
		"neither":           {map[string]any{}, doctor.Differs},
		"null, with links":  {map[string]any{"total": nil, "links": map[string]any{}}, doctor.OK},
		"number, no links":  {map[string]any{"total": 1}, doctor.OK},
		"links and no more": {map[string]any{"links": map[string]any{}}, doctor.OK},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := start(t, vcsim.Config{})
			g := l.withAppliance(t, gateway.Switches{})
			require.NoError(t, g.AddReplications(15, l.VMs()[0].ID))
			g.ChangeAnswers("getAllReplications", 0, func(answer map[string]any) { answer["_meta"] = test.meta })
			report, text := l.run(t.Context(), t)
			assert.Equal(t, test.want, applianceResults(t, report)["list-totals"], text)
		})
	}
}

// addPairings adds pairings to the one that the appliance lists.
func addPairings(t *testing.T, g *gateway.Gateway, more int) {
	t.Helper()
	g.ChangeAnswers("getVrPairings", 0, func(answer map[string]any) {
		list, _ := answer["list"].([]any)
		assert.Len(t, list, 1, "the list of pairings is %v", answer["list"])
		for n := range more {
			list = append(list, map[string]any{"pairing_id": fmt.Sprintf("ffffffff-0000-4000-8000-%012d", n)})
		}
		answer["list"], answer["_meta"] = list, map[string]any{"total": 1 + more}
	})
}

func TestReport_answer(t *testing.T) {
	t.Parallel()
	const unset = " Not set, so not checked: VSLA_REPLICATION_SERVER, VSLA_REPLICATION_USER, " +
		"VSLA_REPLICATION_PASSWORD, VSLA_REPLICATION_REMOTE_USER, VSLA_REPLICATION_REMOTE_PASSWORD, " +
		"VSLA_DATA_PROTECTION_SERVER."
	for name, test := range map[string]struct {
		change func(*lab)
		want   string
	}{
		"vCenter only": {func(*lab) {}, "You may start." + unset},
		"replication": {
			func(l *lab) { l.withAppliance(t, gateway.Switches{}) },
			"You may start. Not set, so not checked: VSLA_DATA_PROTECTION_SERVER.",
		},
		"a privilege is missing": {
			func(l *lab) { l.LackPrivileges("InventoryService.Tagging.DeleteTag") },
			"You may start, but not with everything. Missing privileges on the root folder: vsla_tag, vsla_tags: " +
				"InventoryService.Tagging.DeleteTag." + unset,
		},
		"no appliance": {
			func(l *lab) {
				l.withAppliance(t, gateway.Switches{})
				l.settings.Replication.Server = "127.0.0.1:1"
			},
			"You may start, but not with everything. vSphere Replication: nothing listens at the address, which " +
				"refuses the connection. Not set, so not checked: VSLA_DATA_PROTECTION_SERVER.",
		},
		"no vCenter": {
			func(l *lab) { l.settings.CAFile = "" },
			"You cannot start yet. vCenter: the certificate is not trusted, because its authority is unknown: set " +
				"VSLA_CA_FILE to the root certificates." + unset,
		},
	} {
		l := start(t, vcsim.Config{})
		test.change(l)
		l.options.Full = false
		report, text := l.run(t.Context(), t)
		assert.Equal(t, test.want, report.Answer(), name)
		assert.True(t, strings.HasPrefix(text, test.want+"\n"), name)
		assert.LessOrEqual(t, strings.Count(text, "\n"), 40, name)
		assert.NotContains(t, text, "```", name)
	}
}
