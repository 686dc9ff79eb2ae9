package connect

import (
	"sync"

	"terraform-provider-vsla/internal/transport"
)

// Logins holds the credentials that the clients of one process share, so that a password rejected by one server is not
// sent again by another client. It is safe for concurrent use. The zero value is empty.
type Logins struct {
	mu      sync.Mutex
	byLogin map[login]*transport.Credentials
}

// login identifies an account. The server is not part of the key, because vCenter, the appliance and the remote site
// may share an identity source.
type login struct{ user, password string }

// credentials returns the shared credentials of an account. It returns nil if l is nil.
func (l *Logins) credentials(user, password string) *transport.Credentials {
	if l == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	key := login{user, password}
	if l.byLogin[key] == nil {
		if l.byLogin == nil {
			l.byLogin = make(map[login]*transport.Credentials)
		}
		l.byLogin[key] = transport.NewCredentials()
	}
	return l.byLogin[key]
}
