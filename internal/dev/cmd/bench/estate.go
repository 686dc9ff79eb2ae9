// A whole estate through Terraform: categories of many tags, and one association in each over all VMs.

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/vmware/govmomi/vapi/tags"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/types"
	"golang.org/x/sync/errgroup"

	"terraform-provider-vsla/internal/dev/terraformcli"
	"terraform-provider-vsla/internal/vsphere"
)

const (
	ours      = "vsla"
	newest    = "vsla, vCenter 9.1"
	bareCalls = "bare govmomi calls, 10 at a time"
	perTag    = "one resource for each tag"
	emptyPlan = "empty plan"
)

// stage is one run of Terraform in the life of an estate.
type stage struct {
	name string
	args []string
}

var stages = []stage{
	{"apply", []string{"apply", "-auto-approve", "-input=false", "-no-color"}},
	{emptyPlan, []string{"plan", "-detailed-exitcode", "-input=false", "-no-color"}},
	{"one change", []string{"apply", "-auto-approve", "-input=false", "-no-color", "-var=changed=1"}},
	{"destroy", []string{"destroy", "-auto-approve", "-input=false", "-no-color", "-var=changed=1"}},
}

const header = `
terraform {
  required_providers {
    vsla = { source = "vsla/vsla" }
  }
}
variable "changed" { default = 0 }
locals {
  vms = jsondecode(file("vms.json"))
  hundreds = range(ceil(%[2]d / 100))
  tags = merge([for k in local.hundreds : {
    for i in range(min(100, %[2]d - 100 * k)) : format("tag-%%04d", 100 * k + i) =>
    "number ${100 * k + i}${k + i == 0 ? var.changed : ""}"
  }]...)
}
`

const bulkEstate = header + `
resource "vsla_tag_category" "c" {
  count       = %[1]d
  name        = "category-${count.index}"
  cardinality = "MULTIPLE"
}
resource "vsla_tags" "t" {
  count       = %[1]d
  category_id = vsla_tag_category.c[count.index].id
  tags        = local.tags
}
resource "vsla_tag_association" "a" {
  count      = %[1]d
  tag_id     = vsla_tags.t[count.index].ids["tag-0000"]
  object_ids = local.vms
}
`

const singleEstate = header + `
resource "vsla_tag_category" "c" {
  name        = "category"
  cardinality = "MULTIPLE"
}
resource "vsla_tag" "t" {
  count       = %[2]d
  category_id = vsla_tag_category.c.id
  name        = format("tag-%%04d", count.index)
  description = "number ${count.index}${count.index == 0 ? var.changed : ""}"
}
resource "vsla_tag_association" "a" {
  tag_id     = vsla_tag.t[0].id
  object_ids = local.vms
}
`

// estate measures the stages with each kind of configuration, and the bare calls for the first.
func estate(ctx context.Context, m *meter, o options, cli terraformcli.CLI, provider string) error {
	size := " of " + thousands(o.categories*o.tags) + " tags"
	if err := inTerraform(ctx, m, cli, provider, fmt.Sprintf(bulkEstate, o.categories, o.tags), size, ours); err != nil {
		return err
	}
	if err := bare(ctx, m, o, size); err != nil {
		return err
	}
	return inTerraform(
		ctx,
		m,
		cli,
		provider,
		fmt.Sprintf(singleEstate, 1, o.perTag),
		" of "+thousands(o.perTag)+" tags",
		perTag,
	)
}

func inTerraform(ctx context.Context, m *meter, cli terraformcli.CLI, provider, config, size, how string) (err error) {
	dir, err := os.MkdirTemp("", "vsla-bench-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	ids := make([]string, 0, len(m.lab.VMs()))
	for _, vm := range m.lab.VMs() {
		ids = append(ids, vm.ID)
	}
	vms, err := json.Marshal(ids)
	if err != nil {
		return err
	}
	ca := filepath.Join(dir, "ca.pem")
	err = errors.Join(
		os.WriteFile(filepath.Join(dir, "main.tf"), []byte(config), 0o600),
		os.WriteFile(filepath.Join(dir, "vms.json"), vms, 0o600),
		os.WriteFile(ca, m.lab.CAPEM(), 0o600),
	)
	if err != nil {
		return err
	}
	w, err := terraformcli.NewWorkspace(cli, dir, provider,
		"VSPHERE_SERVER="+m.lab.URL(), "VSPHERE_USER="+m.lab.User(), "VSPHERE_PASSWORD="+m.lab.Password(), "VSLA_CA_FILE="+ca)
	if err != nil {
		return err
	}
	for _, s := range stages {
		do := func() (int64, error) { return terraform(ctx, w, s.args) }
		if err := m.measure(s.name+size, how, do); err != nil {
			return err
		}
	}
	return nil
}

// terraform runs the CLI and returns the largest resident set of it and the provider, in MiB.
func terraform(ctx context.Context, w *terraformcli.Workspace, args []string) (int64, error) {
	cmd := w.Command(ctx, args...)
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = io.Discard, &out
	if err := cmd.Run(); err != nil {
		return 0, fmt.Errorf("%w: %s", err, out.String())
	}
	usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0, nil
	}
	return usage.Maxrss / 1024, nil
}

