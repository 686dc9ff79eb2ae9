// Package estate reviews an inventory without Terraform. A tiers file assigns the VMs of an inventory file to tiers,
// and the calculators compute what each tier requires. The results have the same structure as the data sources, so they
// can be displayed like a plan review.
//
// A tiers file is YAML. Its inputs have the same names and ranges as the calculators' inputs, and invalid values cause
// the same errors.
package estate
