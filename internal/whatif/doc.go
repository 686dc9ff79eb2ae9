// Package whatif is a review whose inputs can be changed: the model of a page, the cells in which its inputs are
// edited, and the results and verdicts that follow.
//
// The same code runs in the command that writes the page and, compiled to WebAssembly, in the page. It reads no file
// and draws no HTML: package page does. The descriptions of the calculators decide which inputs exist.
package whatif
