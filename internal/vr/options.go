// Options: the settings that a configuration and a reading have in common, so that both can be compared.

package vr

// Options are the settings of a replication that the gateway reports back.
type Options struct {
	RPOMinutes                                                  int64
	Compression, Quiescing, Encryption, AutoReplicate, DataSets bool
	PointInTime                                                 bool
	// InstancesPerDay and InstanceDays are 0 without point in time instances. With 0 days, InstancesPerDay is the
	// number of instances to keep, whatever their age.
	InstancesPerDay, InstanceDays int64
	// Enhanced is unset where the gateway does not know enhanced replication, or where a configuration leaves it open.
	Enhanced Flag
}

// Satisfies reports whether a replication with these options needs no change to have the wanted ones.
func (o Options) Satisfies(wanted Options) bool {
	if wanted.Enhanced == FlagUnset {
		wanted.Enhanced = o.Enhanced
	}
	return o == wanted
}

// Flag is a switch that not every release of the gateway knows.
type Flag uint8

// The states of a Flag.
const (
	FlagUnset Flag = iota
	FlagOff
	FlagOn
)

// FlagOf returns the flag for a value that may be absent.
func FlagOf(b *bool) Flag {
	switch {
	case b == nil:
		return FlagUnset
	case *b:
		return FlagOn
	}
	return FlagOff
}

// Ptr returns the flag as a value that may be absent.
func (f Flag) Ptr() *bool {
	if f == FlagUnset {
		return nil
	}
	on := f == FlagOn
	return &on
}
