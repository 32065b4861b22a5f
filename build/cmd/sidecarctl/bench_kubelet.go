package main

import (
	"errors"
	"path"

	"github.com/spf13/cobra"

	"sidecar-node/build/internal/layout"
	"sidecar-node/build/internal/microbench"
	"sidecar-node/build/internal/pipeline"
	"sidecar-node/build/internal/unit"
)

func init() { commands = append(commands, benchKubeletCommand) }

// kubeletBenchmarks are benchmarks of ours that use nothing of ours, by package;
// each is a file of the overlay.
var kubeletBenchmarks = []struct{ file, pattern string }{
	{"pkg/kubelet/kuberuntime/kuberuntime_actions_bench_test.go", "^BenchmarkComputePodActions$"},
	{"pkg/kubelet/kubelet_status_bench_test.go", "^BenchmarkGenerateAPIPodStatus$"},
}

func benchKubeletCommand(env *environment) *cobra.Command {
	o := microbench.Options{}
	cmd := &cobra.Command{
		Use:   "bench-kubelet",
		Short: "Compare what pods without sidecars cost the kubelet with the stock tree",
		Long: `Bench-kubelet runs Go benchmarks of the sync and of the status of pods without
sidecars in three trees that take turns: stock Kubernetes, ours with the gate
off, and ours with the gate on. It prints the ratio of the medians to those of
stock, and the probability that a difference is chance. It judges nothing:
machines are noisy.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, p := cmd.Context(), env.pipeline()
			o.Progress = cmd.OutOrStdout()
			if o.Rounds < 1 {
				return errors.New("--rounds: want at least 1")
			}
			if err := errors.Join(pipeline.Tree(ctx, p, layout.Sidecar), pipeline.Tree(ctx, p, layout.Stock)); err != nil {
				return err
			}
			on, err := unit.GateOnFile(env.Src(layout.Sidecar), env.Output("reports"))
			if err != nil {
				return err
			}
			stock := microbench.Variant{Name: "stock", Tree: env.Src(layout.Stock), Replace: map[string]string{}}
			var benchmarks []microbench.Benchmarks
			for _, b := range kubeletBenchmarks {
				stock.Replace[b.file] = env.Path("staging", "k8s.io", "kubernetes", b.file)
				benchmarks = append(benchmarks, microbench.Benchmarks{Package: path.Dir(b.file), Pattern: b.pattern})
			}
			variants := []microbench.Variant{
				stock,
				{Name: "gate-off", Tree: env.Src(layout.Sidecar)},
				{Name: "gate-on", Tree: env.Src(layout.Sidecar), Replace: map[string]string{unit.GateFile: on}},
			}
			results, err := microbench.Run(ctx, variants, benchmarks, o)
			if err != nil {
				return err
			}
			results.Write(cmd.OutOrStdout(), []string{"stock", "gate-off", "gate-on"})
			return nil
		},
	}
	cmd.Flags().IntVar(&o.Rounds, "rounds", 10, "how often every benchmark is measured in every tree")
	cmd.Flags().StringVar(&o.Time, "time", "300ms", "how long one measurement takes, as go test -benchtime has it")
	return cmd
}
