# Without --namespace, conftest reads package main and passes if there is none, so this package repeats the gate.
package main

deny contains p if some p in data.vsla.deny

warn contains p if some p in data.vsla.warn
