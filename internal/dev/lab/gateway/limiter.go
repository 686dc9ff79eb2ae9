package gateway

import (
	"net"
	"strconv"
	"time"
)

type window struct {
	start    time.Duration
	requests int
}

type limiter struct {
	limits  Limits
	service window
	ips     map[string]*window
	session map[string]*window
}

func (l *limiter) allow(g *Gateway, c *call) bool {
	host, _, err := net.SplitHostPort(c.r.RemoteAddr)
	if err != nil {
		host = c.r.RemoteAddr
	}
	tiers := []struct {
		w     *window
		quota int
	}{
		{entry(l.ips, host), l.limits.IP},
		{&l.service, l.limits.Service},
	}
	if id := c.r.Header.Get(sessionHeader); g.sessions.active[id] != nil {
		tiers = append(tiers, struct {
			w     *window
			quota int
		}{entry(l.session, id), l.limits.Session})
	}
	now := g.engine.Now()
	for _, tier := range tiers {
		if tier.quota == 0 {
			continue
		}
		start := now.Truncate(l.limits.Window)
		if tier.w.start != start {
			*tier.w = window{start: start}
		}
		tier.w.requests++
		if tier.w.requests <= tier.quota {
			continue
		}
		if l.limits.RetryAfter {
			left := start + l.limits.Window - now
			c.w.Header().Set("Retry-After", strconv.Itoa(int((left+time.Second-1)/time.Second)))
		}
		g.writeError(c, l.limits.Status, "RATE_LIMIT_EXCEEDED", "There were too many requests.")
		return false
	}
	return true
}

func entry(m map[string]*window, key string) *window {
	if m[key] == nil {
		m[key] = &window{}
	}
	return m[key]
}
