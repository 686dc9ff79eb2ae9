package chart

import (
	"unicode"
)

const (
	// ascent and descent are the extents of text above and below its baseline, in ems.
	ascent, descent = 0.93, 0.25
	ellipsis        = '…'
)

// glyphWidths contains the widths of the printable ASCII characters in ems, rounded up. They are taken from DejaVu
// Sans, a wide sans-serif font. Arial, Helvetica, Segoe and Roboto are narrower.
var glyphWidths = [95]float64{
	.32, .41, .46, .84, .64, .96, .78, .28, .4, .4, .5, .84, .32, .37, .32, .34, // space to /
	.64, .64, .64, .64, .64, .64, .64, .64, .64, .64, .34, .34, .84, .84, .84, .54, // 0 to ?
	1, .69, .69, .7, .78, .64, .58, .78, .76, .3, .3, .66, .56, .87, .75, .79, // @ to O
	.61, .79, .7, .64, .62, .74, .69, .99, .69, .62, .69, .4, .34, .4, .84, .5, // P to _
	.5, .62, .64, .55, .64, .62, .36, .64, .64, .28, .28, .58, .28, .98, .64, .62, // ` to o
	.64, .64, .42, .53, .4, .64, .6, .82, .6, .6, .53, .64, .34, .64, .84, // p to ~
}

func textWidth(s string) float64 {
	ems := 0.0
	for _, r := range s {
		switch {
		case r >= ' ' && r <= '~':
			ems += glyphWidths[r-' ']
		case unicode.Is(unicode.Mn, r):
			// Combining marks have no width of their own.
		case r < 0x2000:
			ems += 0.9
		default:
			ems += 1.1 // includes wide Chinese, Japanese and Korean characters
		}
	}
	return ems * fontSize
}

// shorten removes characters from the middle of s until its width is at most room. Similar names usually differ at one
// end.
func shorten(s string, room float64) string {
	if textWidth(s) <= room {
		return s
	}
	letters := []rune(s)
	for keep := len(letters) - 1; keep >= 2; keep-- {
		head := (keep + 1) / 2
		short := string(letters[:head]) + string(ellipsis) + string(letters[len(letters)-keep+head:])
		if textWidth(short) <= room {
			return short
		}
	}
	if textWidth(string(ellipsis)) <= room {
		return string(ellipsis)
	}
	return ""
}
