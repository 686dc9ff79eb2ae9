//go:build js && wasm

// Command module is package whatif for a page: the global function vsla takes a request as JSON and returns its answer
// as JSON.
package main

import (
	"syscall/js"

	"terraform-provider-vsla/internal/whatif"
)

func main() {
	var engine whatif.Engine
	js.Global().Set("vsla", js.FuncOf(func(_ js.Value, args []js.Value) any {
		if len(args) != 1 {
			return ""
		}
		return engine.Call(args[0].String())
	}))
	select {}
}
