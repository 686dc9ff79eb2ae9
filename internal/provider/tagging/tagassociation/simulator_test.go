package tagassociation_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"terraform-provider-vsla/internal/dev/acctest"
	"terraform-provider-vsla/internal/dev/lab/vcsim"
	"terraform-provider-vsla/internal/transport"
	"terraform-provider-vsla/internal/vsphere"
)

// TestAccTagAssociation_plainSimulator uses govmomi's unmodified simulator, because users also test with it. It returns
// empty responses to bulk calls and ignores a bulk detach.
func TestAccTagAssociation_plainSimulator(t *testing.T) {
	t.Parallel()
	lab := acctest.Start(t, vcsim.Config{Plain: true})
	step := func(from, to int) resource.TestStep {
		return resource.TestStep{
			Config:            config(lab, ids(lab, from, to)),
			ConfigStateChecks: []statecheck.StateCheck{size(to - from)},
			Check:             simulatorCarries(t, lab, ids(lab, from, to)),
		}
	}
	lab.Run(t, step(0, 3), step(1, 4), step(3, 4))
}

func simulatorCarries(t *testing.T, lab *acctest.Lab, want []string) resource.TestCheckFunc {
	t.Helper()
	return func(s *terraform.State) (err error) {
		c, err := vsphere.New(vsphere.Config{
			Server:   lab.URL(),
			User:     lab.User(),
			Password: lab.Password(),
			Settings: transport.Settings{CAFile: lab.CAFile()},
		})
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, c.Close(t.Context())) }()
		id := s.RootModule().Resources["vsla_tag.gold"].Primary.ID
		var got []string
		for _, vm := range lab.VMs() {
			tags, err := c.TagsOfObject(t.Context(), vsphere.Object{Type: "VirtualMachine", ID: vm.ID})
			if err != nil {
				return err
			}
			if slices.Contains(tags, id) {
				got = append(got, vm.ID)
			}
		}
		if !slices.Equal(got, want) {
			return fmt.Errorf("%v carry the tag, want %v", got, want)
		}
		return nil
	}
}
