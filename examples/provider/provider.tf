terraform {
  required_version = ">= 1.8"
  required_providers {
    vsla = {
      source = "vsla/vsla"
    }
  }
}

# Everything is optional: what is not given is taken from the environment, and the calculators need nothing at all.
provider "vsla" {
  vsphere_server        = "vcenter.example.com"
  user                  = "terraform@vsphere.local"
  ca_file               = "${path.module}/vcenter-ca.pem"
  ignore_tag_categories = ["backup-*"]
  # password: VSPHERE_PASSWORD
}
