terraform {
  required_version = ">= 1.8"
  required_providers {
    vsla = {
      source = "vsla/vsla"
    }
  }
}

# All arguments are optional: the environment provides the rest, and the calculators need no connection.
provider "vsla" {
  vsphere_server        = "vcenter.example.com"
  user                  = "terraform@vsphere.local"
  ca_file               = "${path.module}/vcenter-ca.pem"
  ignore_tag_categories = ["backup-*"]
  # password: VSPHERE_PASSWORD
}
