package vcsim

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/sts"
	_ "github.com/vmware/govmomi/sts/simulator" // registers the STS
)

// Cluster is a cluster of hosts.
type Cluster struct {
	ID, Name string
}

// Clusters returns the clusters, sorted by name.
func (v *VCenter) Clusters() []Cluster {
	var list []Cluster
	for _, e := range v.model.Service.Context.Map.All("ClusterComputeResource") {
		if c, ok := e.(*simulator.ClusterComputeResource); ok {
			list = append(list, Cluster{c.Self.Value, c.Name})
		}
	}
	slices.SortFunc(list, func(a, b Cluster) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// The fault and the default address of the STS.
const (
	stsPath          = "/sts/STSService"
	failedAuthFormat = `<?xml version="1.0" encoding="UTF-8"?>
<S:Envelope xmlns:S="http://schemas.xmlsoap.org/soap/envelope/"><S:Body><S:Fault>
<faultcode>ns0:FailedAuthentication</faultcode><faultstring>%s</faultstring></S:Fault></S:Body></S:Envelope>`
)

// serveSTS checks user and password, unlike the simulator, and counts failures for the lockout.
func (v *VCenter) serveSTS(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(body))
	var envelope struct {
		User     string `xml:"Header>Security>UsernameToken>Username"`
		Password string `xml:"Header>Security>UsernameToken>Password"`
	}
	if err == nil {
		err = xml.Unmarshal(body, &envelope)
	}
	if err != nil || !v.sessions.account.login(envelope.User, envelope.Password) {
		w.Header().Set("Content-Type", "text/xml; charset=utf-8")
		w.WriteHeader(http.StatusInternalServerError)
		_, _ = fmt.Fprintf(w, failedAuthFormat, "Invalid credentials")
		return
	}
	r.URL.Path = sts.SystemPath // the path in the simulator
	v.model.Service.ServeMux.ServeHTTP(w, r)
}
