# A plan without any result.

variable "tiers" {
  type    = map(number)
  default = {}
}

resource "terraform_data" "something" {
  input = "else"
}

output "something" {
  value = terraform_data.something.input
}
