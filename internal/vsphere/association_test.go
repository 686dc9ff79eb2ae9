package vsphere_test

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"

	"terraform-provider-vsla/internal/dev/lab/fault"
	"terraform-provider-vsla/internal/dev/lab/tagging"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
	"terraform-provider-vsla/internal/vsphere"
)

func TestAttachTag_tellsHowFarItCame(t *testing.T) {
	t.Parallel()
	v, c, _ := start(t, vcsim.Config{Hosts: 4, VMs: 4500})
	tag := newTag(t, c)
	for _, test := range []struct {
		status  int
		reached int
	}{{http.StatusForbidden, 2000}, {http.StatusServiceUnavailable, 4000}} {
		v.Traffic().
			Break(fault.Rule{Kind: "POST tag-association:attach-tag-to-multiple-objects", Skip: 1, Status: test.status})
		err := c.AttachTag(t.Context(), tag, allVMs(v))
		v.Traffic().Mend()
		var interrupted *vsphere.InterruptedError
		if !errors.As(err, &interrupted) || interrupted.Confirmed != 2000 || interrupted.Reached != test.reached ||
			interrupted.Total != 4500 {
			t.Errorf("status %d: got %+v (%v)", test.status, interrupted, err)
		}
	}
	if got := len(v.Tags().Objects(tag)); got != 2000 {
		t.Errorf("%d VMs carry the tag", got)
	}
}

func TestAttachTag_namesTheRefused(t *testing.T) {
	t.Parallel()
	v, c, _ := start(t, vcsim.Config{VMs: 20})
	tag := newTag(t, c)
	var want []string
	for _, vm := range v.VMs()[:12] {
		v.Tags().Refuse(vm.ID, true)
		want = append(want, vm.ID)
	}
	err := c.AttachTag(t.Context(), tag, allVMs(v))
	var partial *vsphere.PartialError
	if !errors.As(err, &partial) || len(partial.Refused) != 12 {
		t.Fatalf("got %v", err)
	}
	for _, r := range partial.Refused {
		if !slices.Contains(want, r.ID) || !strings.Contains(r.Message, "may not tag it") {
			t.Errorf("refused %+v", r)
		}
	}
	if !strings.Contains(err.Error(), "and 2 more") {
		t.Errorf("twelve are named: %v", err)
	}
	// The other eight were attached: they can be detached, and no association is left.
	if err := c.DetachTag(t.Context(), tag, allVMs(v)[12:]); err != nil {
		t.Error(err)
	}
	if got := v.Tags().Objects(tag); len(got) != 0 {
		t.Errorf("still on %v", got)
	}
}

func TestTagByPath(t *testing.T) {
	t.Parallel()
	v, c, _ := start(t, vcsim.Config{VMs: -1})
	add := func(category, tag string) string {
		id := ""
		for _, known := range v.Tags().Categories() {
			if known.Name == category {
				id = known.ID
			}
		}
		var err error
		if id == "" {
			if id, err = v.Tags().AddCategory(tagging.Category{Name: category, Cardinality: "SINGLE"}); err != nil {
				t.Fatal(err)
			}
		}
		tagID, err := v.Tags().AddTag(tagging.Tag{Name: tag, CategoryID: id})
		if err != nil {
			t.Fatal(err)
		}
		return tagID
	}
	gold, slash := add("sla", "gold"), add("sla", "a/b")
	add("x", "y/z")
	add("x/y", "z")
	for path, want := range map[string]string{"sla/gold": gold, "sla/a/b": slash} {
		if got, err := c.FindTag(t.Context(), path); err != nil || got.ID != want {
			t.Errorf("%s is %+v, %v", path, got, err)
		}
	}
	if got, err := c.FindTag(t.Context(), gold); err != nil || got.Name != "gold" {
		t.Errorf("by id: %+v, %v", got, err)
	}
	for path, want := range map[string]error{
		"x/y/z":     vsphere.ErrAmbiguous,
		"sla/none":  vsphere.ErrNotFound,
		"none/gold": vsphere.ErrNotFound,
		"gold":      vsphere.ErrNotFound,
		"sla/":      vsphere.ErrNotFound,
	} {
		if _, err := c.FindTag(t.Context(), path); !errors.Is(err, want) {
			t.Errorf("%s returned %v, want %v", path, err, want)
		}
	}
}
