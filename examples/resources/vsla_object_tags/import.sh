# a virtual machine, by its managed object id
terraform import vsla_object_tags.database vm-42
# another object, by type and id
terraform import vsla_object_tags.host HostSystem/host-7
