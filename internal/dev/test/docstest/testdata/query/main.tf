terraform {
  required_providers {
    vsla = { source = "vsla/vsla" }
  }
}

provider "vsla" {}
