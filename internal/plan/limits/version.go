package limits

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"terraform-provider-vsla/internal/plan"
)

// versionForm matches 8, 8.0, 8.0.3 and 8.0 U3.
var versionForm = regexp.MustCompile(`^(\d{1,9}(?:\.\d{1,9}){0,3})(?: U(\d{1,9}))?$`)

// versionNumbers contains up to four numbers of a version, and the number of its update in the last place.
type versionNumbers [5]int

func parseVersion(version string) (versionNumbers, bool) {
	var n versionNumbers
	match := versionForm.FindStringSubmatch(version)
	if match == nil {
		return n, false
	}
	for i, part := range strings.Split(match[1], ".") {
		n[i], _ = strconv.Atoi(part)
	}
	n[len(n)-1], _ = strconv.Atoi(match[2])
	return n, true
}

// nearest returns the newest version with published limits that is not newer than the given one.
func nearest(product, version string) (string, error) {
	wanted, ok := parseVersion(version)
	if !ok {
		return "", fmt.Errorf("must be a version such as 8.0 or 8.0 U3, got %q", version)
	}
	found := ""
	// Versions is ascending, so the last match is the newest.
	for _, v := range Versions(product) {
		if n, _ := parseVersion(v); slices.Compare(n[:], wanted[:]) <= 0 {
			found = v
		}
	}
	if found == "" {
		return "", fmt.Errorf("must be %s or newer for %s: no limits of older versions are known, got %q",
			Versions(product)[0], product, version)
	}
	return found, nil
}

// findLimits returns the limits of the nearest version, and that version. datastoreVMs also applies to later versions.
func findLimits(product, version string) ([]Limit, string, error) {
	of, err := nearest(product, version)
	if err != nil {
		return nil, "", plan.InputErrors{}.With(plan.Attr("version"), err)
	}
	var rows []Limit
	for _, l := range published {
		if l.Product == product && (l.Version == of || l.Name == datastoreVMs) {
			rows = append(rows, l)
		}
	}
	return rows, of, nil
}

func sameVersion(a, b string) bool {
	m, _ := parseVersion(a)
	n, _ := parseVersion(b)
	return m == n
}
