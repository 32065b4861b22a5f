/*
Copyright The Sidecar Node Authors.

SPDX-License-Identifier: Apache-2.0
*/

// Package lifecycletype holds the tests that lifecycle.type passes the registry
// strategies of pods and of every kind with a pod template in the same way.
package lifecycletype
