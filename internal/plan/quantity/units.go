package quantity

// Sizes are binary, rates are decimal.
const (
	BitsPerByte = 8
	BytesPerGiB = 1 << 30
	BitsPerGiB  = BitsPerByte * BytesPerGiB
	BitsPerKiB  = BitsPerByte << 10
	BitsPerMbit = 1e6
)

// Times.
const (
	MsPerSecond      = 1e3
	SecondsPerMinute = 60
	SecondsPerHour   = 3600
	SecondsPerDay    = 86400
	MinutesPerHour   = 60
	MinutesPerDay    = 1440
	MonthsPerYear    = 12
)

// Percent converts between shares and percentages.
const Percent = 100.0
