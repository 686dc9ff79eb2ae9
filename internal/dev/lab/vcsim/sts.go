package vcsim

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/vmware/govmomi/sts"
	_ "github.com/vmware/govmomi/sts/simulator"
)

const (
	stsPath     = "/sts/STSService"
	faultFormat = `<?xml version="1.0" encoding="UTF-8"?>
<S:Envelope xmlns:S="http://schemas.xmlsoap.org/soap/envelope/"><S:Body><S:Fault>
<faultcode>ns0:%s</faultcode><faultstring>%s</faultstring></S:Fault></S:Body></S:Envelope>`
	stsTolerance = 10 * time.Minute
)

// SetSTSClock sets how far the STS clock is ahead of the computer's clock.
func (v *VCenter) SetSTSClock(ahead time.Duration) { v.stsAhead.Store(int64(ahead)) }

func (v *VCenter) serveSTS(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(body))
	var envelope struct {
		User     string `xml:"Header>Security>UsernameToken>Username"`
		Password string `xml:"Header>Security>UsernameToken>Password"`
		Created  string `xml:"Header>Security>Timestamp>Created"`
		Lifetime string `xml:"Body>RequestSecurityToken>Lifetime>Created"`
	}
	if err == nil {
		err = xml.Unmarshal(body, &envelope)
	}
	now := time.Now() //nolint:forbidigo // govmomi's client sends the real time
	now = now.Add(time.Duration(v.stsAhead.Load()))
	w.Header().Set("Date", now.UTC().Format(http.TimeFormat))
	refuse := func(code, text string) {
		w.Header().Set("Content-Type", "text/xml; charset=utf-8")
		w.WriteHeader(http.StatusInternalServerError)
		_, _ = fmt.Fprintf(w, faultFormat, code, text)
	}
	for _, text := range []string{envelope.Created, envelope.Lifetime} {
		created, parseErr := time.Parse(time.RFC3339, text)
		isOff := parseErr != nil || now.Sub(created).Abs() > stsTolerance
		if err == nil && isOff {
			refuse("InvalidTimeRange", "The time now does not fall in the request lifetime interval")
			return
		}
	}
	if err != nil || !v.sessions.account.login(envelope.User, envelope.Password) {
		refuse("FailedAuthentication", "Invalid credentials")
		return
	}
	r.URL.Path = sts.SystemPath
	v.model.Service.ServeMux.ServeHTTP(w, r)
}
