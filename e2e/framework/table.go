package framework

import (
	"context"
	"encoding/json"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Column returns what kubectl get pod shows for the pod in the named column.
func (s *Space) Column(ctx context.Context, pod, column string) (string, error) {
	body, err := s.raw.Get().
		AbsPath("/api/v1/namespaces", s.Namespace, "pods", pod).
		SetHeader("Accept", "application/json;as=Table;v=v1;g=meta.k8s.io").
		Do(ctx).Raw()
	if err != nil {
		return "", err
	}
	var table metav1.Table
	if err := json.Unmarshal(body, &table); err != nil {
		return "", err
	}
	if len(table.Rows) != 1 {
		return "", fmt.Errorf("pod %s: want one row, found %d", pod, len(table.Rows))
	}
	for i, c := range table.ColumnDefinitions {
		if c.Name == column {
			return fmt.Sprint(table.Rows[0].Cells[i]), nil
		}
	}
	return "", fmt.Errorf("pod %s: kubectl get has no column %q", pod, column)
}
