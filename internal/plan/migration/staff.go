package migration

// staff moves or switches over at most maxMoves VMs per window.
type staff struct {
	maxMoves int
	moves    map[int64]int // by window
	limited  bool          // whether maxMoves delayed a VM
}

func (s *staff) hasMovesLeft(window int64, n int) bool {
	left := s.moves[window]+n <= s.maxMoves
	s.limited = s.limited || !left
	return left
}
