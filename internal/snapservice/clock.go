package snapservice

import (
	"bytes"
	"io"
	"net/http"
	"regexp"
	"time"
)

// stsTimes matches the times in a token request. They can be modified because requests for bearer tokens are not
// signed.
var stsTimes = regexp.MustCompile(`(Created|Expires)([^<>]*)>(\d{4}-\d\d-\d\dT[\d:.]+Z)<`)

// serverClock adjusts the times in token requests to the vCenter clock, because the STS rejects times that differ by
// more than ten minutes.
type serverClock struct {
	next  http.RoundTripper
	shift time.Duration
	// ahead is how far the vCenter clock is ahead of the local clock, according to the last Date header received. It is
	// 0 before the first one.
	ahead time.Duration
}

// RoundTrip implements http.RoundTripper.
func (c *serverClock) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	if err := r.Body.Close(); err != nil {
		return nil, err
	}
	var created time.Time
	body = stsTimes.ReplaceAllFunc(body, func(match []byte) []byte {
		parts := stsTimes.FindSubmatch(match)
		at, err := time.Parse(time.RFC3339, string(parts[3]))
		if err != nil {
			return match
		}
		if created.IsZero() {
			created = at
		}
		return bytes.Replace(match, parts[3], []byte(at.Add(c.shift).Format("2006-01-02T15:04:05.000Z")), 1)
	})
	shifted := r.Clone(r.Context())
	shifted.Body = io.NopCloser(bytes.NewReader(body))
	shifted.ContentLength = int64(len(body))
	resp, err := c.next.RoundTrip(shifted)
	if err != nil {
		return nil, err
	}
	if date, err := http.ParseTime(resp.Header.Get("Date")); err == nil && !created.IsZero() {
		c.ahead = date.Sub(created)
	}
	return resp, nil
}
