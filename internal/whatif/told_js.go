package whatif

import "syscall/js"

func init() { told = func(text string) { js.Global().Call("told", text) } }
