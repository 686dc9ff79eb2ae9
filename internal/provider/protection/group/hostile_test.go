package group_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/lab/fault"
	lab "terraform-provider-vsla/internal/dev/lab/snapservice"
)

func TestEchoedSecretsAreRemoved(t *testing.T) {
	t.Parallel()
	p := start(t, lab.Switches{})
	text := "secret-session-0001 " + p.VCenter.Password() + `\u001b[31m` + strings.Repeat("x", 64<<10)
	p.Traffic().Break(fault.Rule{
		Kind:   "capabilities",
		Status: http.StatusBadRequest,
		Body: `{"error_type":` +
			`"INVALID_ARGUMENT","messages":[{"id":"x","default_message":"` + text + `","args":[]}]}`,
	})
	message := regexp.MustCompile(`(?s)^.*\(removed\)\s+\(removed\)\\x1b.*\(truncated\).*$`)
	p.Run(t, resource.TestStep{Config: gold(p, byID(p, 0)), ExpectError: message})
}

func TestHostileNamesAreEscaped(t *testing.T) {
	t.Parallel()
	p := start(t, lab.Switches{})
	const text = `\u001b[31m\r\n# <b>@admin</b> [x](https://evil.example)`
	long := text + strings.Repeat("x", 64<<10)
	body := strings.ReplaceAll(`{"included_vms":[],"excluded_vms":[{"vm":"vm-1","vm_name":"TEXT","protection_groups":[],
		"membership_change_type":"EXCLUDE",
		"membership_change_reasons":[{"id":"x","default_message":"TEXT","args":[]}]}]}`,
		"TEXT", long)
	p.Traffic().Break(fault.Rule{Kind: "preview", Status: http.StatusOK, Body: body})
	p.Run(t, step(gold(p, byID(p, 0))))
	got := warnings(p, "Excludes 1 VM")
	require.NotEmpty(t, got, "got no warning of the excluded VM")
	for _, w := range got {
		assert.LessOrEqual(t, len(w), 3000)
		assert.False(t, strings.ContainsAny(w, "\x1b\r"),
			"got %d bytes, %.300q, want at most 1,000 of name and reason each, without control characters", len(w), w)
		assert.Contains(t, w, "(truncated)")
	}
}

func TestHiddenMembersAreNotListed(t *testing.T) {
	t.Parallel()
	p := start(t, lab.Switches{})
	before, after := removal(t, p)
	p.Hide(p.VM(4))
	p.Run(t, step(gold(p, before)), step(gold(p, after), members(p, "removes", 2, 6)))
	got := warnings(p, `Protection by Group "gold" Ends for 2 VMs`)
	require.NotEmpty(t, got, "got no warning that names VMs 2 and 6")
	for _, w := range got {
		assert.Contains(t, w, "Members that the account cannot read are not listed")
	}
}
