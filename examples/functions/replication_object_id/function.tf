output "id" {
  value = provider::vsla::replication_object_id("VirtualMachine", "vm-42", "e594ad24-07f7-43e5-ba79-9d1f6d46ae88")
}
