/*
Copyright The Sidecar Node Authors.

SPDX-License-Identifier: Apache-2.0
*/

package metrics

import (
	"k8s.io/component-base/metrics"
)

// Metrics of pods with sidecars, registered if the SidecarContainers feature gate is
// on.
var (
	// SidecarGateDuration is a histogram of the time in seconds for which app
	// containers waited for the sidecars of their pod.
	SidecarGateDuration = metrics.NewHistogram(
		&metrics.HistogramOpts{
			Subsystem:      KubeletSubsystem,
			Name:           "sidecar_gate_duration_seconds",
			Help:           "Duration in seconds for which the app containers of a pod waited for its sidecars, measured from the creation of the first sidecar to when all sidecars were ready",
			Buckets:        podStartupDurationBuckets,
			StabilityLevel: metrics.ALPHA,
		},
	)

	// SidecarRestartsTotal is a counter of sidecars that were started again in the
	// sandbox in which they had run before.
	SidecarRestartsTotal = metrics.NewCounter(
		&metrics.CounterOpts{
			Subsystem:      KubeletSubsystem,
			Name:           "sidecar_restarts_total",
			Help:           "Cumulative number of sidecars that were restarted",
			StabilityLevel: metrics.ALPHA,
		},
	)
)
