package limits

const (
	productReplication = "vsphere_replication"
	productHCX         = "hcx"

	// datastoreVMs is a recommendation from an old guide, absent from newer guides. It is listed for every later
	// version.
	datastoreVMs    = "vms_per_target_datastore"
	guidanceVersion = "5.8"
)

const (
	sourceScale       = "VMware performance blog, vCenter Server scale and performance"
	sourceReplication = "VMware performance blog and vSphere Replication 6.0 documentation"
	sourceRPO         = "vSphere Replication documentation, how the recovery point objective affects scheduling"
	sourceVR6         = "Broadcom KB 2102453, operational limits for vSphere Replication 6.x, checked 2026-11-21"
	sourceVR83        = "https://docs.vmware.com/en/vSphere-Replication/8.3/com.vmware.vsphere.replication-admin.doc/" +
		"GUID-E114BAB8-F423-45D4-B029-91A5D551AC47.html, checked 2026-11-21"
	sourceOperational = "vSphere Replication documentation, operational limits; Broadcom KB 2102463"
	sourceTagging     = "VMware tagging best practices, vSphere 7.0 U2 and 8.0 U3"
	sourceVMFS        = "vSphere Replication 5.8 administration guide of 2014, of VMFS on ESXi 5.0: 50 to 100 VMs " +
		"with an RPO of 15 minutes affect performance; checked 2026-11-23"
	sourceHCXScale   = "Broadcom KB 321604, HCX 4.7 to 4.9 as deployed, checked 2026-11-23"
	sourceHCXVMotion = "VMware HCX user guide, HCX vMotion and cold migration, checked 2026-11-23"
	sourceHA         = "VMware performance blog, vCenter High Availability 6.5"
)

// published lists all limits by product and version, oldest first. For a version without rows, the limits of the
// nearest older version apply.
var published = []Limit{
	{productHCX, "4.7", "concurrent_migrations", 300, false, sourceHCXScale},
	{productHCX, "4.7", "concurrent_migrations_per_mesh", 200, false, sourceHCXScale},
	{productHCX, "4.7", "concurrent_vmotions", 1, false, sourceHCXVMotion},
	{productHCX, "4.7", "mbps_per_appliance", 1600, false, sourceHCXScale},
	{productHCX, "4.7", "mbps_per_migration", 1000, false, sourceHCXScale},
	{productHCX, "4.7", "min_vmotion_mbps", 100, true, sourceHCXVMotion},

	{"tagging", "7.0", "ids_per_bulk_call", 2000, false, sourceTagging},
	{"tagging", "7.0", "operations_per_second", 360, false, "observed: refusals begin at about this rate"},
	{"tagging", "8.0 U3", "associations", 150000, false, sourceTagging},
	{"tagging", "8.0 U3", "categories", 6000, false, sourceTagging},
	{"tagging", "8.0 U3", "ids_per_bulk_call", 2000, false, sourceTagging},
	{"tagging", "8.0 U3", "tags", 8000, false, sourceTagging},

	{"vcenter", "5.5", "operations_per_second", 10, false, sourceScale},
	{"vcenter", "6.0", "hosts", 1000, false, sourceScale},
	{"vcenter", "6.0", "operations_per_second", 30, false, sourceScale},
	{"vcenter", "6.0", "powered_on_vms", 10000, false, sourceScale},
	{"vcenter", "6.0", "registered_vms", 15000, false, sourceScale},
	{"vcenter", "6.5", "ha_switchover_api_minutes", 2, false, sourceHA},
	{"vcenter", "6.5", "ha_switchover_target_minutes", 5, false, sourceHA},
	{"vcenter", "6.5", "ha_switchover_ui_minutes", 4, false, sourceHA},
	{"vcenter", "6.5", "hosts", 2000, false, sourceScale},
	{"vcenter", "6.5", "operations_per_second", 60, false, sourceScale},
	{"vcenter", "6.5", "powered_on_vms", 25000, false, sourceScale},
	{"vcenter", "6.5", "registered_vms", 35000, false, sourceScale},

	{productReplication, guidanceVersion, datastoreVMs, 50, false, sourceVMFS},
	{productReplication, "6.0", "max_rpo_minutes", 1440, false, sourceReplication},
	{productReplication, "6.0", "min_rpo_minutes", 15, true, sourceReplication},
	{productReplication, "6.0", "replications", 2000, false, sourceVR6},
	{productReplication, "6.0", "replications_as_deployed", 500, false, sourceReplication},
	{productReplication, "6.0", "replications_per_server", 200, false, sourceVR6},
	{productReplication, "6.0", "servers", 10, false, sourceVR6},
	{productReplication, "6.5", "min_rpo_minutes", 5, true, sourceRPO},
	{productReplication, "6.5", "replications_at_min_rpo", 100, false, sourceRPO},
	{productReplication, "8.3", "min_rpo_minutes", 5, true, sourceRPO},
	{productReplication, "8.3", "replications", 2000, false, sourceVR83},
	{productReplication, "8.3", "replications_per_server", 200, false, sourceVR83},
	{productReplication, "8.3", "servers", 10, false, sourceVR83},
	{productReplication, "9.0", "min_rpo_minutes", 5, true, sourceRPO},
	{productReplication, "9.0", "replications", 4000, false, sourceOperational},
	{productReplication, "9.0", "replications_as_deployed", 400, false, sourceOperational},
	{productReplication, "9.0", "replications_at_min_rpo", 500, false, sourceRPO},
}
