package main

import "testing"

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
		if got := logs([]string{"HOME=/root", variable, "TF_VAR_tier=gold"}); got != want {
			t.Errorf("%s: %v, want %v", variable, got, want)
		}
	}
	if logs(nil) {
		t.Error("logs are read in an empty environment")
	}
}
