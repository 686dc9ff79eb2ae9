// Command provider is the provider with waits shortened to a fiftieth, for soak only.
package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	framework "github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"

	"terraform-provider-vsla/internal/provider"
	"terraform-provider-vsla/internal/provider/kit/connection"
	"terraform-provider-vsla/internal/transport"
)

const (
	haste       = 50
	logoutLimit = 1500 * time.Millisecond
)

// slim omits data sources, because describing them takes longer than most calls.
type slim struct{ framework.Provider }

func (slim) DataSources(context.Context) []func() datasource.DataSource { return nil }

func main() { os.Exit(run()) }

func run() int {
	sessions := &connection.Sessions{}
	start := time.Now() //nolint:forbidigo // the clock is as fast as the waits: listings are kept by their age
	options := provider.Options{
		Version: "soak", Sessions: sessions,
		Now:   func() time.Time { return start.Add(haste * time.Since(start)) }, //nolint:forbidigo // as above
		Sleep: func(ctx context.Context, d time.Duration) error { return transport.Wait(ctx, d/haste) },
	}
	err := providerserver.Serve(context.Background(), func() framework.Provider { return slim{provider.New(options)()} },
		providerserver.ServeOpts{Address: "registry.terraform.io/vsla/vsla"})
	ctx, cancel := context.WithTimeout(context.Background(), logoutLimit)
	defer cancel()
	_ = sessions.Close(ctx) // the soak counts the sessions that are left
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}
