/*
Copyright The Sidecar Node Authors.

SPDX-License-Identifier: Apache-2.0
*/

package events

// Events of pods with sidecars.
const (
	// SidecarsReady says that the app containers are started because all sidecars
	// have become ready.
	SidecarsReady = "SidecarsReady"
	// StoppingSidecars says that it is the turn of the sidecars to be stopped.
	StoppingSidecars = "StoppingSidecars"
)
