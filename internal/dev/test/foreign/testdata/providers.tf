terraform {
  required_providers {
    vsla = {
      source = "vsla/vsla"
    }
    vsphere = {
      source = "hashicorp/vsphere"
    }
  }
}
