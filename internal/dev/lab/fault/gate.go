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

// Gate blocks the requests of a rule until a test opens it. Use Hold as the rule's Before.
type Gate struct {
	arrived chan struct{}
	open    chan struct{}
	arrive  sync.Once
	release sync.Once
}

// NewGate returns a closed gate.
func NewGate() *Gate { return &Gate{arrived: make(chan struct{}), open: make(chan struct{})} }

// Hold waits until the gate is opened or the request is cancelled.
func (g *Gate) Hold(r *http.Request) {
	g.arrive.Do(func() { close(g.arrived) })
	select {
	case <-g.open:
	case <-r.Context().Done():
	}
}

// Arrived returns a channel that is closed when the first request waits.
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
		_ = xml.EscapeText(&escaped, []byte(text)) // writes to a buffer never fail
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
