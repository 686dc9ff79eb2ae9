package main

import "encoding/json"
import "os"

type results struct {
	cli     string
	options options
	list    []measurement
}

func (r *results) write(out string) error {
	b, err := json.MarshalIndent(r.list, "", " ")
	if err != nil {
		return err
	}
	return os.WriteFile("/tmp/bench.json", b, 0o600)
}
