package replication_test

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/dev/lab/gateway"
)

const unknown = tftypes.UnknownValue

// planned plans a replication of VM n with additional arguments. It returns the sorted diagnostics, formatted as
// "severity: attribute: summary".
func planned(t *testing.T, p process, s *acctest.Sites, n int, more map[string]any) []string {
	t.Helper()
	arguments := map[string]any{
		"pairing_id":          s.PairingID(),
		"vm_id":               s.VM(n),
		"target_datastore_id": s.Datastore(0),
		"rpo_minutes":         60,
	}
	maps.Copy(arguments, more)
	config := acctest.Object(t, p.schema, arguments)
	answer, err := p.PlanResourceChange(t.Context(), &tfprotov6.PlanResourceChangeRequest{
		TypeName:         typeName,
		PriorState:       p.none(t),
		ProposedNewState: config,
		Config:           config,
	})
	require.NoError(t, err)
	var all []string
	for _, d := range answer.Diagnostics {
		at := strings.TrimSuffix(strings.TrimPrefix(d.Attribute.String(), "AttributeName(\""), "\")")
		all = append(all, fmt.Sprintf("%s: %s: %s", d.Severity, at, d.Summary))
	}
	slices.Sort(all)
	return all
}

// policies returns the IDs of two storage policies of the target site: good, with which all datastores comply, and bad,
// with which none of them complies.
func policies(s *acctest.Sites) (good, bad string) {
	all := s.RemotePolicies()
	return all[1], all[2]
}

const notCompliant = "Datastore Does Not Comply With Storage Policy"

// Default policies and datastore clusters are not checked.
func TestPlan_policies(t *testing.T) {
	t.Parallel()
	s := acctest.StartSites(t, 1, gateway.Switches{})
	good, bad := policies(s)
	key := strconv.Itoa(int(s.Protected.VMStates()[0].Disks[0].Key))
	disk := func(arguments map[string]any) map[string]any { return map[string]any{key: arguments} }
	const whole, own = "target_storage_policy_id", "storage_policy_id"
	for name, test := range map[string]struct {
		config map[string]any
		want   []string
		checks int
	}{
		"compliant": {map[string]any{whole: good}, nil, 1},
		"not compliant": {
			map[string]any{whole: bad},
			[]string{"ERROR: " + whole + ": " + notCompliant},
			1,
		},
		"a disk's own": {
			map[string]any{whole: good, "disks": disk(map[string]any{own: bad})},
			[]string{"ERROR: disks: " + notCompliant},
			2,
		},
		"a disk's own only": {
			map[string]any{"disks": disk(map[string]any{own: bad})},
			[]string{"ERROR: disks: " + notCompliant},
			1,
		},
		"at a disk's datastore": {
			map[string]any{whole: good, "disks": disk(map[string]any{"target_datastore_id": s.Datastore(1)})},
			nil,
			2,
		},
		"both": {
			map[string]any{whole: bad, "disks": disk(map[string]any{"target_datastore_id": s.Datastore(1)})},
			[]string{"ERROR: " + whole + ": " + notCompliant, "ERROR: " + whole + ": " + notCompliant},
			2,
		},
		"policy unknown":            {map[string]any{whole: unknown}, nil, 0},
		"datastore unknown":         {map[string]any{whole: bad, "target_datastore_id": unknown}, nil, 0},
		"a disk's policy unknown":   {map[string]any{whole: good, "disks": disk(map[string]any{own: unknown})}, nil, 1},
		"the datastore's default":   {map[string]any{whole: "dsbrowser.defaultStoragePolicy"}, nil, 0},
		"datastore cluster":         {map[string]any{whole: bad, "target_datastore_id": cluster(s)}, nil, 0},
		"the check is switched off": {map[string]any{whole: bad, "skip_capability_check": true}, nil, 0},
	} {
		// Use a new provider for each plan, because results are cached.
		p := (&fleet{s: s}).start(t)
		s.Traffic().Reset()
		assert.Equal(t, test.want, planned(t, p, s, 0, test.config), name)
		assert.Equal(t, test.checks, s.Traffic().Count("checkStoragePolicyCompliance"), name)
	}
	s.Deny("checkStoragePolicyCompliance")
	p := (&fleet{s: s}).start(t)
	want := []string{"WARNING: " + whole + ": Storage Policy Not Checked"}
	assert.Equal(t, want, planned(t, p, s, 0, map[string]any{whole: good}))
}

func cluster(s *acctest.Sites) string { return "StoragePod:group-p1:" + s.RemoteVCenterID() }

// TestPlan_policiesOfHundred verifies that 100 replications with two policies and two datastores need only four
// compliance checks.
func TestPlan_policiesOfHundred(t *testing.T) {
	t.Parallel()
	const n = 100
	s := acctest.StartSites(t, n, gateway.Switches{})
	good, bad := policies(s)
	f := &fleet{s: s, states: make([]*tfprotov6.DynamicValue, n)}
	p := f.start(t)
	f.each(func(i int) {
		policy := good
		want := 0
		if i%2 == 1 {
			policy = bad
			want = 1
		}
		got := planned(t, p, s, i, map[string]any{
			"target_storage_policy_id": policy,
			"target_datastore_id":      s.Datastore(i / 2 % 2),
		})
		refused := slices.DeleteFunc(got, func(d string) bool { return !strings.HasSuffix(d, notCompliant) })
		assert.Len(t, refused, want, "VM %d: %q", i+1, got)
	})
	assert.Equal(t, 4, s.Traffic().Count("checkStoragePolicyCompliance"))
}

// TestAccReplication_rpoLimits verifies that the limits of the pairing decide on an RPO below 5 minutes, where the
// release reports them.
func TestAccReplication_rpoLimits(t *testing.T) {
	t.Parallel()
	s := acctest.StartSites(t, 1, gateway.Switches{Enhanced: true, Latest: gateway.Latest{Capabilities: true}})
	s.Run(t, resource.TestStep{
		Config: config(s, 4),
		Check:  resource.TestCheckResourceAttr(address, "rpo_minutes", "4"),
	})
}
