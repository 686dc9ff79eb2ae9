terraform {
  required_version = ">= 1.7" # import blocks with for_each

  required_providers {
    vsla = {
      source = "vsla/vsla"
    }
  }
}
