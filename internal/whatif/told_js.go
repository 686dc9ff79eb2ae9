package whatif

import "syscall/js"

func told(text string) { js.Global().Call("told", text) }
