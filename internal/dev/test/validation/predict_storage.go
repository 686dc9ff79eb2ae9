// Questions about the space of replicas, in the units of the sources.

package validation

import "terraform-provider-vsla/internal/plan/replication"

// keeping asks vsla_replica_storage for the space of daily instances, or of the replica with them.
type keeping struct {
	// gb is the data, of which changed is rewritten in a day; instances are kept for days.
	gb, changed, days float64
	total             bool
	// per is the number of GB in the source's unit.
	per float64
}

func (k keeping) predict() ([]float64, error) {
	in := replication.StorageDefinition.Default()
	in.VMCount, in.UsedGiB, in.DailyChangePercent, in.RPOMinutes = 1, k.gb, k.changed/k.gb*full, 1440
	without, err := replication.ReplicaStorage(in)
	if err != nil {
		return nil, err
	}
	in.PointInTime = &replication.PointInTime{InstancesPerDay: 1, Days: k.days}
	with, err := replication.ReplicaStorage(in)
	if k.total {
		return []float64{with.TargetGiB / k.per}, err
	}
	return []float64{(with.TargetGiB - without.TargetGiB) / k.per}, err
}
