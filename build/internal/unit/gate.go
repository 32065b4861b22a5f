package unit

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
)

// Gate is the feature gate of the distribution.
const Gate = "SidecarContainers"

// GateFile is the file of the tree that holds the defaults of the gates.
const GateFile = "pkg/features/kube_features.go"

// GateOnFile writes, into folder tmp, a copy of the tree's gate file in which the
// gate is on by default, and returns its path.
func GateOnFile(dir, tmp string) (string, error) {
	file := filepath.Join(dir, filepath.FromSlash(GateFile))
	source, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	changed, err := turnOn(source, Gate)
	if err != nil {
		return "", fmt.Errorf("%s: %w", file, err)
	}
	copied := filepath.Join(tmp, "kube_features.go")
	if err := os.MkdirAll(tmp, 0o755); err != nil {
		return "", err
	}
	return copied, os.WriteFile(copied, changed, 0o644)
}

// gateOn writes, into folder tmp, what turns the gate on in the tree, and a file
// for the -overlay flag of the go command, whose path it returns.
func gateOn(dir, tmp string) (string, error) {
	copied, err := GateOnFile(dir, tmp)
	if err != nil {
		return "", err
	}
	file := filepath.Join(dir, filepath.FromSlash(GateFile))
	overlay, err := json.Marshal(map[string]map[string]string{"Replace": {file: copied}})
	if err != nil {
		return "", err
	}
	name := filepath.Join(tmp, "overlay.json")
	return name, os.WriteFile(name, overlay, 0o644)
}

// turnOn returns Go source in which the gate is on by default, and has the
// maturity that such a gate has: upstream tests that no alpha gate is on.
func turnOn(source []byte, gate string) ([]byte, error) {
	f, err := parser.ParseFile(token.NewFileSet(), "", source, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	var edits []edit
	ast.Inspect(f, func(n ast.Node) bool {
		entry, ok := n.(*ast.KeyValueExpr)
		if !ok {
			return true
		}
		if key, ok := entry.Key.(*ast.Ident); !ok || key.Name != gate {
			return true
		}
		ast.Inspect(entry.Value, func(n ast.Node) bool {
			if kv, ok := n.(*ast.KeyValueExpr); ok {
				edits = append(edits, editField(kv)...)
			}
			return true
		})
		return false
	})
	if !slices.ContainsFunc(edits, func(e edit) bool { return e.new == "true" }) {
		return nil, fmt.Errorf("no entry of gate %s with Default: false", gate)
	}
	var out []byte
	last := 0
	for _, e := range edits {
		out = append(append(out, source[last:e.at]...), e.new...)
		last = e.at + len(e.old)
	}
	return append(out, source[last:]...), nil
}

// edit replaces old by new at an offset of the source.
type edit struct {
	at       int
	old, new string
}

// editField returns the edit of one field of a gate's specification, if it has
// to change.
func editField(kv *ast.KeyValueExpr) []edit {
	key, ok := kv.Key.(*ast.Ident)
	if !ok {
		return nil
	}
	value, ok := kv.Value.(*ast.Ident)
	if s, isSelector := kv.Value.(*ast.SelectorExpr); isSelector {
		value, ok = s.Sel, true
	}
	if !ok {
		return nil
	}
	// Positions start at 1 in the only file of the set.
	at := int(value.Pos()) - 1
	switch {
	case key.Name == "Default" && value.Name == "false":
		return []edit{{at, "false", "true"}}
	case key.Name == "PreRelease" && value.Name == "Alpha":
		return []edit{{at, "Alpha", "Beta"}}
	}
	return nil
}
