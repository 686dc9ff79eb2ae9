terraform {
  required_version = ">= 1.8"
  required_providers {
    vsla = {
      source = "vsla/vsla"
    }
  }
}

# All arguments are optional, and the calculators need no connection. Server, user and password are from the environment
# variables VSPHERE_SERVER, VSPHERE_USER and VSPHERE_PASSWORD.
provider "vsla" {
  ignore_tag_categories = ["backup-*"]
}