// bare does with govmomi what the stages need: as many calls, ten at a time, and bulk calls for the associations.
func bare(ctx context.Context, m *meter, o options, size string) error {
	manager, logout, err := connect(ctx, m)
	if err != nil {
		return err
	}
	defer logout()
	var refs []mo.Reference
	for _, vm := range m.lab.VMs() {
		refs = append(refs, types.ManagedObjectReference{Type: "VirtualMachine", Value: vm.ID})
	}
	b := bareEstate{
		ctx:        ctx,
		manager:    manager,
		refs:       refs,
		ids:        make([][]string, o.categories),
		categories: make([]string, o.categories),
		tags:       o.tags,
	}
	for _, s := range []struct {
		name string
		do   func() error
	}{
		{"apply", b.create},
		{emptyPlan, b.read},
		{"one change", func() error { return errors.Join(b.read(), b.change()) }},
		{"destroy", func() error { return errors.Join(b.read(), b.remove()) }},
	} {
		if err := m.measure(s.name+size, bareCalls, func() (int64, error) { return 0, s.do() }); err != nil {
			return err
		}
	}
	return nil
}

type bareEstate struct {
	ctx        context.Context //nolint:containedctx // a run is as long as its context
	manager    *tags.Manager
	refs       []mo.Reference
	categories []string
	ids        [][]string
	tags       int
}

// each runs do for every tag of every category, ten at a time.
func (b *bareEstate) each(do func(category, tag int) error) error {
	var group errgroup.Group
	group.SetLimit(10)
	for c := range b.categories {
		for t := range b.tags {
			group.Go(func() error { return do(c, t) })
		}
	}
	return group.Wait()
}

func (b *bareEstate) create() error {
	for c := range b.categories {
		id, err := b.manager.CreateCategory(
			b.ctx,
			&tags.Category{
				Name:            fmt.Sprintf("category-%d", c),
				Cardinality:     vsphere.Multiple,
				Description:     "d",
				AssociableTypes: []string{},
			},
		)
		if err != nil {
			return err
		}
		b.categories[c], b.ids[c] = id, make([]string, b.tags)
	}
	err := b.each(func(c, t int) (err error) {
		b.ids[c][t], err = b.manager.CreateTag(
			b.ctx,
			&tags.Tag{Name: fmt.Sprintf("tag-%04d", t), Description: fmt.Sprintf("number %d", t), CategoryID: b.categories[c]},
		)
		return err
	})
	for c := range b.categories {
		for begin := 0; begin < len(b.refs) && err == nil; begin += vsphere.MaxBatch {
			err = b.manager.AttachTagToMultipleObjects(
				b.ctx,
				b.ids[c][0],
				b.refs[begin:min(begin+vsphere.MaxBatch, len(b.refs))],
			)
		}
	}
	return err
}

func (b *bareEstate) read() error {
	first := make([]string, 0, len(b.categories))
	for c, id := range b.categories {
		if _, err := b.manager.GetCategory(b.ctx, id); err != nil {
			return err
		}
		if _, err := b.manager.ListTagsForCategory(b.ctx, id); err != nil {
			return err
		}
		first = append(first, b.ids[c][0])
	}
	err := b.each(func(c, t int) error {
		_, err := b.manager.GetTag(b.ctx, b.ids[c][t])
		return err
	})
	if err != nil {
		return err
	}
	_, err = b.manager.ListAttachedObjectsOnTags(b.ctx, first)
	return err
}

func (b *bareEstate) change() error {
	for c := range b.categories {
		err := b.manager.UpdateTag(
			b.ctx,
			&tags.Tag{ID: b.ids[c][0], Name: "tag-0000", Description: "number 01", CategoryID: b.categories[c]},
		)
		if err != nil {
			return err
		}
	}
	return nil
}

func (b *bareEstate) remove() error {
	err := b.each(func(c, t int) error { return b.manager.DeleteTag(b.ctx, &tags.Tag{ID: b.ids[c][t]}) })
	for _, id := range b.categories {
		err = errors.Join(err, b.manager.DeleteCategory(b.ctx, &tags.Category{ID: id}))
	}
	return err
}
