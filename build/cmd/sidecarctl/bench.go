package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"sidecar-node/build/internal/e2erun"
	"sidecar-node/e2e/bench"
)

func init() { commands = append(commands, benchCommand) }

// benchCluster begins the name of the cluster that is made to measure in.
const benchCluster = "sidecar-bench"

// benchRun is what the flags of bench say.
type benchRun struct {
	bench.Bench
	only       []string
	kubeconfig string
	output     string
	from       string
	keep       bool
}

func benchCommand(env *environment) *cobra.Command {
	r := &benchRun{}
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Measure pods without sidecars, with native ones and with ours, on one cluster",
		Long: `Bench measures how long pods take to start and to end, and what they cost a kubelet,
in one cluster with a stock node, a patched one with the gate off and one with it on.
The variants take turns in each round, in an order drawn from a seed. It prints medians,
their ratios and the goals, and leaves a plot and the samples of each measure in
docs/bench. A goal that is missed is no error, a measurement that did not happen is.
The cluster is made and deleted, unless --kubeconfig or $KUBECONFIG leads to one of
examples/kind-mixed-versions.yaml.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			r.Out = cmd.OutOrStdout()
			if err := r.check(); err != nil {
				return err
			}
			if r.from != "" {
				if !cmd.Flags().Changed("output") {
					r.output = r.from
				}
				samples, err := bench.ReadFiles(r.from, r.Measures)
				if err != nil {
					return err
				}
				return r.report(samples)
			}
			if err := r.measure(cmd.Context(), env); err != nil {
				return fmt.Errorf("%w\nto repeat: %s", err, r.repeat())
			}
			return nil
		},
	}
	cmd.Flags().IntVar(&r.Rounds, "rounds", 20, "how often each variant takes its turn")
	cmd.Flags().IntVar(&r.Pods, "pods", 10, "how many pods without sidecars are made at a time")
	cmd.Flags().DurationVar(&r.Rest, "rest", 15*time.Second, "how long kubelets are watched at rest")
	cmd.Flags().Uint64Var(&r.Seed, "seed", 0, "what the order of the turns is drawn from (default: a random one)")
	cmd.Flags().StringSliceVar(&r.only, "only", nil, "measure these only, such as ready-to-start,churn-cpu")
	cmd.Flags().StringVar(&r.kubeconfig, "kubeconfig", "", "use this cluster of nodes that differ (default: $KUBECONFIG, or else one of our node images)")
	cmd.Flags().StringVar(&r.output, "output", env.Path("docs", "bench"), "folder for plots and samples")
	cmd.Flags().StringVar(&r.from, "from", "", "measure nothing: print and plot the samples of this folder again")
	cmd.Flags().BoolVar(&r.keep, "keep", false, "leave the cluster")
	return cmd
}

// check tells what is wrong with the flags before any work.
func (r *benchRun) check() (err error) {
	switch {
	case r.Rounds < 1 || r.Pods < 1:
		return errors.New("--rounds and --pods: want at least 1")
	case r.Rest < time.Second:
		return fmt.Errorf("--rest %v: want at least 1s, as CPU time is counted in steps of 10 ms", r.Rest)
	}
	if r.Measures, err = bench.Choose(r.only); err != nil {
		return fmt.Errorf("--only: %w", err)
	}
	for r.Seed == 0 {
		r.Seed = rand.Uint64()
	}
	return nil
}

// measure measures on the given cluster, or on one that it makes and deletes.
func (r *benchRun) measure(ctx context.Context, env *environment) (err error) {
	if r.kubeconfig != "" || os.Getenv("KUBECONFIG") != "" {
		return r.measureIn(ctx, env, r.kubeconfig)
	}
	c, err := env.ensureCluster(ctx, benchCluster, e2erun.GateMixed, r.Out)
	if c != nil && !r.keep {
		defer func() { err = errors.Join(err, c.Delete(context.WithoutCancel(ctx))) }()
	}
	if err != nil {
		return err
	}
	return r.measureIn(ctx, env, c.Kubeconfig)
}

func (r *benchRun) measureIn(ctx context.Context, env *environment, kubeconfig string) error {
	var err error
	if r.Cluster, err = connect(kubeconfig, env.suiteSettings()); err != nil {
		return err
	}
	fmt.Fprintf(r.Out, "==> measure in %d rounds, seed %d\n", r.Rounds, r.Seed)
	samples, err := r.Run(ctx)
	if err == nil {
		return r.report(samples)
	}
	if len(samples) > 0 {
		// What has been measured before a failure is not lost, but replaces nothing. What
		// else is missing follows from the failure.
		r.output = env.Output("bench")
		_ = r.report(samples)
	}
	return err
}

// report prints and plots the samples.
func (r *benchRun) report(samples []bench.Sample) error {
	tableErr := bench.WriteTable(r.Out, r.Measures, samples)
	filesErr := bench.WriteFiles(r.output, r.Measures, samples)
	fmt.Fprintf(r.Out, "\nplots and samples: %s\n", r.output)
	return errors.Join(tableErr, filesErr)
}

// repeat is the command that measures the same again.
func (r *benchRun) repeat() string {
	args := []string{fmt.Sprintf("--seed=%d", r.Seed), fmt.Sprintf("--pods=%d", r.Pods), fmt.Sprintf("--rest=%v", r.Rest)}
	if r.kubeconfig != "" {
		args = append(args, "--kubeconfig="+r.kubeconfig)
	}
	if len(r.only) > 0 {
		args = append(args, "--only="+strings.Join(r.only, ","))
	}
	return fmt.Sprintf("make bench ROUNDS=%d ARGS='%s'", r.Rounds, strings.Join(args, " "))
}
