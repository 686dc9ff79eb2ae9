//go:build js && wasm

// Command module is package whatif compiled for the page. Its global function vsla receives a request as JSON and
// returns the answer as JSON.
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
