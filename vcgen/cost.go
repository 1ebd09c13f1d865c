package vcgen

// What settling each obligation cost, by the clock that Options has. Verdicts do not depend on it.

// charge divides the time since the last call equally among those whose question took it; nobody: it was for all.
func (p *plan) charge(costs ...*int64) {
	if p.opts.Clock == nil {
		return
	}
	now := p.opts.Clock()
	spent := now - p.charged
	p.charged = now
	for _, c := range costs {
		*c += spent / int64(len(costs))
	}
}

// costsOf are where the costs of obligations are counted.
func costsOf(list []*status) []*int64 {
	costs := make([]*int64, len(list))
	for i, st := range list {
		costs[i] = &st.ins.Cost
	}
	return costs
}
