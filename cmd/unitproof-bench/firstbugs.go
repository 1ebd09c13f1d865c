package main

import (
	"github.com/unitproof/unitproof/cmd/internal/cli"
)

func plantAll(std cli.Streams, sample []sampled, n int) ([]firstOutcome, error) { return nil, nil }
