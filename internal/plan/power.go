package plan

import (
	"math"
)

// Log returns the natural logarithm, identical to the last digit on every platform. math.Log is written in assembly on
// some processors, where its last digit differs.
func Log(x float64) float64 {
	fraction, exponent := math.Frexp(x)
	if fraction < math.Sqrt2/2 {
		fraction, exponent = fraction*2, exponent-1
	}
	return float64(float64(exponent)*math.Ln2) + math.Log1p(fraction-1)
}

// largestExponent caps exponents. Beyond it, every power is 0, 1 or infinite.
const largestExponent = 1 << 62

// Pow returns x to the power of y for a non-negative x. Like Log, it returns the same digits on every platform.
func Pow(x, y float64) float64 {
	if y < 0 {
		return 1 / Pow(x, -y)
	}
	whole, part := math.Modf(y)
	if part > 0.5 {
		whole, part = whole+1, part-1
	}
	power := 1.0
	switch part {
	case 0:
	case 0.5:
		power = math.Sqrt(x)
	default:
		// Expm1 of a large negative exponent is close to -1 and loses digits. Invert the positive power instead.
		if exponent := part * Log(x); exponent < 0 {
			power = 1 / (math.Expm1(-exponent) + 1)
		} else {
			power = math.Expm1(exponent) + 1
		}
	}
	for n := int64(min(whole, largestExponent)); n > 0; n >>= 1 {
		if n&1 == 1 {
			power *= x
		}
		x *= x
	}
	return power
}
