/*
Copyright The Sidecar Node Authors.

SPDX-License-Identifier: Apache-2.0
*/

package testing

import (
	"context"

	v1 "k8s.io/api/core/v1"
)

// ProbeSidecars simulates probing sidecars.
func (FakeManager) ProbeSidecars(_ context.Context, _ *v1.Pod, _ *v1.PodStatus) {}
