import {
  to = vsla_replication.database
  id = "2f0d6a4e-7c1b-4b52-9f43-0f6b6a7c8d90/VirtualMachine:vm-42:e0000000-0000-4000-8000-000000000001"
}
