package gateway

type metaError struct {
	Code    string `json:"code,omitempty"`
	Message string `json:"message,omitempty"`
	Field   string `json:"field"`
}

type meta struct {
	Errors []metaError `json:"errors"`
}

type href struct {
	Href string `json:"href"`
}

type listMeta struct {
	Errors []metaError      `json:"errors"`
	Total  *int64           `json:"total,omitempty"`
	Offset *int64           `json:"offset,omitempty"`
	Limit  *int64           `json:"limit,omitempty"`
	Links  map[string]*href `json:"links,omitempty"`
}

type listAnswer[T any] struct {
	List []T      `json:"list"`
	Meta listMeta `json:"_meta"`
}

type responseError struct {
	ErrorCode string `json:"error_code"`
	Message   string `json:"message"`
	OpID      string `json:"op_id"`
}

type serverInfo struct {
	ID           string        `json:"id"`
	URL          string        `json:"url,omitempty"`
	Name         string        `json:"name"`
	ServerStatus string        `json:"server_status,omitempty"`
	Certificates []certificate `json:"certificates,omitempty"`
	Version      string        `json:"version,omitempty"`
}

type certificate struct {
	SubjectDN  string `json:"subject_dn"`
	IssuerDN   string `json:"issuer_dn"`
	Thumbprint string `json:"thumbprint"`
	NotBefore  int64  `json:"not_before"`
	NotAfter   int64  `json:"not_after"`
}

type pairing struct {
	PairingID      string      `json:"pairing_id"`
	LocalVCServer  *serverInfo `json:"local_vc_server,omitempty"`
	RemoteVCServer *serverInfo `json:"remote_vc_server,omitempty"`
	LocalVRMS      *serverInfo `json:"local_vrms,omitempty"`
	RemoteVRMS     *serverInfo `json:"remote_vrms,omitempty"`
	Meta           *meta       `json:"_meta,omitempty"` // omitted in lists
}

type replicationServer struct {
	ID                string  `json:"id"`
	ReplicationCount  int32   `json:"replication_count"`
	Connected         bool    `json:"connected"`
	Decommissioned    bool    `json:"decommissioned"`
	InternallyManaged bool    `json:"internally_managed"`
	UUID              *string `json:"uuid"`
	Hostname          *string `json:"hostname"`
	ConfigurationURL  *string `json:"configuration_url"`
	Name              *string `json:"name"`
	Fault             *string `json:"fault"`
}

type issue struct {
	Entity      string  `json:"entity"`
	EntityName  *string `json:"entity_name"`
	Description string  `json:"description"`
	Timestamp   int64   `json:"timestamp"`
	Status      string  `json:"status"`
	IssueType   string  `json:"issue_type"`
}

type virtualMachine struct {
	ID                 string   `json:"id"`
	Name               string   `json:"name"`
	PowerState         *string  `json:"power_state"`
	ConnectionState    *string  `json:"connection_state"`
	Template           bool     `json:"template"`
	VRPrivilegeGranted bool     `json:"vr_privilege_granted"`
	Disks              []vmDisk `json:"disks,omitempty"`
}

type diskPath struct {
	DatastoreID   string  `json:"datastore_id"`
	DatastoreName *string `json:"datastore_name"`
	Path          *string `json:"path"`
	Filename      *string `json:"filename"`
}

type vmDisk struct {
	VMID                    string    `json:"vm_id"`
	DeviceKey               *int32    `json:"device_key,omitempty"`
	IsVMHome                bool      `json:"is_vm_home"`
	Encrypted               bool      `json:"encrypted"`
	Capacity                int64     `json:"capacity"`
	SourceDiskFormat        string    `json:"source_disk_format"`
	SourcePath              *diskPath `json:"source_path,omitempty"`
	SourceStoragePolicyName *string   `json:"source_storage_policy_name"`
	SourceStoragePolicyID   *string   `json:"source_storage_policy_id"`
	Label                   string    `json:"label"`
	ControllerKey           *int32    `json:"controller_key,omitempty"`
	ControllerLabel         *string   `json:"controller_label"`
	SupportedForReplication bool      `json:"supported_for_replication"`
}

type datastore struct {
	ID              string  `json:"id"`
	Name            string  `json:"name"`
	Parent          string  `json:"parent"`
	ParentName      string  `json:"parent_name"`
	Capacity        int64   `json:"capacity"`
	FreeSpace       int64   `json:"free_space"`
	FileSystemType  string  `json:"file_system_type"`
	MaintenanceMode *string `json:"maintenance_mode"`
	OverallStatus   string  `json:"overall_status"`
	Accessible      bool    `json:"accessible"`
	Type            string  `json:"type"`
	NKPSupported    bool    `json:"nkp_supported"`
	Path            string  `json:"path"`
}

type storagePolicy struct {
	Name       string `json:"storage_policy_name"`
	ID         string `json:"storage_policy_id"`
	Encryption bool   `json:"vm_encryption_supported"`
}

type compliance struct {
	PolicyID  string  `json:"storage_policy_id"`
	Datastore string  `json:"datastore"`
	Compliant bool    `json:"compliant"`
	Message   *string `json:"not_compliant_detailed_message"`
}

type diskIdentifier struct {
	VMID      string `json:"vm_id"`
	DeviceKey *int32 `json:"device_key,omitempty"`
}

type foundSeeds struct {
	Disk  diskIdentifier `json:"vm_disk"`
	Found []string       `json:"found_seeds"`
}

type replicationStatus struct {
	Status       string `json:"status"`
	RPOViolation bool   `json:"rpo_violation"`
}

