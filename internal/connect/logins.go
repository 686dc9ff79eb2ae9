package connect

import (
	"sync"

	"terraform-provider-vsla/internal/transport"
)

// Logins caches the credentials used by the clients of one process, so that no client retries a password that was
// refused to another. It is safe for concurrent use. The zero value is empty.
type Logins struct {
	mu   sync.Mutex
	used map[login]*transport.Credentials
}

// login identifies an account without its server: vCenter, the appliance and the remote site may share one identity
// source.
type login struct{ user, password string }

func (l *Logins) of(user, password string) *transport.Credentials {
	if l == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	at := login{user, password}
	if l.used[at] == nil {
		if l.used == nil {
			l.used = make(map[login]*transport.Credentials)
		}
		l.used[at] = transport.NewCredentials()
	}
	return l.used[at]
}
