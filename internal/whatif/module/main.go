//go:build js && wasm

// Command module is package whatif compiled for the page. Its global function vsla receives a request as JSON and
// returns the answer as JSON. The function vslaFile reads a file: it receives the name and the content.
package main

import (
	"encoding/json"
	"runtime/debug"
	"syscall/js"

	"terraform-provider-vsla/internal/whatif"
	"terraform-provider-vsla/internal/whatif/source"
)

// gcPercent trades memory for time: reading a large workbook allocates much, of which little remains.
const gcPercent = 200

func main() {
	debug.SetGCPercent(gcPercent)
	var engine whatif.Engine
	files := source.Reader{Progress: func(rows int) { engine.Tell(map[string]int{"rows": rows}) }}
	js.Global().Set("vsla", js.FuncOf(func(_ js.Value, args []js.Value) any {
		if len(args) != 1 {
			return ""
		}
		return engine.Call(args[0].String())
	}))
	js.Global().Set("vslaFile", js.FuncOf(func(_ js.Value, args []js.Value) any {
		name, content := args[0].String(), make([]byte, args[1].Length())
		js.CopyBytesToGo(content, args[1])
		return start(&engine)(files.Read(name, content))
	}))
	js.Global().Set("vslaGroup", js.FuncOf(func(_ js.Value, args []js.Value) any {
		return start(&engine)(files.Group(args[0].Int()))
	}))
	select {}
}

// start opens the model of an answer and returns what the page needs to show it.
func start(engine *whatif.Engine) func(a *source.Answer, err error) string {
	return func(a *source.Answer, err error) string {
		answer := map[string]any{"answer": a}
		if err == nil && a != nil {
			var opened *whatif.Page
			if opened, err = engine.Open(a.Model); err == nil {
				answer["layout"], answer["edited"] = opened.Layout(), opened.Edit(nil)
			}
		}
		if err != nil {
			answer = map[string]any{"error": err.Error()}
		}
		text, _ := json.Marshal(answer) //nolint:errchkjson // plain values
		return string(text)
	}
}
