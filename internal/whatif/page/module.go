//go:build whatif

package page

import _ "embed" // for go:embed

//go:embed module.wasm.gz
var wasm []byte

//go:embed wasm_exec.js.gz
var exec []byte

var embedded = Module{Wasm: wasm, Exec: exec}
