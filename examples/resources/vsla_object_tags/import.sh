# a virtual machine, by its managed object ID
terraform import vsla_object_tags.database vm-42
# another object, by type and ID
terraform import vsla_object_tags.host HostSystem/host-7
