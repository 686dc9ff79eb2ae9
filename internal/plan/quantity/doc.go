// Package quantity holds sizes, rates and durations with their units: storage in bytes, links in bits per second,
// time in seconds. It distinguishes SI units (MB, 10^6) from IEC units (MiB, 2^20) and bits from bytes, and rejects
// ambiguous text.
package quantity
