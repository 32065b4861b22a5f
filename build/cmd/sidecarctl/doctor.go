package main

import (
	"context"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"sidecar-node/build/internal/layout"
	"sidecar-node/build/internal/prerequisite"
)

func init() { commands = append(commands, doctor) }

// A build from empty caches and one cluster take coldDiskGiB, with a margin;
// once the binaries are there, warmDiskGiB are enough for what changes.
// docs/building.md has the figures.
const (
	coldDiskGiB = 15
	warmDiskGiB = 6
)

func doctor(env *environment) *cobra.Command {
	var minDisk float64
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check everything that builds and clusters need, and say what to do",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			m := env.machine(cmd.Context(), minDisk)
			results := prerequisite.Check(cmd.Context(), m, prerequisite.List())
			prerequisite.Print(cmd.OutOrStdout(), m, results)
			return prerequisite.Missing(results)
		},
	}
	addMinDisk(cmd, &minDisk)
	return cmd
}

func addMinDisk(cmd *cobra.Command, gib *float64) {
	cmd.Flags().Float64Var(gib, "min-disk", 0, fmt.Sprintf("free disk space to ask for, in GiB (default %d, or %d after the first build)", coldDiskGiB, warmDiskGiB))
}

// machine looks at this machine; minDisk 0 stands for the default.
func (e *environment) machine(ctx context.Context, minDisk float64) *prerequisite.Machine {
	if minDisk == 0 {
		minDisk = coldDiskGiB
		if _, err := os.Stat(e.Bin(layout.Sidecar)); err == nil {
			minDisk = warmDiskGiB
		}
	}
	return prerequisite.Look(ctx, e.Root, uint64(minDisk*(1<<30)))
}
