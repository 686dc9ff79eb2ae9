terraform {
  required_version = ">= 1.8" # OpenTofu: 1.8 as well
  required_providers {
    vsla = {
      source = "vsla/vsla"
    }
  }
}
