package explain_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/stretchr/testify/assert"

	"terraform-provider-vsla/internal/provider/kit/explain"
	"terraform-provider-vsla/internal/transport"
	"terraform-provider-vsla/internal/vr"
	"terraform-provider-vsla/internal/vsphere"
)

func TestDetail(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"log in to a: refused": "Log in to a: refused.",
		"vCenter server: no":   "vCenter server: no.",
		"ends. ":               "Ends.",
	} {
		assert.Equal(t, want, explain.Detail(errors.New(text)))
	}
	missing := &transport.NameError{
		What:  "tag",
		Name:  "gld",
		Names: []string{"silver", "gold"},
		Err:   vsphere.ErrNotFound,
	}
	want := `Tag "gld": not found. Available: "gold", "silver".`
	assert.Equal(t, want, explain.Detail(missing))
}

func TestFailure(t *testing.T) {
	t.Parallel()
	refused := func(total int) error {
		return &vsphere.PartialError{
			Operation: "attach tag gold", Kind: "objects", Total: total, Refused: []vsphere.Refusal{{ID: "vm-1"}},
		}
	}
	for name, test := range map[string]struct {
		failure explain.Failure
		want    string // prefix of the detail
	}{
		"rejected in part": {
			explain.Failure{Err: refused(3)},
			"vCenter rejected the objects below and applied the others, which are saved in state.",
		},
		"rejected altogether": {
			explain.Failure{Err: refused(1)},
			"vCenter rejected this request for all objects, so it changed nothing.",
		},
		"permission": {
			explain.Failure{Err: vsphere.ErrPermission, Privilege: "P"},
			"Permission denied, or no such object: vCenter returns the same error for both. Required privileges: P.",
		},
		"unknown host": {
			explain.Failure{Err: vsphere.ErrUnknownHost},
			"The name of the vCenter server cannot be resolved.",
		},
		"not a vCenter": {
			explain.Failure{Err: vsphere.ErrNotVCenter},
			"The server responds, but does not have the login API of vCenter.",
		},
		"services start": {
			explain.Failure{Err: vsphere.ErrNoOperation},
			"vCenter still rejects the operation after retries",
		},
		"too many sessions": {
			explain.Failure{Err: vsphere.ErrSessionLimit},
			"The user has reached vCenter's session limit.",
		},
		"login":             {explain.Failure{Err: vsphere.ErrLogin}, "vCenter rejected the user name or password."},
		"replication login": {explain.Failure{Err: vr.ErrLogin}, "The replication server rejected the user name"},
		"two kinds": {
			explain.Failure{Err: fmt.Errorf("%w: %w", vr.ErrRemote, vr.ErrRemoteLogin)},
			"The remote site rejected the user name or password.",
		},
		"anything": {explain.Failure{Err: vsphere.ErrInvalid}, "vCenter rejected the request for the reason below."},
	} {
		var diags diag.Diagnostics
		test.failure.AddTo(&diags)
		detail := diags[0].Detail()
		if !strings.HasPrefix(detail, test.want) || !strings.HasSuffix(detail, ".") {
			t.Errorf("%s: %q, want it to begin with %q and to end with a full stop", name, detail, test.want)
		}
	}
}
