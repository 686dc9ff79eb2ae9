// Package whatif is the page on which the inputs of a plan of promises can be changed. A page starts from the arguments
// of a plan, which it decodes once; its cells point at fields of the typed plan, promise.Compute answers it and
// assess judges it, as for a review. The package runs in the program and, compiled to WebAssembly, in a browser.
package whatif
