# conftest reads package main where no --namespace is given, and passes when there is none: so the gate is here as well.
package main

deny contains p if some p in data.vsla.deny

warn contains p if some p in data.vsla.warn
