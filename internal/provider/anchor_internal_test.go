package provider

import (
	"errors"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAnchored(t *testing.T) {
	t.Parallel()
	path := tftypes.NewAttributePath
	groups := path().WithAttributeName("groups")
	gold := groups.WithElementKeyString("gold")
	list := groups.WithElementKeyInt(3)
	for name, test := range map[string]struct{ path, want *tftypes.AttributePath }{
		"none":                {nil, nil},
		"attribute":           {groups, groups},
		"key":                 {gold, gold},
		"attribute of a key":  {gold.WithAttributeName("curve").WithElementKeyInt(3), gold},
		"attribute of object": {groups.WithAttributeName("days"), groups},
		"index":               {list.WithAttributeName("vm_count"), list},
		"set":                 {groups.WithElementKeyValue(tftypes.NewValue(tftypes.String, "a")), groups},
		"number as key":       {groups.WithElementKeyString("15"), groups},
		"exponent as key":     {groups.WithElementKeyString("1e3").WithAttributeName("vm_count"), groups},
		"bool as key":         {groups.WithElementKeyString("true"), groups},
		"number within a key": {groups.WithElementKeyString("vm-15"), groups.WithElementKeyString("vm-15")},
	} {
		response := &tfprotov6.ReadDataSourceResponse{Diagnostics: []*tfprotov6.Diagnostic{{Attribute: test.path}}}
		got, err := anchored(response, nil)
		require.NoError(t, err)
		assert.Equal(t, test.want.String(), got.Diagnostics[0].Attribute.String(), name)
	}
	_, err := anchored[*tfprotov6.ReadDataSourceResponse](nil, errors.New("broken"))
	require.Error(t, err)
	_, err = anchored(&tfprotov6.StopProviderResponse{}, nil)
	require.NoError(t, err)
}
