package vr

// Options contains the replication settings that the gateway reports back.
type Options struct {
	RPOMinutes    int64
	Compression   bool
	Quiescing     bool
	AutoReplicate bool
	DataSets      bool
	PointInTime   bool
	// InstancesPerDay and InstanceDays are 0 if point-in-time instances are disabled. If only InstanceDays is 0,
	// InstancesPerDay is the number of instances to keep, regardless of their age.
	InstancesPerDay int64
	InstanceDays    int64
	// Encryption is unset if the gateway does not report it.
	Encryption Flag
	// Enhanced is unset if the gateway does not support enhanced replication or if the configuration omits it.
	Enhanced Flag
}

// Flag is a boolean option that only some gateway releases support.
type Flag uint8

// Values of a Flag.
const (
	FlagUnset Flag = iota
	FlagOff
	FlagOn
)

// Ptr converts the flag to an optional bool.
func (f Flag) Ptr() *bool {
	if f == FlagUnset {
		return nil
	}
	on := f == FlagOn
	return &on
}

// Matches reports whether the options match the wanted options. If wanted.Enhanced is unset, it matches any value. An
// Encryption that is unset in either of them matches any value.
func (o Options) Matches(wanted Options) bool {
	if o.Encryption == FlagUnset || wanted.Encryption == FlagUnset {
		wanted.Encryption = o.Encryption
	}
	if wanted.Enhanced == FlagUnset {
		wanted.Enhanced = o.Enhanced
	}
	return o == wanted
}

// NewFlag converts an optional bool to a Flag.
func NewFlag(b *bool) Flag {
	switch {
	case b == nil:
		return FlagUnset
	case *b:
		return FlagOn
	}
	return FlagOff
}
