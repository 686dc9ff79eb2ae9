terraform {
  required_version = ">= 1.8" # also for OpenTofu

  required_providers {
    vsla = {
      source = "vsla/vsla"
    }
  }
}
