package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"sidecar-node/build/internal/replace"
	"sidecar-node/e2e/gantt"
	"sidecar-node/e2e/livepod"
)

func init() { commands = append(commands, timelineCommand) }

func timelineCommand(env *environment) *cobra.Command {
	var kubeconfig string
	cmd := &cobra.Command{
		Use:   "timeline namespace/pod",
		Short: "Draw what happened to the containers of a pod of a running cluster",
		Long: `Timeline prints what happened to the containers of a pod, and draws it on a page
in _output/timeline. The journal of the suite is used if it has the pod, or else
the records in the logs of probe containers, or else the pod's status and events.
The page says which. The cluster is that of --kubeconfig or $KUBECONFIG, or else
the one of make cluster, which is not created.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return fmt.Errorf("found %d pods, want one as namespace/pod: make timeline POD=default/web-0", len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx, out := cmd.Context(), cmd.OutOrStdout()
			namespace, name, err := livepod.ParseName(args[0])
			if err != nil {
				return err
			}
			if kubeconfig, err = env.someKubeconfig(kubeconfig); err != nil {
				return err
			}
			c, err := connect(kubeconfig, env.suiteSettings())
			if err != nil {
				return err
			}
			pod, err := livepod.Read(ctx, c, namespace, name)
			if err != nil {
				return fmt.Errorf("%w\nto repeat: make timeline POD=%s", err, args[0])
			}
			fmt.Fprint(out, pod.Text())
			page := env.Output("timeline", namespace, name+".html")
			var data bytes.Buffer
			if err := gantt.Write(&data, gantt.Page{
				Title: "Pod " + namespace + "/" + name,
				Facts: []string{"read " + time.Now().UTC().Format(time.RFC1123)},
				Specs: []gantt.Spec{{Group: namespace, Name: name, Pods: []gantt.Pod{pod.Pod}, Source: pod.Source}},
			}); err != nil {
				return err
			}
			if err := replace.File(page, data.Bytes()); err != nil {
				return err
			}
			fmt.Fprintf(out, "page: %s\n", page)
			return nil
		},
	}
	cmd.Flags().StringVar(&kubeconfig, "kubeconfig", "", "use this cluster (default: $KUBECONFIG, or else that of make cluster)")
	return cmd
}

// someKubeconfig returns the file that leads to the cluster: the given one, or that of
// the environment, or that of make cluster.
func (e *environment) someKubeconfig(given string) (string, error) {
	if given == "" {
		// More than one file is for the client to merge.
		if os.Getenv("KUBECONFIG") != "" {
			return "", nil
		}
		given = e.Output("kubeconfig", defaultCluster)
		if !exists(given) {
			return "", errors.New("no cluster: KUBECONFIG and --kubeconfig are empty, and make cluster has left no " + given + "; set one of them, or run make cluster")
		}
	}
	if !exists(given) {
		return "", fmt.Errorf("--kubeconfig %s: there is no such file; want the kubeconfig of a running cluster", given)
	}
	return given, nil
}
