package remote

// CloseInput is what the end of this program does to the one that speaks to the server.
func CloseInput(c *Client) error { return c.p.stdin.Close() }

// Wait waits until that program has ended.
func Wait(c *Client) error {
	<-c.p.gone
	return c.p.ended()
}
