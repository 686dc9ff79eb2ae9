package gateway_test

import (
	"net/http"
	"testing"
	"time"

	"terraform-provider-vsla/internal/dev/lab/gateway"
)

// peer is a body of reconnectVrPairing with which it succeeds.
func (l *lab) peer() map[string]any {
	return map[string]any{
		"pair_vc_id": l.RemoteVCenterID(),
		"pair_psc_info": map[string]any{
			"url": "vc.recovery.lab", "port": 443, "thumbprint": l.RemoteThumbprint(),
			"username": l.RemoteUser(), "password": l.RemotePassword(),
		},
	}
}

// TestReconnect: sites that are apart are connected by the task, in both ways of refusing what is wrong. Until then the
// remote site is away, and a second reconnection is refused.
func TestReconnect(t *testing.T) {
	t.Parallel()
	for name, inTask := range map[string]bool{"refused in the answer": false, "refused in a task": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := connect(t, gateway.Config{Switches: gateway.Switches{FailInTask: inTask, NeedThumbprint: true}})
			l.BreakPairing()
			remote := l.pairing + "/vcenters/" + l.RemoteVCenterID() + "/datastores"
			l.get(t, remote).want(t, http.StatusInternalServerError)
			if a := l.get(t, l.pairing); a.text(t, "remote_vc_server.server_status") != "ERROR" {
				t.Errorf("the pairing is %s", a.raw)
			}
			try := func(code string, change func(spec, psc map[string]any)) {
				t.Helper()
				spec := l.peer()
				psc, _ := spec["pair_psc_info"].(map[string]any)
				change(spec, psc)
				a := l.call(t, http.MethodPost, l.pairing+"/actions/reconnect", spec)
				switch {
				case code == "":
					a.want(t, http.StatusAccepted)
				case inTask:
					l.Advance(6 * time.Second)
					if got := l.get(t, "/tasks/"+a.text(t, "id")); got.text(t, "error.details") != code {
						t.Errorf("%s, want %s", got.raw, code)
					}
				case a.want(t, http.StatusBadRequest).text(t, "error_code") != code:
					t.Errorf("%s, want %s", a.raw, code)
				}
			}
			try("PAIR_VC_UNKNOWN", func(spec, _ map[string]any) { spec["pair_vc_id"] = l.LocalVCenterID() })
			try("PSC_NOT_AVAILABLE", func(_, psc map[string]any) { psc["url"] = "vc.protected.lab" })
			try("PSC_NOT_AVAILABLE", func(_, psc map[string]any) { psc["port"] = 7444 })
			try("CERTIFICATE_NOT_TRUSTED", func(_, psc map[string]any) { psc["thumbprint"] = "11:11" })
			try("CERTIFICATE_NOT_TRUSTED", func(_, psc map[string]any) { psc["thumbprint"] = nil })
			try("PSC_LOGIN_FAILED", func(_, psc map[string]any) { psc["password"] = "wrong" })
			if !l.Apart() {
				t.Error("a failed reconnection connected the sites")
			}
			l.StartReconnect()
			if !inTask { // otherwise its answer comes when the first is done
				try("PAIRING_BUSY", func(map[string]any, map[string]any) {})
			}
			l.Advance(6 * time.Second)
			if l.Apart() {
				t.Error("the sites are still apart")
			}
			l.get(t, remote).want(t, http.StatusOK)
			try("", func(_, psc map[string]any) { psc["thumbprint"] = nil })
		})
	}
}
