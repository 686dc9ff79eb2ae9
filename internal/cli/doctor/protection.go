package doctor

import (
	"context"
	"errors"
	"maps"
	"slices"

	"terraform-provider-vsla/internal/snapservice"
	"terraform-provider-vsla/internal/transport"
)

const sampledClusters = 3

// Values documented by the API. All other values are replaced with placeholders.
var (
	groupStates = []string{
		"ACTIVE", "ACTIVE_PARTIAL_RECOVERY", "ACTIVE_RANSOMWARE_RECOVERY", "DEMOTED", "DORMANT",
		"DORMANT_PARTIAL_RECOVERY", "DORMANT_RANSOMWARE_RECOVERY", "MARKED_FOR_DELETE", "PAUSED",
		"PAUSED_PARTIAL_RECOVERY", "PAUSED_RANSOMWARE_RECOVERY", "RECOVERY",
	}
	capabilities = []string{
		"snapshot", "replication", "seeding", "gfs", "immutable_snapshots", "tagging", "anytovsan",
		"ransomware_recovery",
		"health_replication", "multisite", "replication_snapshot_retention",
	}
	periodUnits = []string{"MINUTE", "HOUR", "DAY", "WEEK", "MONTH", "YEAR"}
)

type protectionExaminer struct {
	*session

	client *snapservice.Client
}

func (s *session) examineProtection(ctx context.Context, client *snapservice.Client) {
	p := &protectionExaminer{s, client}
	release, err := client.Release(ctx)
	if err != nil {
		s.report.Failed.add("vSAN Data Protection: %s.", reason(err))
		return
	}
	p.report.Protection.add("Release %s.", p.versionText(release))
	warning, err := client.CheckVCenter(ctx)
	switch {
	case errors.Is(err, snapservice.ErrOtherVCenter):
		p.report.Protection.add("The appliance belongs to another vCenter, so all other reads were skipped.")
		return
	case err != nil:
		p.report.Protection.add("The sites could not be read: %s.", reason(err))
		return
	case warning != "":
		p.report.Protection.add("This user is not allowed to read the sites.")
	default:
		p.report.Protection.add("The local site belongs to this vCenter.")
	}
	groups, err := client.AllGroups(ctx)
	if err != nil {
		p.report.Protection.add("The protection groups could not be read: %s.", reason(err))
		return
	}
	p.reportGroups(groups)
	clusters := slices.Sorted(maps.Keys(groups))
	for _, cluster := range clusters[:min(sampledClusters, len(clusters))] {
		p.reportCluster(ctx, cluster)
	}
}

// addWords reports words with their counts. It replaces words that are not documented with placeholders.
func (p *protectionExaminer) addWords(what string, words, documented []string, err error) {
	if errors.Is(err, context.Canceled) || errors.Is(err, transport.ErrSession) {
		return
	}
	if err != nil {
		p.report.Protection.add("%s could not be read: %s.", what, reason(err))
		return
	}
	shown := make([]string, 0, len(words))
	for _, word := range words {
		shown = append(shown, knownOr(documented, word, "{word}"))
	}
	if len(shown) == 0 {
		shown = []string{"none"}
	}
	p.report.Protection.add("%s: %s.", what, countedListText(shown))
}

func (p *protectionExaminer) reportGroups(byCluster map[string][]snapservice.Group) {
	var states, units []string
	for _, groups := range byCluster {
		for _, g := range groups {
			states = append(states, g.Status)
			for _, r := range g.Replication {
				units = append(units, r.RPO.Unit)
			}
		}
	}
	p.addWords("Protection group states", states, groupStates, nil)
	p.addWords("RPO units", units, periodUnits, nil)
}

func (p *protectionExaminer) reportCluster(ctx context.Context, cluster string) {
	list, err := p.client.Capabilities(ctx, cluster)
	p.addWords("Cluster capabilities", list, capabilities, err)
	pairs, err := p.client.Pairs(ctx, cluster)
	var words []string
	for _, pair := range pairs {
		words = append(words, pair.Status)
	}
	p.addWords("Cluster pair states", words, []string{"OK", "WARNING", "ERROR"}, err)
	if len(pairs) > 0 { // read the license of the remote site, not of the local one
		modes, err := p.client.LicenseModes(ctx, pairs[0].Peer.SiteID)
		p.addWords("License modes of the peer", modes, []string{"OPERATIONAL", "DEGRADED", "SUSPENDED"}, err)
	}
}
