# by the ID of the replication, from the data source vsla_replications
terraform import vsla_replication.database 2f0d6a4e-7c1b-4b52-9f43-0f6b6a7c8d90/HmsGroup:GID-0b1c2d3e-4f50-4617-a829-3b4c5d6e7f80:e0000000-0000-4000-8000-000000000001
# by the VM
terraform import vsla_replication.database 2f0d6a4e-7c1b-4b52-9f43-0f6b6a7c8d90/VirtualMachine:vm-42:e0000000-0000-4000-8000-000000000001
