package history

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/lab/fault"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
	"terraform-provider-vsla/internal/estate/eventlog"
	"terraform-provider-vsla/internal/plan/history"
	"terraform-provider-vsla/internal/plan/quantity"
	"terraform-provider-vsla/internal/provider/kit/period"
	"terraform-provider-vsla/internal/transport"
	"terraform-provider-vsla/internal/vsphere"
)

func start(t *testing.T) (*vcsim.VCenter, *vsphere.Client) {
	t.Helper()
	v, err := vcsim.Start(t.Context(), vcsim.Config{VMs: 3})
	require.NoError(t, err)
	c, err := vsphere.New(vsphere.Config{
		Server:   v.URL(),
		User:     v.User(),
		Password: v.Password(),
		Settings: transport.Settings{Insecure: true},
	})
	require.NoError(t, err)
	t.Cleanup(func() { _ = v.Close() })
	return v, c
}

func TestWarn_retention(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		prepare func(*vcsim.VCenter) error
		want    string
	}{
		"12 days": {
			func(v *vcsim.VCenter) error { return v.RetainEvents(12) },
			"it keeps events for 12 days: event.maxAge",
		},
		"all": {func(v *vcsim.VCenter) error { return v.RetainEvents(0) }, "it keeps all events: event.maxAgeEnabled " +
			"is false"},
		"denied": {
			func(v *vcsim.VCenter) error {
				v.Traffic().Break(fault.Rule{Kind: "soap:QueryOptions", Status: http.StatusBadRequest})
				return nil
			},
			"its event retention is unknown: event.maxAge",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v, c := start(t)
			require.NoError(t, test.prepare(v))
			var diags diag.Diagnostics
			measured := measurement{Summary: history.Summary{VMs: map[string]history.Result{"vm-1": {}}}}
			warn([]measuredVM{{id: "vm-1", history: history.VM{RPOMinutes: 15}}}, measured,
				eventlog.ReadRetention(t.Context(), c), &diags)
			got := fmt.Sprint(diags)
			require.Equal(t, 1, diags.WarningsCount())
			assert.Contains(t, got, test.want)
		})
	}
}

// TestWarn_share verifies that a VM is listed if 6% of its time is unknown, but not if 5% is unknown, and that
// WarnRetention warns about lookbacks longer than a retention of 12 days.
func TestWarn_share(t *testing.T) {
	t.Parallel()
	v, c := start(t)
	require.NoError(t, v.RetainEvents(12))
	retention := eventlog.ReadRetention(t.Context(), c)
	var diags diag.Diagnostics
	vm := func(unknown float64) history.Result {
		return history.Result{KnownMinutes: 1000 - unknown, UnknownMinutes: unknown, CompliancePercent: new(100.0)}
	}
	measured := measurement{Summary: history.Summary{VMs: map[string]history.Result{"vm-1": vm(60), "vm-2": vm(50)}}}
	of := history.VM{RPOMinutes: 15}
	warn([]measuredVM{
		{id: "vm-1", history: of},
		{id: "vm-2", history: of},
	}, measured, retention, &diags)
	const want = "1 of 2 VMs is unknown for all or part of the period: vm-1 (, 6% unknown)"
	got := fmt.Sprint(diags)
	require.Equal(t, 1, diags.WarningsCount())
	assert.Contains(t, got, want)
	for hours, want := range map[float64]int{12 * 24: 0, 12*24 + 1: 1} {
		var diags diag.Diagnostics
		period.WarnRetention(retention, hours, path.Root("lookback_hours"), &diags)
		assert.Equal(t, want, diags.WarningsCount(), "%+v", hours)
	}
}

func TestSubjects_unread(t *testing.T) {
	t.Parallel()
	v, c := start(t)
	v.Traffic().Break(fault.Rule{
		Kind:   "POST tag-association:list-attached-objects",
		Status: http.StatusOK,
		Body: fmt.Sprintf(
			`[{"type":"VirtualMachine","id":%q},{"type":"VirtualMachine","id":"vm-none"}]`, v.VMs()[0].ID),
	})
	var diags diag.Diagnostics
	config := model{
		TagID: types.StringValue("urn:vmomi:InventoryServiceTag:x:GLOBAL"),
		VMIDs: types.ListNull(types.StringType),
	}
	list := findVMs(t.Context(), c, &config, &diags)
	const want = "1 of the 2 VMs with the tag are excluded"
	got := fmt.Sprint(diags)
	assert.Len(t, list, 1)
	assert.False(t, diags.HasError(), "got %d VMs and %s, want one and %q", len(list), got, want)
	assert.Contains(t, got, want)
}

func TestResultOf(t *testing.T) {
	t.Parallel()
	kinds := make(map[string]attr.Type)
	for name, a := range resultAttributes() {
		kinds[name] = a.GetType()
	}
	object, diags := types.ObjectValueFrom(t.Context(), kinds, resultOf(history.Result{
		Size:        quantity.FromGiB(1),
		Transferred: quantity.FromGiB(2),
		Syncs: history.Syncs{
			Delta:            3,
			AppQuiescedDelta: 4,
			FSQuiescedDelta:  5,
			UnquiescedDelta:  6,
			Full:             7,
		},
		Delta:              history.Quantiles{Median: new(8.0), P95: new(9.0)},
		Interval:           history.Quantiles{Median: new(10.0), P95: new(11.0)},
		Lateness:           history.Quantiles{Median: new(12.0), P95: new(13.0)},
		Violations:         14,
		Interruptions:      15,
		ViolationMinutes:   16,
		KnownMinutes:       17,
		UnknownMinutes:     18,
		CompliancePercent:  new(19.0),
		DailyChangeGiB:     new(20.0),
		DailyChangePercent: new(21.0),
	}))
	require.False(t, diags.HasError(), "%+v", diags)
	for i, name := range strings.Fields(`size_gib transferred_gib delta_syncs app_quiesced_delta_syncs
		fs_quiesced_delta_syncs unquiesced_delta_syncs full_syncs median_delta_gib p95_delta_gib median_interval_minutes
		p95_interval_minutes median_lateness_minutes p95_lateness_minutes violations interruptions violation_minutes
		known_minutes unknown_minutes compliance_percent daily_change_gib daily_change_percent`) {
		assert.Equal(t, strconv.Itoa(i+1), strings.TrimSuffix(object.Attributes()[name].String(), ".000000"), name)
	}
}
