provider "vsla" {}
