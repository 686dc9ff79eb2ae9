// The published operations, three ways: with the provider's client, with govmomi in as few calls as it has, and with
// one call for each pair.

package main

import (
	"context"
	"fmt"
	"net/url"
	"os"

	"github.com/vmware/govmomi"
	"github.com/vmware/govmomi/vapi/rest"
	"github.com/vmware/govmomi/vapi/tags"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"

	"terraform-provider-vsla/internal/vsphere"
)

// The ways.
const (
	ours    = "vsla"
	bulk    = "govmomi, bulk calls"
	onePair = "one call for each pair"
)

// many is the size of the published bulk operations.
const many = 1000

// peers are two clients of one vCenter, logged in.
type peers struct {
	vsla    *vsphere.Client
	manager *tags.Manager
	close   func()
}

func connect(ctx context.Context, m *meter) (*peers, error) {
	ca, err := os.CreateTemp("", "vsla-bench-*.pem")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.Remove(ca.Name()) }()
	if _, err := ca.Write(m.lab.CAPEM()); err != nil {
		return nil, err
	}
	c, err := vsphere.New(
		vsphere.Config{Server: m.lab.URL(), User: m.lab.User(), Password: m.lab.Password(), CAFile: ca.Name()},
	)
	if err != nil {
		return nil, err
	}
	if _, err := c.Categories(ctx, func(vsphere.Category) bool { return true }); err != nil { // log in
		return nil, err
	}
	u, err := soap.ParseURL(m.lab.URL())
	if err != nil {
		return nil, err
	}
	u.User = url.UserPassword(m.lab.User(), m.lab.Password())
	vc, err := govmomi.NewClient(ctx, u, true)
	if err != nil {
		return nil, err
	}
	r := rest.NewClient(vc.Client)
	r.DefaultTransport().MaxIdleConnsPerHost = 20
	if err := r.Login(ctx, u.User); err != nil {
		return nil, err
	}
	return &peers{vsla: c, manager: tags.NewManager(r), close: func() {
		_ = c.Close(ctx)
		_ = r.Logout(ctx)
		_ = vc.Logout(ctx)
	}}, nil
}

// operations measures each published operation.
func operations(ctx context.Context, m *meter, o options) error {
	p, err := connect(ctx, m)
	if err != nil {
		return err
	}
	defer p.close()
	n := min(many, o.vms)
	vms := make([]vsphere.Object, 0, n)
	refs := make([]mo.Reference, 0, n)
	for _, vm := range m.lab.VMs()[:n] {
		vms = append(vms, vsphere.Object{Type: "VirtualMachine", ID: vm.ID})
		refs = append(refs, types.ManagedObjectReference{Type: "VirtualMachine", Value: vm.ID})
	}
	for _, way := range []string{ours, bulk, onePair} {
		b := bench{ctx: ctx, meter: m, peers: p, way: way, vms: vms, refs: refs}
		if err := b.run(); err != nil {
			return err
		}
	}
	return nil
}

// bench runs the operations one way, in a separate category.
type bench struct {
	ctx context.Context //nolint:containedctx // a run is as long as its context
	*meter
	*peers

	way  string
	vms  []vsphere.Object
	refs []mo.Reference

	category, tag string
	tags          []string
}

func (b *bench) run() error {
	n := thousands(len(b.vms))
	for _, step := range []struct {
		what string
		do   func() error
	}{
		{"create a category", b.createCategory},
		{"create a tag", b.createTag},
		{"attach a tag to one VM", func() error { return b.attach(1) }},
		{"list one VM's tags", b.listTags},
		{"attach a tag to " + n + " VMs", func() error { return b.attach(len(b.vms)) }},
		{"list those VMs", b.listVMs},
		{"", b.createTags},
		{"attach " + n + " tags to one VM", b.attachTags},
		{"list those tags", b.listTags},
		{"", func() error { return b.vsla.DeleteCategory(b.ctx, b.category) }},
	} {
		if step.what == "" { // not measured
			if err := step.do(); err != nil {
				return err
			}
			continue
		}
		if err := b.measure("operations", step.what, b.way, func() (int64, error) { return 0, step.do() }); err != nil {
			return err
		}
	}
	return nil
}

func (b *bench) createCategory() (err error) {
	if b.way == ours {
		b.category, err = b.vsla.CreateCategory(b.ctx, vsphere.Category{Name: b.way, Cardinality: vsphere.Multiple})
		return err
	}
	b.category, err = b.manager.CreateCategory(
		b.ctx,
		&tags.Category{Name: b.way, Cardinality: vsphere.Multiple, Description: "d", AssociableTypes: []string{}},
	)
	return err
}

func (b *bench) createTag() (err error) {
	if b.way == ours {
		b.tag, err = b.vsla.CreateTag(b.ctx, vsphere.Tag{Name: "gold", CategoryID: b.category})
		return err
	}
	b.tag, err = b.manager.CreateTag(b.ctx, &tags.Tag{Name: "gold", CategoryID: b.category, Description: "d"})
	return err
}

func (b *bench) attach(n int) error {
	switch {
	case b.way == ours:
		return b.vsla.AttachTag(b.ctx, b.tag, b.vms[:n])
	case b.way == bulk && n > 1:
		return b.manager.AttachTagToMultipleObjects(b.ctx, b.tag, b.refs[:n])
	}
	for _, ref := range b.refs[:n] {
		if err := b.manager.AttachTag(b.ctx, b.tag, ref); err != nil {
			return err
		}
	}
	return nil
}

func (b *bench) listVMs() error {
	if b.way == ours {
		_, err := b.vsla.ObjectsWithTag(b.ctx, b.tag)
		return err
	}
	_, err := b.manager.ListAttachedObjects(b.ctx, b.tag)
	return err
}

func (b *bench) createTags() error {
	list := make([]vsphere.Tag, 0, len(b.vms))
	for i := range b.vms {
		list = append(list, vsphere.Tag{Name: fmt.Sprintf("tag-%04d", i), CategoryID: b.category})
	}
	for _, result := range b.vsla.CreateTags(b.ctx, list) {
		if result.Err != nil {
			return result.Err
		}
		b.tags = append(b.tags, result.Tag.ID)
	}
	return nil
}

func (b *bench) attachTags() error {
	switch b.way {
	case ours:
		return b.vsla.AttachTags(b.ctx, b.vms[0], b.tags)
	case bulk:
		return b.manager.AttachMultipleTagsToObject(b.ctx, b.tags, b.refs[0])
	}
	for _, tag := range b.tags {
		if err := b.manager.AttachTag(b.ctx, tag, b.refs[0]); err != nil {
			return err
		}
	}
	return nil
}

func (b *bench) listTags() error {
	if b.way == ours {
		_, err := b.vsla.TagsOfObject(b.ctx, b.vms[0])
		return err
	}
	_, err := b.manager.ListAttachedTags(b.ctx, b.refs[0])
	return err
}
