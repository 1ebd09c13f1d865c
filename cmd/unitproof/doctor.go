package main

import "github.com/spf13/cobra"

func doctorCommand(std streams) *cobra.Command { return &cobra.Command{Use: "doctor"} }
