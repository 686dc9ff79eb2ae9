package group

import (
	"context"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"terraform-provider-vsla/internal/snapservice"
	"terraform-provider-vsla/internal/transport"
)

func TestCheckGroup_unread(t *testing.T) {
	t.Parallel()
	client, err := snapservice.New(snapservice.Config{
		Server:   "https://127.0.0.1:1",
		VCenter:  "https://127.0.0.1:1",
		User:     "user",
		Password: "password",
		Settings: transport.Settings{
			Now:   func() time.Time { return time.Time{} },
			Sleep: func(ctx context.Context, _ time.Duration) error { return ctx.Err() },
		},
	})
	require.NoError(t, err)
	state := newImported("domain-c8", "group-1")
	state.Name = types.StringValue("gold")
	var diags diag.Diagnostics
	p := planner{plan: &state, state: &state, diags: &diags, client: client}
	p.checkGroup(t.Context())
	require.Len(t, diags, 1)
	assert.Equal(t, `Unable to Read Protection Group "gold"`, diags[0].Summary())
}
