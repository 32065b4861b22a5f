/*
Copyright The Sidecar Node Authors.

SPDX-License-Identifier: Apache-2.0
*/

// Package sidecar holds the rules by which the kubelet orders the containers of
// a pod with sidecars, that is containers in spec.containers with lifecycle type
// Sidecar: when the app containers may start, and in which order, within one
// grace period, everything is stopped. It neither starts nor stops containers.
package sidecar
