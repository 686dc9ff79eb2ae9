package fault

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"encoding/xml"
	"net/http"
	"net/http/httputil"
	"strings"
	"sync"
)

// Gate blocks matching requests until a test opens it. Use Hold as the Before function of a Rule.
type Gate struct {
	arrived chan struct{}
	open    chan struct{}
	arrive  sync.Once
	release sync.Once
}

// NewGate returns a closed gate.
func NewGate() *Gate { return &Gate{arrived: make(chan struct{}), open: make(chan struct{})} }

// Hold blocks until the gate is opened or the request is canceled.
func (g *Gate) Hold(r *http.Request) {
	g.arrive.Do(func() { close(g.arrived) })
	select {
	case <-g.open:
	case <-r.Context().Done():
	}
}

// Arrived returns a channel that is closed when the first request reaches the gate.
func (g *Gate) Arrived() <-chan struct{} { return g.arrived }

// Open unblocks all requests.
func (g *Gate) Open() { g.release.Do(func() { close(g.open) }) }

func echo(r *http.Request) string {
	dump, err := httputil.DumpRequest(r, true)
	if err != nil {
		return err.Error()
	}
	text := "quoted: " + string(dump) + " " + base64.StdEncoding.EncodeToString(dump)
	if strings.HasPrefix(r.URL.Path, "/sdk") || strings.HasPrefix(r.URL.Path, "/sts") {
		var escaped bytes.Buffer
		_ = xml.EscapeText(&escaped, []byte(text))
		return `<Envelope xmlns="http://schemas.xmlsoap.org/soap/envelope/"><Body><Fault><faultcode>ServerFaultCode` +
			`</faultcode><faultstring>` + escaped.String() + `</faultstring></Fault></Body></Envelope>`
	}
	quoted, err := json.Marshal(text)
	if err != nil {
		return err.Error()
	}
	return strings.ReplaceAll(`{"error_type":"INVALID_ARGUMENT","messages":[{"default_message":TEXT}],`+
		`"error_code":TEXT,"message":TEXT,"op_id":TEXT}`, "TEXT", string(quoted))
}
