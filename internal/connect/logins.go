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

// login is an account: one that is refused by a vCenter is not tried at the appliance and at the other site either,
// where it may be the same account.
type login struct{ user, password string }

// of returns what the clients share that log in with a user and password; nil without logins to share.
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
