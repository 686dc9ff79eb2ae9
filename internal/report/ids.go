package report

// IDs of the parts of a page that do not belong to a kind of result.
const (
	idSummary = "summary"
	idChanged = "changed"
	idAssumed = "assumed"

	idPeriod = "sla"
	idGroups = "groups"
)

func reservedIDs() map[string]bool {
	return map[string]bool{
		idSummary: true,
		idChanged: true,
		idAssumed: true,
		idPeriod:  true,
		idGroups:  true,
	}
}
