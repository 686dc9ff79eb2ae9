package main

import (
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestLogs(t *testing.T) {
	t.Parallel()
	for variable, want := range map[string]bool{
		"TF_LOG=DEBUG":               true,
		"TF_LOG_PROVIDER=TRACE":      true,
		"TF_LOG_PROVIDER_VSLA=INFO":  true,
		"TF_LOG_SDK_FRAMEWORK=TRACE": true,
		"TF_LOG=":                    false,
		"NOT_TF_LOG=DEBUG":           false,
	} {
		assert.Equal(t, want, logs([]string{"HOME=/root", variable, "TF_VAR_tier=gold"}), variable)
	}
	assert.False(t, logs(nil), "logs are read in an empty environment")
}

func TestIdentify(t *testing.T) {
	t.Parallel()
	clone := []debug.BuildSetting{
		{Key: "vcs.revision", Value: "72f049c1abcd0123456789"},
		{Key: "vcs.modified", Value: "false"},
	}
	changed := []debug.BuildSetting{
		{Key: "vcs.revision", Value: "72f049c1abcd0123456789"},
		{Key: "vcs.modified", Value: "true"},
	}
	for name, test := range map[string]struct {
		setNumber, setCommit string
		info                 *debug.BuildInfo
		number, commit       string
	}{
		"a release": {"0.1.0", "", &debug.BuildInfo{Settings: clone}, "0.1.0", "72f049c1abcd"},
		"a work tree, which the go command does not know": {
			"0.0.7",
			"72f049c1abcd-dirty",
			&debug.BuildInfo{},
			"0.0.7",
			"72f049c1abcd-dirty",
		},
		"a clone": {
			"",
			"",
			&debug.BuildInfo{Main: debug.Module{Version: "v0.1.1-0.20261122172651-72f049c1abcd"}, Settings: clone},
			"0.1.1-0.20261122172651-72f049c1abcd", "72f049c1abcd",
		},
		"a changed clone": {
			"", "", &debug.BuildInfo{Main: debug.Module{Version: "v0.1.0+dirty"}, Settings: changed},
			"0.1.0+dirty", "72f049c1abcd-dirty",
		},
		"an archive of the sources": {
			"",
			"",
			&debug.BuildInfo{Main: debug.Module{Version: "(devel)"}},
			"dev",
			"unknown",
		},
		"no information": {"", "", nil, "dev", "unknown"},
	} {
		number, commit := identify(test.setNumber, test.setCommit, test.info)
		require.Equal(t, test.number, number, name)
		assert.Equal(t, test.commit, commit, name)
	}
}
