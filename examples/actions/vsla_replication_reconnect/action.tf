# terraform apply -invoke=action.vsla_replication_reconnect.recovery
#
# The thumbprint of the new certificate, SHA-1 or SHA-256:
# openssl s_client -connect vc.recovery.example.com:443 </dev/null | openssl x509 -noout -fingerprint
action "vsla_replication_reconnect" "recovery" {
  config {
    pairing_id        = "2f0d6a4e-7c1b-4b52-9f43-0f6b6a7c8d90"
    remote_thumbprint = "5D:2B:0F:7C:91:E4:3A:68:BD:16:C9:47:F2:80:5E:A3:34:D8:6B:10"
  }
}
