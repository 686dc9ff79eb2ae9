package vsphere

import "sync/atomic"

// States of a feature.
const (
	featureUnknown int32 = iota
	featurePresent
	featureMissing
)

// feature records whether the server supports an operation that older releases lack.
type feature struct{ state atomic.Int32 }

func (f *feature) isMissing() bool { return f.state.Load() == featureMissing }

// record stores only the first result. Later results can be wrong, because a service that is starting looks like one
// without the operation.
func (f *feature) record(has bool) {
	next := featureMissing
	if has {
		next = featurePresent
	}
	f.state.CompareAndSwap(featureUnknown, next)
}

// meansMissing reports whether an error means that the server lacks the feature. Once the feature has worked, it always
// returns false.
func (f *feature) meansMissing(err error) bool {
	return f.state.Load() != featurePresent && mayBeUnsupported(err)
}
