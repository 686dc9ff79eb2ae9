package vsphere_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"terraform-provider-vsla/internal/dev/lab/fault"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
	"terraform-provider-vsla/internal/vsphere"
)

// TestLogin_answers: a refusal has its reason in a word and none of vCenter's text, an overloaded service is asked
// again with waits between, and a login that is refused for its form is tried once in the other.
func TestLogin_answers(t *testing.T) {
	t.Parallel()
	unauthenticated := func(text string) string {
		return `{"error_type":"UNAUTHENTICATED","messages":[{"id":"x","default_message":"` + text + `"}]}`
	}
	for name, test := range map[string]struct {
		rule   fault.Rule
		want   error
		says   string
		logins int
		waits  bool
	}{
		"locked": {
			rule: fault.Rule{Status: http.StatusUnauthorized, Body: unauthenticated("The user account is locked.")},
			want: vsphere.ErrLogin, says: "the account is locked", logins: 1,
		},
		"expired": {
			rule: fault.Rule{Status: http.StatusUnauthorized, Body: unauthenticated("User password expired.")},
			want: vsphere.ErrPasswordExpired, logins: 1,
		},
		"wrong": {
			rule: fault.Rule{Status: http.StatusUnauthorized, Body: unauthenticated("no such user/secret")},
			want: vsphere.ErrLogin, logins: 1,
		},
		"overloaded": {rule: fault.Rule{Status: http.StatusTooManyRequests, Times: 2}, logins: 3, waits: true},
		"form":       {rule: fault.Rule{Status: http.StatusUnsupportedMediaType, Times: 1}, logins: 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v, c, naps := start(t, vcsim.Config{})
			began := naps.now()
			test.rule.Kind = "POST session"
			v.Traffic().Break(test.rule)
			_, err := c.CategoryIDs(t.Context())
			if !errors.Is(err, test.want) || (err != nil && !strings.Contains(err.Error(), test.says)) ||
				strings.Contains(errorText(err), "secret") {
				t.Errorf("got %v, want %v with %q", err, test.want, test.says)
			}
			assert.Equal(t, test.logins, v.Traffic().Count("POST session"))
			assert.Equal(t, test.waits, !naps.now().Equal(began))
		})
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