type errorInfo struct {
	Message string `json:"message"`
	Details string `json:"details"`
}

type syncProgress struct {
	Progress           int32 `json:"progress"`
	ChecksumCurrent    int64 `json:"checksum_current"`
	ChecksumTotal      int64 `json:"checksum_total"`
	TransferredCurrent int64 `json:"transferred_current"`
	TransferredTotal   int64 `json:"transferred_total"`
}

type replicationInfo struct {
	Name                string             `json:"name"`
	ID                  string             `json:"id"`
	VMID                *string            `json:"vm_id"`
	SourceSiteName      string             `json:"source_site_name,omitempty"`
	SourceVCID          string             `json:"source_vc_id"`
	TargetSiteName      string             `json:"target_site_name,omitempty"`
	TargetVCID          string             `json:"target_vc_id"`
	Status              *replicationStatus `json:"status,omitempty"`
	RPO                 int64              `json:"rpo"`
	Type                string             `json:"type"`
	ServerName          *string            `json:"replication_server_name"`
	RecoverySolution    *string            `json:"recovery_solution"`
	ConfigurationState  string             `json:"configuration_state"`
	ConfigurationError  *errorInfo         `json:"configuration_error,omitempty"`
	LastGroupError      *errorInfo         `json:"last_group_error,omitempty"`
	RecoveryState       string             `json:"recovery_state,omitempty"`
	RecoveryError       *string            `json:"recovery_error"`
	ServerUUID          *string            `json:"target_replication_server_uuid"`
	LastSyncTime        int64              `json:"last_sync_time"`
	LastSyncDuration    int64              `json:"last_sync_duration"`
	LastSyncSize        int64              `json:"last_sync_size"`
	CurrentRPOViolation int64              `json:"current_rpo_violation"`
	Quiescing           bool               `json:"quiescing_enabled"`
	NetworkCompression  bool               `json:"network_compression_enabled"`
	Encryption          *bool              `json:"encryption_enabled,omitempty"`
	AutoReplicate       bool               `json:"auto_replicate_new_disks_enabled"`
	MPIT                bool               `json:"mpit_enabled"`
	MPITInstances       int32              `json:"mpit_instances"`
	MPITDays            int32              `json:"mpit_days"`
	SyncProgress        *syncProgress      `json:"sync_progress,omitempty"`
	VMDataSets          bool               `json:"vm_data_sets_replication_enabled"`
	EnhancedReplication *bool              `json:"enhanced_replication,omitempty"`
	Meta                *meta              `json:"_meta,omitempty"` // omitted in lists
}

type replicatedDisk struct {
	Disk        vmDisk    `json:"vm_disk"`
	Replicated  *bool     `json:"replicated,omitempty"`
	Destination *diskPath `json:"destination_path,omitempty"`
	PolicyID    *string   `json:"destination_storage_policy_id"`
	PolicyName  *string   `json:"destination_storage_policy_name"`
	Usage       int64     `json:"replica_disk_usage"`
	Format      string    `json:"destination_disk_format,omitempty"`
}

type taskInfo struct {
	ID            string         `json:"id"`
	Description   string         `json:"description"`
	DescriptionID string         `json:"description_id"`
	Entity        *string        `json:"entity"`
	EntityName    *string        `json:"entity_name"`
	Status        string         `json:"status"`
	Error         *errorInfo     `json:"error,omitempty"`
	Result        map[string]any `json:"result"`
	Progress      int32          `json:"progress"`
	QueuedTime    *int64         `json:"queued_time"`
	StartTime     *int64         `json:"start_time"`
	CompleteTime  *int64         `json:"complete_time"`
	Meta          *meta          `json:"_meta,omitempty"` // omitted in lists
}

type replicationSpec struct {
	VMID               string     `json:"vm_id"`
	TargetVCID         string     `json:"target_vc_id"`
	Quiesce            bool       `json:"quiesce_enabled"`
	RPO                int64      `json:"rpo"`
	NetworkCompression bool       `json:"network_compression_enabled"`
	MPIT               bool       `json:"mpit_enabled"`
	MPITInstances      int32      `json:"mpit_instances"`
	MPITDays           int32      `json:"mpit_days"`
	AutoReplicate      bool       `json:"auto_replicate_new_disks"`
	ServerID           *string    `json:"target_replication_server_id"`
	Encryption         bool       `json:"lwd_encryption_enabled"`
	VMDataSets         bool       `json:"vm_data_sets_replication_enabled"`
	Enhanced           *bool      `json:"enhanced_replication"`
	Disks              []diskSpec `json:"disks"`
}

type diskSpec struct {
	Disk struct {
		VMID      string `json:"vm_id"`
		DeviceKey *int32 `json:"device_key"`
		IsVMHome  bool   `json:"is_vm_home"`
	} `json:"vm_disk"`
	Enabled     bool    `json:"enabled_for_replication"`
	UseSeeds    bool    `json:"use_seeds"`
	PolicyID    *string `json:"destination_storage_policy_id"`
	Path        *string `json:"destination_path"`
	DatastoreID string  `json:"destination_datastore_id"`
	Format      string  `json:"destination_disk_format"`
}

func (d diskSpec) key() int32 {
	switch {
	case d.Disk.IsVMHome:
		return 0
	case d.Disk.DeviceKey == nil:
		return -1
	}
	return *d.Disk.DeviceKey
}

func (d diskSpec) isHome() bool { return d.key() == 0 }

func (d vmDisk) key() int32 {
	if d.IsVMHome || d.DeviceKey == nil {
		return 0
	}
	return *d.DeviceKey
}
