// Package e2e tests the provider binary with real CLIs: sessions, interrupts, kills, secrets and warnings.
package e2e
