package vsphere_test

import (
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/dev/lab/fault"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
	"terraform-provider-vsla/internal/transport"
	"terraform-provider-vsla/internal/vsphere"
)

func TestLogin_doesNotLockTheAccount(t *testing.T) {
	t.Parallel()
	v, c, _ := startLab(t, vcsim.Config{}, func(config *vsphere.Config) { config.Password = "stale" })
	var group sync.WaitGroup
	for range 10 {
		group.Go(func() {
			_, err := c.Tag(t.Context(), "x")
			assert.ErrorIs(t, err, vsphere.ErrLogin)
		})
		group.Go(func() {
			_, err := c.VirtualMachines(t.Context(), vsphere.VMFilter{}, vsphere.VMParts{})
			assert.ErrorIs(t, err, vsphere.ErrLogin)
		})
	}
	group.Wait()
	assert.False(t, v.Locked(), "the account is locked")
	assert.Equal(t, 1, v.Traffic().Count("POST session")+v.Traffic().Count("soap:Login"))
}

func TestLogin_sessionLimit(t *testing.T) {
	t.Parallel()
	v, c, _ := startLab(t, vcsim.Config{MaxSessions: 1})
	newTag(t, c)
	sleeps := &sleepRecorder{}
	other, err := vsphere.New(vsphere.Config{
		Server:   v.URL(),
		User:     v.User(),
		Password: v.Password(),
		Settings: transport.Settings{Insecure: true, Sleep: sleeps.sleep, Now: sleeps.now},
	})
	require.NoError(t, err)
	_, err = other.Tag(t.Context(), "x")
	require.ErrorIs(t, err, vsphere.ErrSessionLimit)
	require.NotErrorIs(t, err, vsphere.ErrUnavailable)
	require.Len(t, sleeps.sleeps, 4)
	for _, d := range sleeps.sleeps {
		assert.GreaterOrEqual(t, d, 15*time.Second)
	}
}

// TestLogin_notVCenter verifies that a server without the login of REST or SOAP is no vCenter.
func TestLogin_notVCenter(t *testing.T) {
	t.Parallel()
	v, c, _ := startLab(t, vcsim.Config{})
	v.Traffic().Break(fault.Rule{Kind: "soap:Login", Status: http.StatusNotFound})
	_, err := c.VirtualMachines(t.Context(), vsphere.VMFilter{}, vsphere.VMParts{})
	require.ErrorIs(t, err, vsphere.ErrNotVCenter)
	v.Traffic().Break(fault.Rule{Kind: "POST session", Status: http.StatusNotFound, Body: "<html>404</html>"})
	_, err = c.Tag(t.Context(), "x")
	require.ErrorIs(t, err, vsphere.ErrNotVCenter)
	assert.NotErrorIs(t, err, vsphere.ErrNotFound)
}

// TestLogin_notUnderstood verifies that a login whose response nobody understands is repeated once, because each might
// open a session.
func TestLogin_notUnderstood(t *testing.T) {
	t.Parallel()
	for _, run := range [][2]string{
		{"POST session", "<html>"},
		{"POST session", `""`},
		{"soap:Login", "<html></html>"},
		{"soap:Login", "<html"},
	} {
		kind, body := run[0], run[1]
		v, c, _ := startLab(t, vcsim.Config{})
		v.Traffic().Break(fault.Rule{Kind: kind, Status: http.StatusOK, Body: body})
		_, err := c.Tag(t.Context(), "x")
		_, listed := c.VirtualMachines(t.Context(), vsphere.VMFilter{}, vsphere.VMParts{})
		require.ErrorIs(t, errors.Join(err, listed), vsphere.ErrUnavailable, kind)
		assert.Equal(t, 2, v.Traffic().Count(kind), kind)
	}
}

func TestLogin_answers(t *testing.T) {
	t.Parallel()
	unauthenticated := func(text string) string {
		return `{"error_type":"UNAUTHENTICATED","messages":[{"id":"x","default_message":"` + text + `"}]}`
	}
	for name, test := range map[string]struct {
		rule    fault.Rule
		want    error
		message string
		logins  int
		sleeps  bool
	}{
		"locked": {
			rule:    fault.Rule{Status: http.StatusUnauthorized, Body: unauthenticated("The user account is locked.")},
			want:    vsphere.ErrLogin,
			message: "the account is locked",
			logins:  1,
		},
		"expired": {
			rule:   fault.Rule{Status: http.StatusUnauthorized, Body: unauthenticated("User password expired.")},
			want:   vsphere.ErrPasswordExpired,
			logins: 1,
		},
		"wrong": {
			rule:   fault.Rule{Status: http.StatusUnauthorized, Body: unauthenticated("no such user/secret")},
			want:   vsphere.ErrLogin,
			logins: 1,
		},
		"overloaded": {rule: fault.Rule{Status: http.StatusTooManyRequests, Times: 2}, logins: 3, sleeps: true},
		"form":       {rule: fault.Rule{Status: http.StatusUnsupportedMediaType, Times: 1}, logins: 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v, c, sleeps := startLab(t, vcsim.Config{})
			began := sleeps.now()
			test.rule.Kind = "POST session"
			v.Traffic().Break(test.rule)
			_, err := c.CategoryIDs(t.Context())
			require.ErrorIs(t, err, test.want)
			if err != nil {
				assert.Contains(t, err.Error(), test.message)
			}
			assert.NotContains(t, errorText(err), "secret")
			assert.Equal(t, test.logins, v.Traffic().Count("POST session"))
			assert.Equal(t, test.sleeps, !sleeps.now().Equal(began))
		})
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// TestLogin_expiredPassword checks that a login with an expired password is not retried, because retries could lock the
// account.
func TestLogin_expiredPassword(t *testing.T) {
	t.Parallel()
	v, c, _ := startLab(t, vcsim.Config{})
	v.Traffic().Break(fault.Rule{
		Kind:   "soap:Login",
		Status: http.StatusInternalServerError,
		Body:   soapFault("PasswordExpired", ""),
	})
	var group sync.WaitGroup
	for range 6 {
		group.Go(func() {
			_, err := c.VirtualMachines(t.Context(), vsphere.VMFilter{}, vsphere.VMParts{})
			if assert.ErrorIs(t, err, vsphere.ErrPasswordExpired) {
				assert.ErrorIs(t, err, vsphere.ErrLogin)
			}
		})
	}
	group.Wait()
	assert.Equal(t, 1, v.Traffic().Count("soap:Login"))
}

// TestLogin_refusedByStatus checks that a 401 response, even one from a proxy, is not retried, and that the error
// does not contain its body.
func TestLogin_refusedByStatus(t *testing.T) {
	t.Parallel()
	v, c, sleeps := startLab(t, vcsim.Config{}, func(config *vsphere.Config) { config.Password = "hidden" })
	v.Traffic().Break(fault.Rule{Kind: "soap:Login", Status: http.StatusUnauthorized, Echo: true})
	for range 2 {
		_, err := c.VirtualMachines(t.Context(), vsphere.VMFilter{}, vsphere.VMParts{})
		want := "login rejected (HTTP 401)"
		require.ErrorIs(t, err, vsphere.ErrLogin)
		assert.True(t, strings.HasSuffix(err.Error(), want), "got %v, want %q", err, want)
	}
	require.Equal(t, 1, v.Traffic().Count("soap:Login"))
	assert.Empty(t, sleeps.sleeps)
}
