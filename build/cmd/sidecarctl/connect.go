package main

import (
	"sidecar-node/e2e/config"
	"sidecar-node/e2e/framework"
)

// suiteSettings is the settings file of the cluster suite.
func (e *environment) suiteSettings() string { return e.Path("e2e", "config", "default.yaml") }

// connect returns the cluster that the kubeconfig leads to, with the numbers of a
// settings file of the suite. An empty kubeconfig means the usual places.
func connect(kubeconfig, settings string) (*framework.Cluster, error) {
	numbers, err := config.Load(settings)
	if err != nil {
		return nil, err
	}
	return framework.Connect(kubeconfig, numbers)
}
