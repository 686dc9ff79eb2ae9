// Package e2e holds the tests that run the provider's binary under the real CLI: sessions, interrupts, kills, secrets
// and warnings.
package e2e
