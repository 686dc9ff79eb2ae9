//go:build unix

package main

import (
	"context"
	"math/rand/v2"
	"net/http"
	"slices"
	"time"

	"terraform-provider-vsla/internal/dev/lab/gateway"
	"terraform-provider-vsla/internal/dev/lab/snapservice"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
)

// haste is the factor by which the provider's waits are shortened.
const haste = 50

// replicate starts an appliance and a recovery site. The appliance's time advances with polls of tasks and with the
// provider's waits, because nobody polls a task after a lost reply.
func (t *trial) replicate(ctx context.Context, env []string, sites map[string]string) ([]string, error) {
	var err error
	if t.recovery, err = vcsim.Start(ctx, vcsim.Config{Site: 1, VMs: 1}); err != nil {
		return env, err
	}
	g, err := gateway.Start(ctx, gateway.Config{
		Protected: t.lab, Recovery: t.recovery, Scale: haste, Real: time.Now, //nolint:forbidigo // of the provider
		Switches: gateway.Switches{FilterByNameOnly: t.random.IntN(2) == 0},
	})
	if err != nil {
		return env, err
	}
	g.StepPerPoll(20 * time.Second)
	shape := recordedShape(t.random)
	for _, operation := range []string{"getAllReplications", "getReplicationInfo"} {
		g.Spoil(operation, 0, shape)
	}
	t.gateway = g
	sites["pairing"], sites["vcenter"] = g.PairingID(), g.LocalVCenterID()
	sites["datastore"] = "Datastore:" + t.recovery.Datastores()[0].ID + ":" + g.RemoteVCenterID()
	return append(env,
		"VSLA_REPLICATION_SERVER="+g.URL(), "VSLA_REPLICATION_USER="+g.User(),
		"VSLA_REPLICATION_PASSWORD="+g.Password(), "VSLA_REPLICATION_REMOTE_USER="+g.RemoteUser(),
		"VSLA_REPLICATION_REMOTE_PASSWORD="+g.RemotePassword(),
	), nil
}

// recordedShape gives rows the forms of recorded answers: statuses of a violated RPO, absent fields, error objects,
// null links.
func recordedShape(r *rand.Rand) func(map[string]any) {
	violated, absent, objects, links := r.IntN(2) == 0, r.IntN(2) == 0, r.IntN(2) == 0, r.IntN(2) == 0
	words := map[any]string{
		"OK": "RPO_VIOLATION", "SYNC": "SYNC_RPO_VIOLATION", "NOT_ACTIVE": "NOT_ACTIVE_RPO_VIOLATION",
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

// protect starts a vSAN Data Protection appliance whose time advances with requests.
func (t *trial) protect(ctx context.Context, sites map[string]string) (err error) {
	clusters := t.lab.Clusters()
	t.vms = slices.DeleteFunc(t.vms, func(id string) bool {
		return !slices.ContainsFunc(t.lab.VMs(), func(vm vcsim.VM) bool {
			return vm.ID == id && vm.Cluster == clusters[0].Name
		})
	})
	sites["cluster"], sites["pair"] = clusters[0].ID, snapservice.PairOf(clusters[0].ID)
	t.protection, err = snapservice.Start(ctx, snapservice.Config{
		VCenter: t.lab,
		Wrap: func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				t.protection.Advance(time.Second)
				next.ServeHTTP(w, r)
			})
		},
	})
	return err
}

func (t *trial) close() {
	if t.gateway != nil {
		t.gateway.Close()
	}
	if t.protection != nil {
		t.protection.Close()
	}
	for _, v := range []*vcsim.VCenter{t.recovery, t.lab} {
		if v != nil {
			_ = v.Close()
		}
	}
}
