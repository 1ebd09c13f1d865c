package induction

// prime is the modulus of the elimination, 2^31 - 1: products of two residues fit 64 bits.
const prime = 1<<31 - 1

// nullSpace returns a basis of the integer vectors v with row . v = 0 modulo 2^bits for all rows. It eliminates modulo
// a prime, and leaves out vectors without small integers and solutions that hold modulo the prime only.
func nullSpace(rows [][]int64, bits int) [][]int64 {
	if len(rows) == 0 {
		return nil
	}
	n := len(rows[0])
	m := make([][]int64, len(rows))
	for r, row := range rows {
		m[r] = make([]int64, n)
		for k, v := range row {
			m[r][k] = residue(v)
		}
	}
	pivots, rank := make([]int, 0, n), 0
	isPivot := make([]bool, n)
	for k := 0; k < n && rank < len(m); k++ {
		at := rank
		for at < len(m) && m[at][k] == 0 {
			at++
		}
		if at == len(m) {
			continue
		}
		m[rank], m[at] = m[at], m[rank]
		by := inverse(m[rank][k])
		for j := k; j < n; j++ {
			m[rank][j] = m[rank][j] * by % prime
		}
		for r := range m {
			if f := m[r][k]; r != rank && f != 0 {
				for j := k; j < n; j++ {
					m[r][j] = residue(m[r][j] - f*m[rank][j]%prime)
				}
			}
		}
		pivots, isPivot[k] = append(pivots, k), true
		rank++
	}
	if len(rows) < rank+leastEvidence {
		return nil // any few rows have equations
	}
	var out [][]int64
	for free := range n {
		if isPivot[free] {
			continue
		}
		v := make([]int64, n)
		v[free] = 1
		for r, k := range pivots {
			v[k] = residue(-m[r][free])
		}
		if small(v) && holds(rows, v, bits) {
			out = append(out, v)
		}
	}
	return out
}

func residue(v int64) int64 { return (v%prime + prime) % prime }

// inverse returns 1/v modulo prime, by Fermat's little theorem.
func inverse(v int64) int64 {
	out := int64(1)
	for e := prime - 2; e > 0; e >>= 1 {
		if e&1 != 0 {
			out = out * v % prime
		}
		v = v * v % prime
	}
	return out
}

// small multiplies residues by the least factor that makes all of them small integers, and reports whether one does.
func small(v []int64) bool {
	out := make([]int64, len(v))
next:
	for by := int64(1); by <= largestFactor; by++ {
		for k, x := range v {
			if x = x * by % prime; x > prime/2 {
				x -= prime
			}
			if out[k] = x; k > 0 && (x > largestFactor || x < -largestFactor) {
				continue next
			}
		}
		copy(v, out)
		return true
	}
	return false
}

// holds reports whether row . v = 0 modulo 2^bits for all rows.
func holds(rows [][]int64, v []int64, bits int) bool {
	for _, row := range rows {
		sum := int64(0)
		for k, x := range row {
			sum += x * v[k]
		}
		if sum<<(64-bits) != 0 {
			return false
		}
	}
	return true
}
