// Package archtest holds the tests of the repository as a whole: which package may import which, over the transitive
// imports, and that what users are told to plan can be planned.
package archtest
