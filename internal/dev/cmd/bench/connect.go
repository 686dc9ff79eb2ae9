// The client of the bare calls.

package main

import (
	"context"
	"net/url"

	"github.com/vmware/govmomi"
	"github.com/vmware/govmomi/vapi/rest"
	"github.com/vmware/govmomi/vapi/tags"
	"github.com/vmware/govmomi/vim25/soap"
)

// connect logs govmomi in. The function that it returns logs out.
func connect(ctx context.Context, m *meter) (*tags.Manager, func(), error) {
	u, err := soap.ParseURL(m.lab.URL())
	if err != nil {
		return nil, nil, err
	}
	u.User = url.UserPassword(m.lab.User(), m.lab.Password())
	vc, err := govmomi.NewClient(ctx, u, true)
	if err != nil {
		return nil, nil, err
	}
	r := rest.NewClient(vc.Client)
	r.DefaultTransport().MaxIdleConnsPerHost = 20
	if err := r.Login(ctx, u.User); err != nil {
		return nil, nil, err
	}
	return tags.NewManager(r), func() {
		_ = r.Logout(ctx)
		_ = vc.Logout(ctx)
	}, nil
}
