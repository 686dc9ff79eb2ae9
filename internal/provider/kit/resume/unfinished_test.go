package resume_test

import (
	"strconv"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"

	"terraform-provider-vsla/internal/provider/kit/resume"
)

func TestStore_locks(t *testing.T) {
	t.Parallel()
	var (
		s   resume.Store
		all sync.WaitGroup
	)
	for i := range 20 {
		key := strconv.Itoa(i)
		all.Go(func() {
			s.Put(key, map[string]string{"name": key})
			assert.Equal(t, map[string]string{"name": key}, s.Take(key, func(string) bool { return true }))
		})
	}
	all.Wait()
}
