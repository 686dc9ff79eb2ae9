// Package estate reviews an inventory without Terraform: a tiers file sorts the VMs of an inventory file into tiers,
// and the calculators say what each tier's promise takes. Its results have the shape of the data sources, so that the
// review of a plan shows them.
//
// A tiers file is YAML. It adds no names to those of the calculators: an input of the calculators is given by
// its name, and its range and its errors are the calculator's.
package estate
