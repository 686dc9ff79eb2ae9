// Package estate reviews an inventory without Terraform. A tiers file assigns the VMs of an inventory file to tiers,
// and the calculators compute the requirements of each tier's promise. The results have the same structure as the data
// sources, so the review of a plan can display them.
//
// A tiers file is YAML. Its inputs have the names, ranges and errors of the calculators.
package estate
