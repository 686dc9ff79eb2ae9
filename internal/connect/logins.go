// Logins that several clients share.

package connect

import (
	"sync"

	"terraform-provider-vsla/internal/transport"
)

// Logins are the credentials of the clients of one process: a password that one of them was refused with is not tried
// again by another. It is safe for concurrent use; the zero value is empty.
type Logins struct {
	mu   sync.Mutex
	used map[login]*transport.Credentials
}

type login struct{ vcenter, user, password string }

// of returns what the clients of a vCenter share that log in with a user and password; nil without logins to share.
func (l *Logins) of(vcenter, user, password string) *transport.Credentials {
	if l == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	at := login{vcenter, user, password}
	if l.used[at] == nil {
		if l.used == nil {
			l.used = make(map[login]*transport.Credentials)
		}
		l.used[at] = transport.NewCredentials()
	}
	return l.used[at]
}
