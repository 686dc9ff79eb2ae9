// Package inventoryfile reads an inventory of VMs from a file: RVTools (xlsx and CSV), Live Optics (xlsx) and any other
// CSV by a map of its columns. It knows neither Terraform nor vCenter.
//
// A file is untrusted. Its size, its number of rows and the size of a cell are limited; formulas are not evaluated, and
// links are not followed. Text that can be read as two different numbers or units is refused, never guessed.
//
// Sizes. Older versions of RVTools write "In Use MB", newer ones "In Use MiB", and both mean MiB (2^20 bytes): vCenter
// reports storage in bytes and memory in units of 2^20 bytes that its API calls MB, and RVTools divides by 2^20. Only
// the name of the column changed. Live Optics renamed its columns in the same way.
package inventoryfile
