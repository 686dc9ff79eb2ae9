//go:build unix

package soak_test

import (
	"math/rand/v2"
	"net/http"
	"time"

	"terraform-provider-vsla/internal/dev/lab/gateway"
	"terraform-provider-vsla/internal/dev/lab/snapservice"
)

// replicate starts an appliance whose clock advances with each task poll and with the provider's clock. Polls alone are
// not sufficient, because a task whose response was lost is not polled. Half of the appliances have the newest revision
// of the API.
func (s *trial) replicate(sites map[string]string) {
	switches := gateway.Switches{FilterByNameOnly: s.random.IntN(2) == 0}
	if s.random.IntN(2) == 0 {
		switches.Latest = gateway.AllOfLatest()
	}
	g := s.lab.AddReplication(s.T, gateway.Config{
		Scale:    speedup,
		Real:     time.Now, //nolint:forbidigo // same speed as the provider's clock
		Switches: switches,
	})
	g.StepPerPoll(20 * time.Second)
	shape := recordedShape(s.random)
	for _, operation := range []string{"getAllReplications", "getReplicationInfo"} {
		g.ChangeAnswers(operation, 0, shape)
	}
	s.gateway = g
	sites["pairing"], sites["vcenter"] = g.PairingID(), g.LocalVCenterID()
	sites["datastore"] = "Datastore:" + s.lab.Recovery.Datastores()[0].ID + ":" + g.RemoteVCenterID()
}

// recordedShape returns a function that gives lists and rows a random selection of the features of recorded responses:
// statuses with an RPO violation, missing fields, error objects and null links.
func recordedShape(r *rand.Rand) func(map[string]any) {
	violated := r.IntN(2) == 0
	absent := r.IntN(2) == 0
	objects := r.IntN(2) == 0
	links := r.IntN(2) == 0
	words := map[any]string{
		"OK":         "RPO_VIOLATION",
		"SYNC":       "SYNC_RPO_VIOLATION",
		"NOT_ACTIVE": "NOT_ACTIVE_RPO_VIOLATION",
	}
	return func(answer map[string]any) {
		for _, row := range gateway.Rows(answer) {
			status, _ := row["status"].(map[string]any)
			if word, ok := words[status["status"]]; ok && violated {
				status["status"], status["rpo_violation"] = word, true
			}
			if absent {
				delete(row, "source_site_name")
			}
			if objects {
				row["recovery_error"] = map[string]any{"message": "", "details": nil}
			}
		}
		if _, list := answer["list"]; list && links {
			gateway.NullLinks(answer)
		}
	}
}

// protect starts a vSAN Data Protection appliance whose clock advances with each request.
func (s *trial) protect(sites map[string]string) {
	cluster := s.lab.Clusters()[0]
	s.vms = nil
	for _, vm := range s.lab.VMs() {
		if vm.Cluster == cluster.Name {
			s.vms = append(s.vms, vm.ID)
		}
	}
	sites["cluster"], sites["pair"] = cluster.ID, snapservice.PairID(cluster.ID)
	s.protection = s.lab.AddProtection(s.T, snapservice.Config{
		Wrap: func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				s.protection.Advance(time.Second)
				next.ServeHTTP(w, r)
			})
		},
	})
}
