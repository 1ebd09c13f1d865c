package remote

// CloseInput closes the input of unitproof-remote, as the end of this program does.
func CloseInput(c *Client) error { return c.p.stdin.Close() }

// Wait waits for the end of unitproof-remote.
func Wait(c *Client) error {
	<-c.p.gone
	return c.p.ended()
}
