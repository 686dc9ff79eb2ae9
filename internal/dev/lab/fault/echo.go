package fault

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"encoding/xml"
	"net/http"
	"net/http/httputil"
	"strings"
)

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
