package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"sidecar-node/build/internal/e2erun"
)

func init() { commands = append(commands, e2e) }

func e2e(env *environment) *cobra.Command {
	run := e2erun.Run{Root: env.Root, Output: env.Output("e2e"), Config: env.Path("e2e", "config", "default.yaml")}
	var gate string
	cmd := &cobra.Command{
		Use:   "e2e [flags] [-- ginkgo arguments]",
		Short: "Test the behaviour on a real cluster: yours by KUBECONFIG, or one of our node image",
		RunE: func(cmd *cobra.Command, args []string) error {
			switch gate {
			case "on", "off":
				run.GateOff = gate == "off"
			default:
				return fmt.Errorf("--gate %q: want on or off", gate)
			}
			run.Args, run.Out = args, cmd.OutOrStdout()
			if run.Kubeconfig == "" && os.Getenv("KUBECONFIG") == "" {
				var err error
				if run.Kubeconfig, err = env.e2eCluster(cmd.Context(), run.GateOff); err != nil {
					return err
				}
			}
			return run.Do(cmd.Context())
		},
	}
	cmd.Flags().StringVar(&run.Labels, "labels", "", `run only specs with these labels, such as "start || job"`)
	cmd.Flags().StringVar(&gate, "gate", "on", "run the specs for a cluster that has the feature gate on, or off")
	cmd.Flags().StringVar(&run.Kubeconfig, "kubeconfig", "", "use this cluster (default: $KUBECONFIG, or else a cluster of our node image)")
	cmd.Flags().StringVar(&run.Config, "config", run.Config, "settings of the suite")
	cmd.Flags().BoolVar(&run.Keep, "keep", false, "leave what failed specs made in the cluster")
	return cmd
}
