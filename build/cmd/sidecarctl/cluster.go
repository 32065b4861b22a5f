package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"sidecar-node/build/internal/cluster"
	"sidecar-node/build/internal/engine"
	"sidecar-node/build/internal/layout"
	"sidecar-node/build/internal/prerequisite"
)

func init() { commands = append(commands, clusterCommand, deleteClusterCommand) }

const (
	defaultCluster = "sidecar"
	exampleJob     = "job-with-sidecar"
)

// The node images that clusters of ours are made from.
const (
	sidecarImage = "sidecar-node"
	stockImage   = "sidecar-node-stock"
)

// clusterFlags are shared by the commands that create and delete clusters.
type clusterFlags struct {
	name, config, variant string
}

func (f *clusterFlags) add(cmd *cobra.Command, env *environment) {
	cmd.Flags().StringVar(&f.name, "name", defaultCluster, "name of the cluster")
	cmd.Flags().StringVar(&f.variant, "variant", string(layout.Sidecar), "node image: sidecar or stock")
}

// cluster returns the cluster that the flags describe.
func (f *clusterFlags) cluster(env *environment, eng *engine.Engine, out io.Writer) (*cluster.Cluster, error) {
	v, err := layout.ParseVariant(f.variant)
	if err != nil {
		return nil, err
	}
	image := sidecarImage
	if v == layout.Stock {
		image = stockImage
	}
	config := f.config
	if config == "" {
		config = env.Path("kind.yaml")
	}
	if config, err = filepath.Abs(config); err != nil {
		return nil, err
	}
	if _, err := os.Stat(config); err != nil {
		return nil, fmt.Errorf("configuration of the cluster: %w", err)
	}
	return &cluster.Cluster{
		Name: f.name, Config: config, Image: image, Engine: eng, Root: env.Root,
		Kubeconfig:     env.Output("kubeconfig", f.name),
		UserKubeconfig: true,
		Kubectl:        filepath.Join(env.Bin(v), "kubectl"),
		Reports:        env.Output("reports"),
		Out:            out,
	}, nil
}

func clusterCommand(env *environment) *cobra.Command {
	var flags clusterFlags
	var example, recreate, build bool
	cmd := &cobra.Command{
		Use:   "cluster",
		Short: "Set up this machine, build, create a cluster and run the example Job",
		Long: `Cluster does everything from a bare machine to a running cluster: it installs
what is missing (root on Debian or Ubuntu), builds the node image, creates a
kind cluster, waits until it is ready, and runs examples/job-with-sidecar.yaml.
What is there already isn't done again.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, out := cmd.Context(), cmd.OutOrStdout()
			start := time.Now()
			// Wrong flags are told before any work.
			c, err := flags.cluster(env, nil, out)
			if err != nil {
				return err
			}
			m := env.machine(ctx, 0)
			if err := prerequisite.Setup(ctx, m, prerequisite.List(), out, env.Output("reports", "apt.log")); err != nil {
				return err
			}
			if build {
				if err := env.nodeImage(ctx, m.Engine, layout.Variant(flags.variant)); err != nil {
					return err
				}
			}
			c.Engine = m.Engine
			if recreate {
				if err := c.Delete(ctx); err != nil {
					return err
				}
			}
			found, err := c.Ensure(ctx)
			if err != nil {
				return err
			}
			if example {
				if err := runExample(ctx, env, c); err != nil {
					return err
				}
			}
			printNext(env, c, found, time.Since(start))
			return nil
		},
	}
	flags.add(cmd, env)
	cmd.Flags().StringVar(&flags.config, "config", "", "configuration file of kind (default kind.yaml)")
	cmd.Flags().BoolVar(&example, "example", true, "run the example Job unless it has completed in this cluster already")
	cmd.Flags().BoolVar(&recreate, "recreate", false, "delete the cluster first")
	cmd.Flags().BoolVar(&build, "build", true, "build the node image if its sources changed")
	return cmd
}

// runExample runs the example Job, unless it has completed already.
func runExample(ctx context.Context, env *environment, c *cluster.Cluster) error {
	done, err := c.JobComplete(ctx, exampleJob)
	if err != nil {
		return err
	}
	if done {
		fmt.Fprintf(c.Out, "==> the Job %s has completed\n", exampleJob)
		return nil
	}
	return c.RunJob(ctx, env.Path("examples", exampleJob+".yaml"), exampleJob)
}

// printNext says what to do with the cluster.
func printNext(env *environment, c *cluster.Cluster, found cluster.State, took time.Duration) {
	rel := func(file string) string {
		if r, err := filepath.Rel(env.Root, file); err == nil {
			return r
		}
		return file
	}
	fmt.Fprintf(c.Out, `
Cluster %s is ready (%.0f s). Next:

  export PATH=%s:$PATH KUBECONFIG=%s
  kubectl explain pod.spec.containers.lifecycle.type
  kubectl get pods --all-namespaces
  kubectl apply -f examples/deployment-with-proxy.yaml

  make e2e              test the behaviour in it
  make delete-cluster   delete it
`, c.Name, took.Seconds(), "$PWD/"+rel(filepath.Dir(c.Kubectl)), "$PWD/"+rel(c.Kubeconfig))
	if found == cluster.Outdated {
		fmt.Fprintf(c.Out, "\nIts nodes were made from an earlier build of the image. To get the new one: make delete-cluster cluster\n")
	}
}

func deleteClusterCommand(env *environment) *cobra.Command {
	var flags clusterFlags
	cmd := &cobra.Command{
		Use:   "delete-cluster",
		Short: "Delete the cluster",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			eng, err := engine.Find(cmd.Context())
			if err != nil {
				return err
			}
			c, err := flags.cluster(env, eng, cmd.OutOrStdout())
			if err != nil {
				return err
			}
			// Whatever it was made from: one for mixed versions has nodes of both.
			c.OtherImages = []string{sidecarImage, stockImage}
			return c.Delete(cmd.Context())
		},
	}
	flags.add(cmd, env)
	return cmd
}
