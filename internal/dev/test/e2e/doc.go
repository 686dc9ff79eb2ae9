// Package e2e tests the provider binary with real CLIs: sessions, interrupted and killed runs, secrets and warnings.
package e2e
